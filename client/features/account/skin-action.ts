import { toFormFailure, type FormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import type { FieldCode } from '#shared/errors.ts';
import { SKIN_MAX_BYTES } from '#shared/skin.ts';

/** The outcome of a form about the skin. */
export type SkinResult = FormResult<'put' | 'removed'>;

const refused = (code: FieldCode): FormFailure => ({
  ok: false,
  code: 'VALIDATION_FAILED',
  fields: { skin: [code] },
  values: {},
  requestId: null,
  retryAfterS: null,
});

/** Uploads the chosen file as the caller's skin. Works for a form sent without scripts too. */
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

/** Removes the caller's skin. */
export async function removeSkin(api: Api, form: FormData): Promise<SkinResult> {
  try {
    await api.account.removeSkin();
    return { ok: true, result: 'removed', at: '' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}
