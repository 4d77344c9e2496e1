import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import { renewAllInput } from '#shared/schemas/server.ts';

/** Renews everything that is due, at the price that was shown. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, renewAllInput, async (body, key) => {
    const { renewed, skipped } = await apiOf(args).servers.renewAll({ body }, key ? { key } : {});
    return { renewed, skipped };
  });
}
