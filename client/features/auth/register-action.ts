import { redirect } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import { consumeTarget } from '#client/lib/redirect-target.ts';
import { href } from '#shared/routes/staff-href.ts';
import { registerInput } from '#shared/schemas/account.ts';

/**
 * Creates the account; goes to the page that was requested, or the dashboard, if that opened a session (the first owner
 * to the set-up guide), else the page says where the e-mail was sent.
 */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, registerInput, async (body) => {
    const { signed_in, referral } = await apiOf(args).auth.register({ body });
    return signed_in
      ? redirect(body.setup ? href('admin.setup') : consumeTarget(args.request))
      : { email: body.email, referral };
  });
}
