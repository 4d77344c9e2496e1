import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decode } from 'fast-png';
import { DEFAULT_PRIVACY } from '#shared/profile.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { SKIN_MAX_BYTES } from '#shared/skin.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { chunk, png } from '#tests/support/png.ts';

let harness: Harness;
let mirela: Person;
let tobi: Person;
beforeAll(async () => {
  harness = await openHarness();
  mirela = await harness.person('mirela');
  tobi = await harness.person('tobi');
});
afterAll(() => harness.close());

interface Sent {
  readonly status: number;
  readonly code: unknown;
  readonly fields: unknown;
}
async function put(
  person: Person,
  body: BodyInit,
  headers: Record<string, string> = { 'Content-Type': 'image/png' },
): Promise<Sent> {
  const response = await harness.http('/api/account/skin', {
    method: 'PUT',
    headers: { Cookie: `${SESSION_COOKIE}=${person.secret}`, Origin: 'http://127.0.0.1', ...headers },
    body,
  });
  const json = (await response.json()) as { error_code: unknown; fields?: unknown };
  return { status: response.status, code: json.error_code, fields: json.fields };
}
const get = (person: Person, path: string, headers: Record<string, string> = {}) =>
  harness.http(path, { headers: { Cookie: `${SESSION_COOKIE}=${person.secret}`, ...headers } });
const audits = (action: string) =>
  harness.db.sql<{ actor_id: string; after: string | null }>(
    'SELECT actor_id, after FROM audit WHERE action = ? ORDER BY id',
    [action],
  );

describe('the own skin', () => {
  test('the skin is put, seen by its owner and whoever may see it on the profile, kept by ETag, replaced and taken away', async () => {
    expect((await mirela.api.account.get()).skin).toBeNull();
    const { skin } = await mirela.api.account.putSkin({ body: png() });
    expect((await mirela.api.account.get()).skin).toBe(skin);
    expect(skin).toStartWith(`/api/users/${mirela.id}/skin.png?v=`);

    const shown = await get(mirela, skin);
    expect(shown.status).toBe(200);
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    expect(shown.headers.get('cache-control')).toBe('private, no-cache');
    expect(decode(await shown.arrayBuffer()).width).toBe(64);
    const etag = shown.headers.get('etag') ?? '';
    expect((await get(mirela, skin, { 'If-None-Match': etag })).status).toBe(304);
    expect((await get(mirela, skin, { 'If-None-Match': `"other", W/${etag}` })).status).toBe(304);

    expect((await get(tobi, skin)).status).toBe(200);
    const { fields, ...shows } = DEFAULT_PRIVACY;
    await mirela.api.profiles.setPrivacy({ body: { ...shows, fields: fields.filter((field) => field !== 'skin') } });
    expect((await get(tobi, skin, { 'If-None-Match': etag })).status).toBe(404);
    expect((await get(mirela, skin)).status).toBe(200);
    expect((await harness.http(skin)).status).toBe(401);
    expect((await get(mirela, `/api/users/${tobi.id}/skin.png`)).status).toBe(404);

    const other = await mirela.api.account.putSkin({ body: png({ height: 32 }) });
    expect(other.skin).not.toBe(skin);
    expect((await get(mirela, skin, { 'If-None-Match': etag })).status).toBe(200);

    await mirela.api.account.removeSkin();
    expect((await mirela.api.account.get()).skin).toBeNull();
    expect((await get(mirela, skin)).status).toBe(404);
  });

  test('the same picture again, or none to take away, changes nothing and stands once in the audit log', async () => {
    await tobi.api.account.putSkin({ body: png() });
    await tobi.api.account.putSkin({
      body: png({ before: [chunk('tEXt', Buffer.from('Comment\0other bytes, same pixels'))] }),
    });
    const put = (await audits('account.skin')).filter((row) => row.actor_id === tobi.id);
    expect(put).toHaveLength(1);
    expect(put[0]?.after).toContain('sha256');
    await tobi.api.account.removeSkin();
    await tobi.api.account.removeSkin();
    expect((await audits('account.skinRemoved')).filter((row) => row.actor_id === tobi.id)).toHaveLength(1);
  });
});

describe('T42 what is no skin', () => {
  let person: Person;
  beforeAll(async () => {
    person = await harness.person('uploader');
  });
  const refused = (code: string) => ({ status: 422, code: 'VALIDATION_FAILED', fields: { skin: [code] } });

  test.each([
    ['nothing', new Uint8Array(), 'REQUIRED'],
    ['a page', new TextEncoder().encode('<!doctype html><script>alert(1)</script>'), 'SKIN_FORMAT'],
    ['half a picture', png().slice(0, 80), 'SKIN_FORMAT'],
    ['a picture of another size', png({ width: 128, height: 128 }), 'SKIN_SIZE'],
  ])('%s is refused at its field', async (_, file, code) => expect(await put(person, file)).toEqual(refused(code)));

  test.each([
    ['a form', { 'Content-Type': 'multipart/form-data; boundary=x' }],
    ['JSON', { 'Content-Type': 'application/json' }],
    ['another picture', { 'Content-Type': 'image/svg+xml' }],
    ['packed bytes', { 'Content-Type': 'image/png', 'Content-Encoding': 'gzip' }],
  ])('a picture sent as %s is refused by its type', async (_, headers) =>
    expect(await put(person, png(), headers)).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' }),
  );

  test('T52 too many bytes are refused, announced or not', async () => {
    const large = new Uint8Array(SKIN_MAX_BYTES + 1);
    expect(await put(person, large)).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    const stream = () => new ReadableStream<Uint8Array>({ start: (line) => (line.enqueue(large), line.close()) });
    expect(await put(person, stream())).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(await put(person, png(), { 'Content-Type': 'image/png', 'Content-Length': '9999999' })).toMatchObject({
      status: 413,
    });
  });

  test('T52 uploads are counted, and after 20 in ten minutes comes a pause', async () => {
    const hasty = await harness.person('hasty');
    const codes: unknown[] = [];
    for (let round = 0; round < 21; round += 1) codes.push((await put(hasty, png())).code);
    expect(codes.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => null));
    expect(codes[20]).toBe('RATE_LIMITED');
  });
});
