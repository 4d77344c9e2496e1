import { submitForm } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { id as uuid } from '#shared/schemas/primitives.ts';
import * as z from 'zod/mini';
import { done, settled } from './form-result.ts';
import type { StaffAnswer } from './staff-answer.ts';

const nothing = z.strictObject({});
const revokeInput = z.strictObject({ token: uuid });
const wayInput = z.strictObject({ way: uuid, last: z.boolean() });
/** Whether a way in may be the last one, for the address of the command. */
const toQuery = (last: boolean) => (last ? ({ last: 'true' } as const) : {});

/** Runs a form that takes a way in away; null for another one. In: its `_intent`. */
export async function waysAction(
  { adminUserDetails }: Api,
  request: Request,
  id: string,
  intent: FormDataEntryValue | null,
): Promise<StaffAnswer | null> {
  const params = { id };
  switch (intent) {
    case 'revokeToken':
      return {
        intent,
        result: settled(
          await submitForm(request, revokeInput, ({ token }) =>
            done(adminUserDetails.revokeToken({ params: { id, token } })),
          ),
        ),
      };
    case 'removePasskey':
      return {
        intent,
        result: settled(
          await submitForm(request, wayInput, ({ way, last }) =>
            done(adminUserDetails.removePasskey({ params: { id, passkey: way }, query: toQuery(last) })),
          ),
        ),
      };
    case 'unlink':
      return {
        intent,
        result: settled(
          await submitForm(request, wayInput, ({ way, last }) =>
            done(adminUserDetails.unlink({ params: { id, link: way }, query: toQuery(last) })),
          ),
        ),
      };
    case 'disableFactor':
      return {
        intent,
        result: settled(await submitForm(request, nothing, () => done(adminUserDetails.disableTwoFactor({ params })))),
      };
    default:
      return null;
  }
}
