import type { ComponentProps, ReactNode } from 'react';
import { useControl, useRestoredValue } from './field-context.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface TextInputProps extends Omit<ComponentProps<'input'>, 'size' | 'className'> {
  icon?: IconName;
  size?: 'lg';
  /** Fixed-width letters: codes, commands, addresses. */
  mono?: boolean;
}

/** A one-line input; inside a `Field` it needs nothing but its type. */
export function TextInput({ icon, size, mono, ...rest }: TextInputProps): ReactNode {
  const control = useControl(rest);
  const restored = useRestoredValue(control.name);
  const input = (
    <input
      type="text"
      {...rest}
      {...control}
      {...('value' in rest ? {} : { defaultValue: restored ?? rest.defaultValue })}
      className="sp-input"
      data-size={size}
      data-mono={mono || undefined}
    />
  );
  if (!icon) return input;
  return (
    <span className="sp-input-group" data-icon="">
      <Icon name={icon} />
      {input}
    </span>
  );
}

/** Several lines of text. */
export function Textarea(props: Omit<ComponentProps<'textarea'>, 'className'> & { mono?: boolean }): ReactNode {
  const { mono, ...rest } = props;
  const control = useControl(rest);
  const restored = useRestoredValue(control.name);
  return (
    <textarea
      rows={3}
      {...rest}
      {...control}
      {...('value' in rest ? {} : { defaultValue: restored ?? rest.defaultValue })}
      className="sp-input"
      data-mono={mono || undefined}
    />
  );
}
