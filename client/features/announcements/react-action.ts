import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import { reactionInput } from '#shared/schemas/announcement.ts';

/** Says something to it with a click, or takes that back. */
export async function action(args: ActionFunctionArgs) {
  const params = { id: args.params.id ?? '' };
  return submitForm(args.request, reactionInput, (body) => apiOf(args).announcements.react({ params, body }));
}
