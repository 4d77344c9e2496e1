import { redirect } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import { href } from '#shared/routes/href.ts';
import { resetInput } from '#shared/schemas/account.ts';

/** Sets the new password and goes to the login, which says so. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, resetInput, async (body) => {
    await apiOf(args).auth.reset({ body });
    return redirect(`${href('auth.login')}?reset=done`);
  });
}
