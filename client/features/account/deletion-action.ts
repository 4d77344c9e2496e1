import { submitForm, toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { ownPasswordInput } from '#shared/schemas/account.ts';

export interface DeletionAnswer {
  readonly intent: 'deleteAccount' | 'keepAccount';
  readonly result: FormResult<null>;
}

/** Asks for the deletion of the account. */
export async function deleteAccount(api: Api, request: Request): Promise<DeletionAnswer | Response> {
  const result = await submitForm(request, ownPasswordInput, async (body) => {
    await api.accountDeletion.request({ body });
    return null;
  });
  return result instanceof Response ? result : { intent: 'deleteAccount', result };
}

/** Keeps the account after all. */
export async function keepAccount(api: Api, form: FormData): Promise<DeletionAnswer> {
  try {
    await api.accountDeletion.cancel();
    return { intent: 'keepAccount', result: { ok: true, result: null, at: '' } };
  } catch (error) {
    return { intent: 'keepAccount', result: toFormFailure(error, form) };
  }
}
