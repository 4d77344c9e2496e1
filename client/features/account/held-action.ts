import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { appealInput } from '#shared/schemas/abuse.ts';
import { fieldErrors } from '#shared/validation.ts';
import type { Api } from '#shared/contract/index.ts';

/** The outcome of a note, and its reward. */
export interface AppealAnswer {
  readonly intent: 'appeal';
  readonly id: string;
  readonly result: FormResult<null>;
}

/** Sends the note on a held reward. In: the form with `id` and `note`. */
export async function sendAppeal(api: Api, form: FormData): Promise<AppealAnswer> {
  const id = String(form.get('id'));
  const note = String(form.get('note') ?? '');
  const parsed = appealInput.safeParse({ note }, { reportInput: true });
  if (!parsed.success) {
    return {
      intent: 'appeal',
      id,
      result: {
        ok: false,
        code: 'VALIDATION_FAILED',
        fields: fieldErrors(parsed.error),
        values: { note },
        requestId: null,
        retryAfterS: null,
      },
    };
  }
  try {
    await api.heldRewards.appeal({ params: { id }, body: parsed.data });
    return { intent: 'appeal', id, result: { ok: true, result: null, at: id } };
  } catch (error) {
    return { intent: 'appeal', id, result: toFormFailure(error, form) };
  }
}
