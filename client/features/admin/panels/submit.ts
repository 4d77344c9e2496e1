import type { ActionFunctionArgs } from 'react-router';
import { submitForm, type FormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { TFn } from '#shared/i18n/types.ts';
import type * as z from 'zod/mini';

/** What was typed without the keys: they do not come back to the page, whatever was refused. */
function withoutKeys<R extends FormResult<unknown> | Response>(result: R): R | FormFailure {
  if (result instanceof Response || result.ok) return result;
  const { key: _, client_key: __, ...values } = result.values;
  return { ...result, values };
}

/** Sends a panel's form; see submitForm. */
export async function submitPanel<
  S extends z.ZodMiniType & { readonly shape: Readonly<Record<string, z.ZodMiniType>> },
  T,
>(
  { request }: ActionFunctionArgs,
  schema: S,
  submit: (body: z.output<S>, key: string | undefined, form: FormData) => Promise<T>,
): Promise<FormResult<T> | (T & Response)> {
  return withoutKeys(await submitForm(request, schema, submit));
}

/**
 * Errors of a panel's fields that this form says better than the general text. In: whether the panel is there already,
 * with keys of its own.
 */
export function panelFieldErrors(
  t: TFn<'panels'>,
  general: (code: string) => string,
  stored = false,
): (code: string, field: string) => string {
  return (code, field) => {
    if (stored && (field === 'key' || field === 'client_key') && code === 'REQUIRED') return t('keyForAddress');
    if ((field === 'url' || field === 'public_url') && code === 'INVALID') return t('urlInvalid');
    if (field === 'key' && code === 'NOT_ALLOWED') return t('keyRefused');
    if (field === 'key' && code === 'INVALID') return t('keyInvalid');
    if (field === 'client_key' && code === 'INVALID') return t('clientKeyInvalid');
    return general(code);
  };
}
