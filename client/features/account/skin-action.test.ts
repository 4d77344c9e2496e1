import { expect, test } from 'bun:test';
import { createApi, type Api } from '#shared/contract/index.ts';
import { SKIN_MAX_BYTES } from '#shared/skin.ts';
import { png } from '#tests/support/png.ts';
import { uploadSkin, removeSkin } from './skin-action.ts';

interface Sent {
  readonly path: string;
  readonly method: string | undefined;
  readonly type: string | null;
  readonly body: BodyInit | null | undefined;
}

/** An API that answers everything alike and remembers what it was sent. */
function fakeApi(
  answer: object = { success: true, error_code: null, skin: '/api/users/x/skin.png' },
  status = 200,
): { api: Api; sent: Sent[] } {
  const sent: Sent[] = [];
  const api = createApi(
    async (path, { method, headers, body }) => {
      sent.push({ path, method, type: new Headers(headers).get('content-type'), body });
      return Response.json(answer, { status });
    },
    () => 'key',
  );
  return { api, sent };
}
function form(file: Blob | string | null): FormData {
  const data = new FormData();
  if (file !== null) data.set('skin', file);
  return data;
}

test('the file is sent as it is, with its type', async () => {
  const { api, sent } = fakeApi();
  const file = png();
  expect(await uploadSkin(api, form(new Blob([file], { type: 'text/html' })))).toEqual({
    ok: true,
    result: 'put',
    at: '',
  });
  expect(sent).toEqual([{ path: '/api/account/skin', method: 'PUT', type: 'image/png', body: file }]);
});

test.each([
  ['no file', null, 'REQUIRED'],
  ['a text in its place', 'x', 'REQUIRED'],
  ['an empty file, as browsers send where none was chosen', new Blob([]), 'REQUIRED'],
  ['one byte too many', new Blob([new Uint8Array(SKIN_MAX_BYTES + 1)]), 'SKIN_TOO_LARGE'],
])('%s is named at the field and not sent', async (_, file, code) => {
  const { api, sent } = fakeApi();
  expect(await uploadSkin(api, form(file))).toMatchObject({
    ok: false,
    code: 'VALIDATION_FAILED',
    fields: { skin: [code] },
  });
  expect(sent).toEqual([]);
});

test('what the server finds wrong comes back with the form', async () => {
  const { api } = fakeApi({ success: false, error_code: 'VALIDATION_FAILED', fields: { skin: ['SKIN_SIZE'] } }, 422);
  expect(await uploadSkin(api, form(new Blob([png()])))).toMatchObject({ ok: false, fields: { skin: ['SKIN_SIZE'] } });
});

test('the skin is taken away, and a refusal is shown', async () => {
  const { api, sent } = fakeApi();
  expect(await removeSkin(api, form(null))).toEqual({ ok: true, result: 'removed', at: '' });
  expect(sent).toMatchObject([{ path: '/api/account/skin', method: 'DELETE' }]);
  expect(await removeSkin(fakeApi({ success: false, error_code: 'RATE_LIMITED' }, 429).api, form(null))).toMatchObject({
    ok: false,
    code: 'RATE_LIMITED',
  });
});
