import { redirect } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import { submitPasskey } from '#client/lib/passkey-form.ts';
import { consumeTarget } from '#client/lib/redirect-target.ts';
import { SECOND_FACTOR_PATH } from '#shared/constants.ts';
import { loginInput } from '#shared/schemas/account.ts';
import type { PasskeyProof } from '#client/lib/passkey.ts';

/** Logs in, by password or by a passkey, and goes where the visitor wanted to go. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.clone().formData();
  if (form.get('_intent') === 'passkey') {
    return submitPasskey(form, async (body: PasskeyProof) => {
      await apiOf(args).passkeys.login({ body });
      return redirect(consumeTarget(args.request));
    });
  }
  return submitForm(args.request, loginInput, async (body) => {
    const { second_factor } = await apiOf(args).auth.login({ body });
    // The target stays stored until the second step.
    return redirect(second_factor ? SECOND_FACTOR_PATH : consumeTarget(args.request));
  });
}
