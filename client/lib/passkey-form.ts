import { toFormFailure, type FormResult } from './form-action.ts';
import { PASSKEY_FIELD } from './passkey-field.ts';

/**
 * The body of an action that gets what an authenticator gave (`passkey-button.tsx`). `submit` gets it as it was sent:
 * the API is who looks at it. Responses given back by it pass through.
 */
export async function submitPasskey<B, T>(
  form: FormData,
  submit: (body: B) => Promise<T>,
): Promise<FormResult<T> | (T & Response)> {
  try {
    const result = await submit(JSON.parse(String(form.get(PASSKEY_FIELD))) as B);
    return result instanceof Response ? result : { ok: true, result, at: '' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}
