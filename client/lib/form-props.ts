import { useNavigation } from 'react-router';
import type { FormFailure, FormResult } from './form-action.ts';
import { useErrorText } from './error-text.ts';
import { useFormat } from './i18n.tsx';

/** What `Form` (client/ui/form.tsx) shows of the last submission. */
export interface FormFeedback {
  readonly errors: Readonly<Record<string, string>>;
  readonly translateError: (code: string) => string;
  readonly problem: string | undefined;
  readonly values: Readonly<Record<string, string>>;
  /** Which boxes were ticked; undefined: nothing was sent. */
  readonly chosen: FormFailure['chosen'] | undefined;
}

const NONE: Readonly<Record<string, string>> = {};

/**
 * Converts an action's result to the properties of `Form`: the first code of each field, the text of the general error,
 * and what was typed. In: the result (undefined while there is none), and the fields in the order of the form, which
 * the summary follows. Field errors alone give no `problem`. While the next submission is in flight there are no
 * errors.
 */
export function useFormProps(result: FormResult<unknown> | undefined, order: readonly string[] = []): FormFeedback {
  const text = useErrorText();
  const format = useFormat();
  const translateError = text.field;
  const submitting = useNavigation().formData !== undefined;
  if (!result || result.ok)
    return { errors: NONE, translateError, problem: undefined, values: NONE, chosen: undefined };
  const { values, chosen } = result;
  if (submitting) return { errors: NONE, translateError, problem: undefined, values, chosen };
  const fieldIndex = (field: string): number => (order.includes(field) ? order.indexOf(field) : order.length);
  const errors: Record<string, string> = {};
  for (const [field, codes] of Object.entries(result.fields).sort(([a], [b]) => fieldIndex(a) - fieldIndex(b))) {
    if (codes[0]) errors[field] = codes[0];
  }
  const byFields = result.code === 'VALIDATION_FAILED' && Object.keys(errors).length > 0;
  const wait = result.retryAfterS === null ? '' : ` (${format.duration(result.retryAfterS * 1000)})`;
  return {
    errors,
    translateError,
    problem: byFields ? undefined : text.code(result.code) + wait,
    values,
    chosen,
  };
}
