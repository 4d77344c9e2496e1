import { redirect } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import { consumeTarget } from '#client/lib/redirect-target.ts';
import { SECOND_FACTOR_PATH } from '#shared/constants.ts';
import { loginInput } from '#shared/schemas/account.ts';

/** Logs in and goes where the visitor wanted to go. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, loginInput, async (body) => {
    const { second_factor } = await apiOf(args).auth.login({ body });
    // The target stays stored until the second step.
    return redirect(second_factor ? SECOND_FACTOR_PATH : consumeTarget(args.request));
  });
}
