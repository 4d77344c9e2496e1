import { createContext, useContext } from 'react';
import { useFormErrors } from './form-context.ts';

/** What a field passes to the control inside it. */
export interface FieldState {
  readonly id: string;
  readonly name: string | undefined;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly required: boolean;
}

export const FieldContext = createContext<FieldState | null>(null);

/** The attributes of a control; its own take precedence over those of the field around it. */
interface ControlProps {
  id?: string | undefined;
  name?: string | undefined;
  required?: boolean | undefined;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: ComponentInvalid;
}

type ComponentInvalid = boolean | 'true' | 'false' | 'grammar' | 'spelling' | undefined;

/** Ties a control to its field: id, name, description, validity. */
export function useControl(own: ControlProps): ControlProps {
  const field = useContext(FieldContext);
  return {
    id: own.id ?? field?.id,
    name: own.name ?? field?.name,
    required: own.required ?? (field?.required || undefined),
    'aria-describedby': own['aria-describedby'] ?? field?.describedBy,
    'aria-invalid': own['aria-invalid'] ?? (field?.invalid || undefined),
  };
}

/** The value to restore in this control after a refused submission, if the form has one. */
export function useRestoredValue(name: string | undefined): string | undefined {
  const { values } = useFormErrors();
  return name === undefined ? undefined : values[name];
}

/**
 * Whether this box was ticked when the form around it was refused; undefined where nothing was, or the box was not part
 * of what was sent. A box that is missing from what was sent was not ticked.
 */
export function useRestoredTick(
  name: string | undefined,
  { value = 'on', disabled }: { readonly value?: unknown; readonly disabled?: boolean | undefined },
): boolean | undefined {
  const { chosen } = useFormErrors();
  if (name === undefined || chosen === undefined || disabled) return undefined;
  return chosen[name]?.includes(String(value)) ?? false;
}
