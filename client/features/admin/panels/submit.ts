import type { ActionFunctionArgs } from 'react-router';
import { submitForm, type FormFailure, type FormResult } from '#client/lib/form-action.ts';
import type * as z from 'zod/mini';

/** Removes the keys from a result's values: they never return to the page. */
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
