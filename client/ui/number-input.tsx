import type { ComponentProps, ReactNode } from 'react';
import { useControl, useRestoredValue } from './field-context.ts';

interface NumberInputProps extends Omit<ComponentProps<'input'>, 'type' | 'size' | 'className'> {
  /** `MB`, `%`, `credits`: shown after the number. */
  unit?: string;
}

/** A number input with its unit, right-aligned. */
export function NumberInput({ unit, ...rest }: NumberInputProps): ReactNode {
  const control = useControl(rest);
  const restored = useRestoredValue(control.name);
  const input = (
    <input
      inputMode="numeric"
      {...rest}
      {...control}
      {...('value' in rest ? {} : { defaultValue: restored ?? rest.defaultValue })}
      type="number"
      className="sp-input"
    />
  );
  if (!unit) return input;
  return (
    <span className="sp-input-group" data-unit="">
      {input}
      <span className="sp-input-group__unit" aria-hidden="true">
        {unit}
      </span>
    </span>
  );
}
