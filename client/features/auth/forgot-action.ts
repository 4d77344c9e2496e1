import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import { forgotInput } from '#shared/schemas/account.ts';

/** Requests an e-mail with a reset link; returns what was typed. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, forgotInput, async (body) => {
    await apiOf(args).auth.forgot({ body });
    return { login: body.login };
  });
}
