import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import type { ApiError } from '#shared/contract/client.ts';
import type { SettingPicture } from '#shared/pictures.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';

setDefaultTimeout(60_000);

const DAY_MS = 24 * 3600 * 1000;

describe.each(ENGINES)('pictures of the installation on %s', (engine) => {
  let h: Harness;
  let admin: Person;
  let player: Person;
  beforeAll(async () => {
    h = await openHarness({ engine });
    admin = await h.person('admin', { permissions: ['admin.settings.view', 'admin.settings.edit'] });
    player = await h.person('player');
  });
  afterAll(() => h.close());
  afterEach(() => h.set({ icon_picture: '', logo_picture: '' }));

  const add = async (kind: SettingPicture, body = pngOf(192), by = admin): Promise<string> =>
    (await by.api.adminPictures.add({ params: { kind }, body })).id;
  const fault = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: ApiError) => [error.code, error.fields],
    );
  const changed = async (key: string, value: string) => {
    const { rows } = await admin.api.adminSettings.list({});
    return [{ key, value, revision: rows.find((row) => row.key === key)?.revision ?? 0 }];
  };
  const save = async (key: string, value: string) =>
    admin.api.adminSettings.save({ body: { changes: await changed(key, value), confirmed: false } });
  const form = (id: string, name = '64') => h.http(`/api/system/pictures/${id}/${name}`);
  const age = (days: number) => h.db.sql('UPDATE pictures SET created_ms = created_ms - ?', [days * DAY_MS]);
  const count = async () => Number((await h.db.sql<{ n: number }>('SELECT COUNT(*) AS n FROM pictures'))[0]?.n);

  test('behaviour 8.4: an uploaded icon is shown once its setting names it, in the manifest as well', async () => {
    const id = await add('icon');
    expect((await h.guest.system.settings()).look.icon).toBeNull();
    expect(await save('icon_picture', id)).toMatchObject({ changed: 1 });
    expect((await h.guest.system.settings()).look.icon).toBe(id);
    const served = await form(id);
    expect([served.status, served.headers.get('content-type'), served.headers.get('cache-control')]).toEqual([
      200,
      'image/png',
      'public, max-age=31536000, immutable',
    ]);
    expect(served.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect((await new Bun.Image(await served.bytes()).metadata()).width).toBe(64);
    const manifest = await h.http('/api/system/manifest.webmanifest');
    expect(manifest.headers.get('content-type')).toBe('application/manifest+json; charset=utf-8');
    const { icons, start_url: start } = (await manifest.json()) as {
      icons: { src: string; sizes: string }[];
      start_url: string;
    };
    expect(start).toBe('/dashboard');
    expect(icons.map(({ sizes }) => sizes).toSorted()).toEqual(['192x192', '192x192', '64x64']);
    for (const { src } of icons) expect((await h.http(src)).status).toBe(200);
  });

  test('T42 T61 only who may change settings uploads, and only files that are pictures', async () => {
    expect(await fault(add('icon', pngOf(192), player))).toEqual(['FORBIDDEN', {}]);
    expect(await fault(add('icon', new Uint8Array()))).toEqual(['VALIDATION_FAILED', { picture: ['REQUIRED'] }]);
    const page = new TextEncoder().encode('<svg onload="alert(1)"/>');
    expect(await fault(add('hero', page))).toEqual(['VALIDATION_FAILED', { picture: ['PICTURE_FORMAT'] }]);
    expect(await fault(add('icon', pngOf(300, 200)))).toEqual(['VALIDATION_FAILED', { picture: ['PICTURE_SQUARE'] }]);
    for (const path of ['00/64', `${'0'.repeat(32)}/64`, `${'0'.repeat(32)}/..%2f64`, `${'Z'.repeat(32)}/64`])
      expect([path, (await h.http(`/api/system/pictures/${path}`)).status]).toEqual([path, 404]);
  });

  test('a setting names no picture that is not there, or one of another kind, from the command line neither', async () => {
    const logo = await add('logo');
    for (const id of [logo, '0'.repeat(32), 'x', '../../etc/passwd']) {
      expect([id, await fault(save('icon_picture', id))]).toEqual([
        id,
        ['VALIDATION_FAILED', { icon_picture: [id.length > 32 ? 'TOO_LONG' : 'INVALID'] }],
      ]);
      expect((await fault(h.host.services.settings.set(null, { icon_picture: id })))?.[0]).toBe('VALIDATION_FAILED');
    }
    expect(await save('logo_picture', logo)).toMatchObject({ changed: 1 });
  });

  test('the same file is one picture; those that nobody names go, those that are shown or may be restored stay', async () => {
    await h.db.sql('DELETE FROM pictures');
    const shown = await add('icon');
    expect(await add('icon')).toBe(shown);
    expect(await add('logo')).not.toBe(shown);
    await save('icon_picture', shown);
    await age(59);
    const later = await add('icon', pngOf(193));
    expect(await count()).toBe(3);
    await age(2);
    await add('icon', pngOf(194));
    // The logo is older than two months and shown nowhere.
    expect(await count()).toBe(3);
    expect([(await form(shown)).status, (await form(later)).status]).toEqual([200, 200]);
  });

  test('however many are uploaded, no more than forty are kept besides the new one and those that are shown', async () => {
    await h.db.sql('DELETE FROM pictures');
    const shown = await add('logo', pngOf(8, 8, 255));
    await save('logo_picture', shown);
    await h.db.uow.run(async (tx) => {
      for (let at = 0; at < 60; at += 1)
        await tx.pictures.add({
          id: String(at).padStart(32, '0'),
          kind: 'logo',
          createdMs: h.clock.now() + 1,
          forms: [{ name: 'whole', type: 'image/webp', width: 1, height: 1, bytes: Uint8Array.of(1) }],
        });
    });
    await add('logo', pngOf(8, 8, 1));
    expect(await count()).toBe(42);
    expect((await form(shown, 'whole')).status).toBe(200);
  });

  test('files of settings hold no pictures, and none is taken from one', async () => {
    await save('icon_picture', await add('icon'));
    const headers = { Cookie: `${SESSION_COOKIE}=${admin.secret}` };
    const file = await (await h.http('/api/admin/settings/export', { headers })).text();
    expect(file).not.toContain('icon_picture');
    expect(file).toContain('accent_dark');
  });
});
