import type { ComponentProps, ReactNode } from 'react';
import { useControl } from './field-context.ts';

/** A native checkbox with the role of a switch, so no `aria-checked` is needed. */
const SWITCH = { type: 'checkbox', role: 'switch' } as const;

/** The switch alone, inside a `Field` that labels it. */
export function SwitchInput(props: Omit<ComponentProps<'input'>, 'type' | 'size' | 'className' | 'role'>): ReactNode {
  const control = useControl(props);
  return <input {...props} {...control} {...SWITCH} className="sp-switch__input" />;
}
