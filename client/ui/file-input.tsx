import type { ComponentProps, ReactNode } from 'react';
import { useControl } from './field-context.ts';

/** Chooses a file; inside a `Field` it needs nothing but what it accepts. The form must be sent as `multipart/form-data`. */
export function FileInput(props: Omit<ComponentProps<'input'>, 'type' | 'className' | 'value' | 'defaultValue'>): ReactNode {
  const control = useControl(props);
  return <input {...props} {...control} type="file" className="sp-input sp-file" />;
}
