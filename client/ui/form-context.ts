import { createContext, useContext } from 'react';

/** Field name → error code, as the API's error envelope carries it. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Field name → the value to restore after a refused submission. */
export type FieldValues = Readonly<Record<string, string>>;

/** Field name → every value of it that a refused submission had: which boxes were ticked. */
export type FieldChoices = Readonly<Record<string, readonly string[]>>;

/** What a form passes to its fields. */
export interface FormState {
  readonly formId: string;
  readonly errors: FieldErrors;
  readonly values: FieldValues;
  /** Undefined: nothing was refused, and boxes stand as the page has them. */
  readonly chosen?: FieldChoices | undefined;
  /** True while the form's submission is in flight. */
  readonly busy: boolean;
  /** Puts an error code into words. */
  readonly translate: (code: string, field: string) => string;
}

const NOTHING: Readonly<Record<string, string>> = {};

/** The state outside any form: no errors, nothing in flight. */
const OUTSIDE: FormState = { formId: '', errors: NOTHING, values: NOTHING, busy: false, translate: (code) => code };

export const FormContext = createContext<FormState>(OUTSIDE);

/** The form around this component: its errors by field, the values to restore, and whether a submission is in flight. */
export function useFormErrors(): FormState {
  return useContext(FormContext);
}
