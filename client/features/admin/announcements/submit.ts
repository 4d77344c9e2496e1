import { toFormFailure, type FormFailure, type FormResult } from '#client/lib/form-action.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { AnnouncementInput } from '#shared/schemas/announcement.ts';
import { readAnnouncement } from './read-form.ts';

/** Stores what a form says of an announcement. In: the form, and the command with the form's idempotency key. */
export async function submitAnnouncement<T>(
  form: FormData,
  store: (input: AnnouncementInput, key: { readonly key?: string }) => Promise<T>,
): Promise<FormResult<T> | (T & Response)> {
  const key = String(form.get('_key') ?? '');
  try {
    const input = readAnnouncement(form);
    if ('fields' in input) throw new ApiError('VALIDATION_FAILED', 422, { fields: input.fields });
    const result = await store(input, key === '' ? {} : { key });
    return result instanceof Response ? result : { ok: true, result, at: key };
  } catch (error) {
    return toFormFailure(error, form) satisfies FormFailure;
  }
}
