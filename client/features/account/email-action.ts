import { submitForm, toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { emailChangeInput } from '#shared/schemas/account.ts';

export interface EmailAnswer {
  readonly intent: 'email' | 'cancelEmail';
  readonly result: FormResult<null>;
}

/** Asks for another address. */
export async function changeEmail(api: Api, request: Request): Promise<EmailAnswer | Response> {
  const result = await submitForm(request, emailChangeInput, async (body) => {
    await api.accountEmail.request({ body });
    return null;
  });
  return result instanceof Response ? result : { intent: 'email', result };
}

/** Ends a change that waits for its link. */
export async function cancelEmail(api: Api, form: FormData): Promise<EmailAnswer> {
  try {
    await api.accountEmail.cancel();
    return { intent: 'cancelEmail', result: { ok: true, result: null, at: '' } };
  } catch (error) {
    return { intent: 'cancelEmail', result: toFormFailure(error, form) };
  }
}
