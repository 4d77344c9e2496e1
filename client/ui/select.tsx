import type { ComponentProps, ReactNode } from 'react';
import { useControl, useRestoredValue } from './field-context.ts';
import { Icon } from './icon.tsx';

/** One entry of a select. */
export interface SelectOption {
  value: string;
  label: string;
  disabled?: boolean;
}

interface SelectProps extends Omit<ComponentProps<'select'>, 'size' | 'className' | 'children'> {
  options: readonly SelectOption[];
  /** Shown while nothing is chosen; its value is empty. */
  placeholder?: string;
  size?: 'sm' | 'lg';
  /** No box around it, for bars. */
  plain?: boolean;
}

/** The platform's own select. */
export function Select({ options, placeholder, size, plain, ...rest }: SelectProps): ReactNode {
  const control = useControl(rest);
  const restored = useRestoredValue(control.name);
  return (
    <span className="sp-select" data-size={size} data-plain={plain || undefined}>
      <select {...rest} {...control} {...('value' in rest ? {} : { defaultValue: restored ?? rest.defaultValue })}>
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size="sm" />
    </span>
  );
}
