import { submitForm } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/href.ts';
import { id as uuid } from '#shared/schemas/primitives.ts';
import { banChangeInput, noteInput, userRoleInput } from '#shared/schemas/staff-user.ts';
import { redirectDocument } from 'react-router';
import * as z from 'zod/mini';
import { done, settled } from './form-result.ts';
import { profileAction } from './profile-action.ts';
import type { StaffAnswer } from './staff-answer.ts';
import { waysAction } from './ways-action.ts';

const nothing = z.strictObject({});
const endInput = z.strictObject({ session: z.nullable(uuid) });
const deleteInput = z.strictObject({ note: uuid });

/** Runs the form of a tab beside the overview; null for a form of the overview. In: its `_intent`. */
export async function staffAction(
  api: Api,
  request: Request,
  id: string,
  intent: FormDataEntryValue | null,
): Promise<StaffAnswer | null> {
  const { adminAccounts, adminViewing } = api;
  const params = { id };
  switch (intent) {
    case 'ban':
      return {
        intent,
        result: settled(await submitForm(request, banChangeInput, (body) => done(adminAccounts.ban({ params, body })))),
      };
    case 'unban':
      return {
        intent,
        result: settled(await submitForm(request, nothing, () => done(adminAccounts.unban({ params })))),
      };
    case 'verify':
      return {
        intent,
        result: settled(await submitForm(request, nothing, () => done(adminAccounts.verify({ params })))),
      };
    case 'setRole':
      return {
        intent,
        result: settled(
          await submitForm(request, userRoleInput, (body) => done(adminAccounts.setRole({ params, body }))),
        ),
      };
    case 'endSessions':
      return {
        intent,
        result: settled(
          await submitForm(request, endInput, async (body) => {
            const { ended } = await adminAccounts.endSessions({ params, body });
            return { ended };
          }),
        ),
      };
    case 'addNote':
      return {
        intent,
        result: settled(
          await submitForm(request, noteInput, (body, key) =>
            done(adminAccounts.addNote({ params, body }, key ? { key } : {})),
          ),
        ),
      };
    case 'deleteNote':
      return {
        intent,
        result: settled(
          await submitForm(request, deleteInput, ({ note }) =>
            done(adminAccounts.deleteNote({ params: { id, note } })),
          ),
        ),
      };
    case 'viewAs':
      return {
        intent,
        result: settled(
          await submitForm(request, nothing, async () => {
            await adminViewing.start({ params });
            // Whole: everything on the page is somebody else's from here on.
            throw redirectDocument(href('dashboard'));
          }),
        ),
      };
    default:
      return (await waysAction(api, request, id, intent)) ?? profileAction(api, request, id, intent);
  }
}
