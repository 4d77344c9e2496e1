import { toFormFailure, type FormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import type { FieldCode } from '#shared/errors.ts';
import { SKIN_MAX_BYTES } from '#shared/skin.ts';

/** What a form about the skin did. */
export type SkinResult = FormResult<'put' | 'removed'>;

const refused = (code: FieldCode): FormFailure => ({
  ok: false,
  code: 'VALIDATION_FAILED',
  fields: { skin: [code] },
  values: {},
  requestId: null,
  retryAfterS: null,
});

/** Sends the chosen file on as the caller's skin. Works for a form that was sent without scripts as well. */
export async function uploadSkin(api: Api, form: FormData): Promise<SkinResult> {
  const file = form.get('skin');
  if (!(file instanceof Blob) || file.size === 0) return refused('REQUIRED');
  if (file.size > SKIN_MAX_BYTES) return refused('SKIN_TOO_LARGE');
  try {
    await api.account.putSkin({ body: new Uint8Array(await file.arrayBuffer()) });
    return { ok: true, result: 'put', at: '' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** Takes the caller's skin away. */
export async function removeSkin(api: Api, form: FormData): Promise<SkinResult> {
  try {
    await api.account.removeSkin();
    return { ok: true, result: 'removed', at: '' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}
