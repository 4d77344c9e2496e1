import { submitForm, toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { MadePasskey, PasskeyProof } from '#client/lib/passkey.ts';
import { submitPasskey } from '#client/lib/passkey-form.ts';
import type { Api } from '#shared/contract/index.ts';
import { confirmInput, passkeyNameInput } from '#shared/schemas/passkey.ts';

/** What was sent of the passkeys' card, and what came of it. */
export interface PasskeysAnswer {
  readonly intent: 'passkeys';
  readonly what: 'confirm' | 'add' | 'rename' | 'remove';
  readonly result: FormResult<null>;
}

/** Confirms who sits there, or adds, renames or removes a passkey; by `_intent`. */
export async function changePasskeys(api: Api, request: Request, form: FormData): Promise<PasskeysAnswer | Response> {
  const params = { id: String(form.get('id')) };
  const answer = (what: PasskeysAnswer['what'], result: FormResult<null> | Response) =>
    result instanceof Response ? result : ({ intent: 'passkeys', what, result } as const);
  switch (form.get('_intent')) {
    case 'confirmPasskey':
      return answer(
        'confirm',
        await submitPasskey(form, async (body: PasskeyProof) => (await api.passkeys.confirmByPasskey({ body }), null)),
      );
    case 'addPasskey':
      return answer(
        'add',
        await submitPasskey(
          form,
          async (body: MadePasskey & { name: string }) => (await api.passkeys.add({ body }), null),
        ),
      );
    case 'renamePasskey':
      return answer(
        'rename',
        await submitForm(
          request,
          passkeyNameInput,
          async (body) => (await api.passkeys.rename({ params, body }), null),
        ),
      );
    case 'removePasskey':
      try {
        await api.passkeys.remove({ params });
        return answer('remove', { ok: true, result: null, at: '' });
      } catch (error) {
        return answer('remove', toFormFailure(error, form));
      }
    default:
      return answer(
        'confirm',
        await submitForm(request, confirmInput, async (body) => (await api.passkeys.confirm({ body }), null)),
      );
  }
}
