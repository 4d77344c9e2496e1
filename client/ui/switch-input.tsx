import type { ComponentProps, ReactNode } from 'react';
import { useControl, useRestoredTick } from './field-context.ts';

/** A native checkbox with the role of a switch, so no `aria-checked` is needed. */
const SWITCH = { type: 'checkbox', role: 'switch' } as const;

/** The switch alone, inside a `Field` that labels it. */
export function SwitchInput(props: Omit<ComponentProps<'input'>, 'type' | 'size' | 'className' | 'role'>): ReactNode {
  const control = useControl(props);
  const restored = useRestoredTick(control.name, props);
  return (
    <input
      {...props}
      {...control}
      {...('checked' in props ? {} : { defaultChecked: restored ?? props.defaultChecked })}
      {...SWITCH}
      className="sp-switch__input"
    />
  );
}
