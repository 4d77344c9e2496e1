import { submitForm } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { profileInput } from '#shared/schemas/profile.ts';
import { limitsInput, staffEmailInput, usernameInput } from '#shared/schemas/staff-user.ts';
import { done, settled } from './form-result.ts';
import type { StaffAnswer } from './staff-answer.ts';

/** Runs a form of the profile; null for another one. In: its `_intent`. */
export async function profileAction(
  { adminUserDetails }: Api,
  request: Request,
  id: string,
  intent: FormDataEntryValue | null,
): Promise<StaffAnswer | null> {
  const params = { id };
  switch (intent) {
    case 'saveProfile':
      return {
        intent,
        result: settled(
          await submitForm(request, profileInput, (body) => done(adminUserDetails.updateProfile({ params, body }))),
        ),
      };
    case 'saveUsername':
      return {
        intent,
        result: settled(
          await submitForm(request, usernameInput, (body) => done(adminUserDetails.setUsername({ params, body }))),
        ),
      };
    case 'saveEmail':
      return {
        intent,
        result: settled(
          await submitForm(request, staffEmailInput, (body) => done(adminUserDetails.setEmail({ params, body }))),
        ),
      };
    case 'saveLimits':
      return {
        intent,
        result: settled(
          await submitForm(request, limitsInput, (body) => done(adminUserDetails.setLimits({ params, body }))),
        ),
      };
    default:
      return null;
  }
}
