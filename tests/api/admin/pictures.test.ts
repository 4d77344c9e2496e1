import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import type { ApiError } from '#shared/contract/client.ts';
import { pictureUrl } from '#shared/picture-url.ts';
import { PICTURE_KINDS, type PictureKind, type SettingPicture } from '#shared/pictures.ts';
import { eggInput } from './inputs.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';

setDefaultTimeout(300_000);

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
          libraryHash: null,
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

  test('T42 a picture of the library is drawn for what shows it, and its delete page says where that is', async () => {
    const staff = await h.person('librarian', {
      permissions: [
        'admin.images.list',
        'admin.images.create',
        'admin.images.delete',
        'admin.settings.edit',
        'admin.announcements.create',
        'admin.announcements.edit',
        'admin.announcements.list',
        'admin.nests.create',
        'admin.nests.edit',
        'admin.nests.list',
        'admin.egg.create',
        'admin.egg.list',
        'admin.egg.edit',
      ],
    });
    const { image } = await staff.api.adminImages.create({ query: { name: 'tower.png' }, body: pngOf(400, 400, 7) });
    const draw = async (kind: PictureKind, by = staff) =>
      (await by.api.adminImages.draw({ params: { id: image.id, kind } })).id;
    const uses = async () => (await staff.api.adminImages.get({ params: { id: image.id } })).uses;
    expect(await uses()).toEqual([]);

    const icon = await draw('icon');
    await h.set({ icon_picture: icon, custom_css: `body { background: url(${image.url}) }` });
    const cover = await draw('announcement');
    const { id: announcementId } = await staff.api.adminAnnouncements.create({
      body: {
        texts: [{ locale: 'en', title: 'A tower', summary: '', body: `![Tower](${pictureUrl(cover, 'wide')})` }],
        tags: [],
        picture: '',
        audience: 'everyone',
        targets: [],
        pinned: false,
        urgent: false,
        notifies: false,
        publish_at: null,
        end_at: null,
      },
    });
    const drawn = await draw('egg');
    const group = { name: 'Java', description: '', enabled: true, position: 0 };
    expect(await fault(staff.api.adminEggCategories.create({ body: { ...group, picture: drawn } }))).toEqual([
      'VALIDATION_FAILED',
      { picture: ['UNAVAILABLE'] },
    ]);
    const { id: category } = await staff.api.adminEggCategories.create({ body: group });
    const egg = { ...eggInput(category, 1), picture: drawn };
    expect(await fault(staff.api.adminEggs.create({ body: { ...egg, picture: cover } }))).toEqual([
      'VALIDATION_FAILED',
      { picture: ['UNAVAILABLE'] },
    ]);
    const { id: eggId } = await staff.api.adminEggs.create({ body: egg });
    const beside = await draw('category');
    const edit = async (body: { name: string; picture?: string }) => {
      const { row } = await staff.api.adminEggCategories.get({ params: { id: category } });
      await staff.api.adminEggCategories.update({
        params: { id: category },
        body: { ...group, ...body, updated_at: row.updated_at },
      });
      return (await staff.api.adminEggCategories.get({ params: { id: category } })).row.picture;
    };
    expect(await edit({ name: 'Java', picture: beside })).toBe(beside);
    // A program that does not know of it changes the name alone.
    expect(await edit({ name: 'Java Edition' })).toBe(beside);
    const found = [
      { kind: 'setting', id: 'custom_css', name: null, by_address: true },
      { kind: 'setting', id: 'icon_picture', name: null, by_address: false },
      { kind: 'announcement', id: announcementId, name: 'A tower', by_address: false },
      { kind: 'egg', id: eggId, name: egg.name, by_address: false },
      { kind: 'category', id: category, name: 'Java Edition', by_address: false },
    ] as const;
    expect((await uses()).map(({ kind }) => kind)).toEqual(['setting', 'setting', 'announcement', 'egg', 'category']);
    expect(await uses()).toEqual(expect.arrayContaining([...found]));

    // What was drawn stays, and is not taken for spare: sixty-one days later, and after the deletion.
    await staff.api.adminImages.delete({ params: { id: image.id } });
    await age(61);
    await add('logo', pngOf(60));
    for (const [id, name] of [
      [icon, '64'],
      [cover, 'wide'],
      [cover, 'card'],
      [drawn, 'small'],
      [beside, 'small'],
    ] as const)
      expect([name, (await form(id, name)).status]).toEqual([name, 200]);
    expect((await h.http(image.url)).status).toBe(404);
    expect(await fault(draw('egg'))).toEqual(['NOT_FOUND', {}]);
    await h.set({ custom_css: '' });
  });

  test('T61 who draws of the library may see it, and change what would show it', async () => {
    const staff = await h.person('adder', { permissions: ['admin.images.list', 'admin.images.create'] });
    const { image } = await staff.api.adminImages.create({ query: { name: 'wide.png' }, body: pngOf(300, 100, 9) });
    const draw = (by: Person, kind: PictureKind) => fault(by.api.adminImages.draw({ params: { id: image.id, kind } }));
    for (const kind of PICTURE_KINDS) expect([kind, await draw(staff, kind)]).toEqual([kind, ['FORBIDDEN', {}]]);
    expect(await draw(admin, 'logo')).toEqual(['FORBIDDEN', {}]);
    const both = await h.person('both', { permissions: ['admin.images.list', 'admin.settings.edit'] });
    expect(await draw(both, 'icon')).toEqual(['VALIDATION_FAILED', { picture: ['PICTURE_SQUARE'] }]);
    expect(await draw(both, 'logo')).toBeNull();
    expect(await draw(both, 'egg')).toEqual(['FORBIDDEN', {}]);
  });

  test('a form that its kind got later is answered with the largest that an older picture has', async () => {
    const id = await add('hero', pngOf(900, 300));
    await h.db.sql("DELETE FROM picture_forms WHERE picture_id = ? AND name = 'narrow'", [id]);
    const served = await form(id, 'narrow');
    expect([served.status, (await new Bun.Image(await served.bytes()).metadata()).width]).toEqual([200, 900]);
    expect((await form(id, 'card')).status).toBe(404);
  });
});
