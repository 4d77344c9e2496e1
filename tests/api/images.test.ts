import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';
import { openS3, s3Settings } from '#tests/support/s3.ts';
import { codeOf } from '#tests/support/coins.ts';

setDefaultTimeout(300_000);

const MINUTE_MS = 60_000;

describe.each(ENGINES)('images of users on %s', (engine) => {
  let h: Harness;
  let folder: string;
  let made = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spawnpoint-images-'));
    h = await openHarness({ engine, config: { dataDir: folder, imageUrl: 'https://img.example.com' } });
    await h.set({ image_hosting_enabled: true });
  });
  afterAll(async () => {
    await h.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const player = (credits = 10): Promise<Person> => h.person(`player${(made += 1)}`, { credits });
  const upload = (
    by: Person,
    more: { name?: string; upload?: string; body?: Uint8Array<ArrayBuffer>; price?: string } = {},
  ) => {
    const { body = pngOf(40, 30, made), ...query } = more;
    return by.api.images.upload({ query: { upload: crypto.randomUUID(), ...query }, body });
  };
  const library = (by: Person, query = {}) => by.api.images.list({ query });
  const files = (): string[] =>
    existsSync(join(folder, 'uploads'))
      ? readdirSync(join(folder, 'uploads'), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => name)
      : [];
  const pathOf = (url: string) => new URL(url).pathname;

  test('behaviour 5.5: an upload costs a credit, is re-encoded and is shown to everybody', async () => {
    const ann = await player();
    const { image, balance } = await upload(ann, { name: 'spawn tower.png' });
    expect([balance, await h.balance(ann.id), image.name, image.width, image.height]).toEqual([
      9,
      9,
      'spawn tower.png',
      40,
      30,
    ]);
    expect(image.url).toBe(`https://img.example.com/i/${image.id}.png`);
    expect(image.link).toBe(`https://panel.example.com/i/${image.id}`);
    const served = await h.http(pathOf(image.url));
    expect([served.status, served.headers.get('content-type'), served.headers.get('cache-control')]).toEqual([
      200,
      'image/png',
      'public, max-age=31536000, immutable',
    ]);
    for (const [header, value] of [
      ['x-content-type-options', 'nosniff'],
      ['content-security-policy', "default-src 'none'; sandbox"],
      ['cross-origin-resource-policy', 'cross-origin'],
      ['accept-ranges', 'bytes'],
      ['set-cookie', null],
    ] as const)
      expect([header, served.headers.get(header)]).toEqual([header, value]);
    expect((await new Bun.Image(await served.bytes()).metadata()).width).toBe(40);
    expect((await h.http(image.thumbnail)).headers.get('content-type')).toBe('image/webp');
    expect(await library(ann)).toMatchObject({ rows: [{ id: image.id }], older: null, price: 1, space: { images: 1 } });
  });

  test('a stored image is sent in ranges, and not at all to who has it', async () => {
    const { image } = await upload(await player());
    const path = pathOf(image.url);
    const whole = await (await h.http(path)).bytes();
    const part = async (range: string, more = {}) => {
      const answer = await h.http(path, { headers: { range, ...more } });
      return [answer.status, answer.headers.get('content-range'), (await answer.bytes()).length];
    };
    const { length } = whole;
    expect(await part('bytes=0-9')).toEqual([206, `bytes 0-9/${length}`, 10]);
    expect(await part('bytes=-4')).toEqual([206, `bytes ${length - 4}-${length - 1}/${length}`, 4]);
    expect(await part(`bytes=${length - 2}-`)).toEqual([206, `bytes ${length - 2}-${length - 1}/${length}`, 2]);
    expect(await part(`bytes=${length}-`)).toEqual([416, `bytes */${length}`, 0]);
    expect(await part('bytes=0-1,3-4')).toEqual([200, null, length]);
    expect(await part('bytes=0-9', { 'if-range': '"other"' })).toEqual([200, null, length]);
    const etag = (await h.http(path)).headers.get('etag') ?? '';
    expect((await h.http(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await h.http(path, { method: 'HEAD' });
    expect([head.status, (await head.bytes()).length]).toEqual([200, 0]);
  });

  test('T42 paths name an image or nothing, and another ending than its own shows nothing', async () => {
    const { image } = await upload(await player());
    for (const path of [
      `/i/${image.id}.jpg`,
      `/i/${image.id}.small.png`,
      `/i/${image.id}.svg`,
      `/i/${'A'.repeat(22)}.png`,
      `/i/..%2f..%2fapp.key`,
      `/i/${image.id}.png/..%2f..`,
    ])
      expect([path, (await h.http(path)).status]).toEqual([path, 404]);
  });

  test('T4 T9 the same upload sent many times at once is one image and is paid once', async () => {
    const ann = await player(5);
    const body = pngOf(50, 20, 77);
    const id = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(ann, { upload: id, body })));
    expect(new Set(answers.map(({ image }) => image.id)).size).toBe(1);
    expect([await h.balance(ann.id), (await library(ann)).space.images]).toEqual([4, 1]);
    expect(await codeOf(ann.api.images.upload({ query: { upload: crypto.randomUUID(), price: '2' }, body }))).toBe(
      'PRICE_CHANGED',
    );
  });

  test('T4 uploads at once never take more credits than there are', async () => {
    const ann = await player(3);
    const codes = await Promise.all(
      Array.from({ length: 8 }, (_, at) => codeOf(upload(ann, { body: pngOf(20 + at) }))),
    );
    expect([codes.filter((code) => code === null).length, await h.balance(ann.id)]).toEqual([3, 0]);
    expect(new Set(codes)).toEqual(new Set([null, 'INSUFFICIENT_CREDITS']));
    expect((await library(ann)).space.images).toBe(3);
  });

  test('T9 deleting within a minute pays back once, later not at all', async () => {
    const ann = await player(10);
    const [young, old] = [(await upload(ann)).image, (await upload(ann, { body: pngOf(31) })).image];
    const remove = (ids: string[], by = ann) => by.api.images.deleteMany({ body: { ids } });
    const counts = await Promise.all(Array.from({ length: 6 }, () => remove([young.id, young.id])));
    expect([counts.reduce((sum, { deleted }) => sum + deleted, 0), await h.balance(ann.id)]).toEqual([1, 9]);
    expect((await h.http(pathOf(young.url))).status).toBe(404);
    h.clock.advance(MINUTE_MS + 1);
    expect([(await remove([old.id])).deleted, await h.balance(ann.id)]).toEqual([1, 9]);
    expect((await library(ann)).space).toMatchObject({ images: 0, bytes: 0 });
  });

  test('T24 nobody deletes or lists what is another’s', async () => {
    const [ann, bob] = [await player(), await player()];
    const { image } = await upload(ann);
    expect((await bob.api.images.deleteMany({ body: { ids: [image.id] } })).deleted).toBe(0);
    expect((await library(bob)).rows).toEqual([]);
    expect((await h.http(pathOf(image.url))).status).toBe(200);
  });

  test('the same picture is stored once, and goes when nobody has had it for an hour', async () => {
    const [ann, bob] = [await player(), await player()];
    h.clock.advance(2 * 60 * MINUTE_MS);
    await h.drainJobs();
    const before = files().length;
    const body = pngOf(60, 61, 200);
    const [one, two] = [(await upload(ann, { body })).image, (await upload(bob, { body })).image];
    expect(files().length).toBe(before + 3);
    await ann.api.images.deleteMany({ body: { ids: [one.id] } });
    h.clock.advance(2 * 60 * MINUTE_MS);
    await h.drainJobs();
    expect([(await h.http(pathOf(one.url))).status, (await h.http(pathOf(two.url))).status]).toEqual([404, 200]);
    await bob.api.images.deleteMany({ body: { ids: [two.id] } });
    await h.drainJobs();
    expect(files().length).toBe(before + 3);
    h.clock.advance(2 * 60 * MINUTE_MS);
    await h.drainJobs();
    expect(files().length).toBe(before);
    const again = (await upload(bob, { body })).image;
    expect((await h.http(pathOf(again.url))).status).toBe(200);
  });

  test('T42 files that are no still picture are refused, and nothing is paid or kept', async () => {
    const ann = await player(5);
    const text = (content: string) => new TextEncoder().encode(content);
    const gif = (frames: number) =>
      new Uint8Array(
        Buffer.from(
          `47494638396101000100800000000000ffffff${'21f90400000000002c00000000010001000002024401 00'.replaceAll(' ', '').repeat(frames)}3b`,
          'hex',
        ),
      );
    const webp = new Uint8Array(30);
    webp.set(text('RIFF\0\0\0\0WEBPVP8X'));
    webp[20] = 2;
    const png = pngOf(30);
    const actl = new Uint8Array(
      Buffer.concat([
        png.subarray(0, 33),
        Buffer.from('0000000861635443000000020000000000000000', 'hex').map((b, i) =>
          i === 6 ? 0x54 : i === 7 ? 0x4c : b,
        ),
        png.subarray(33),
      ]),
    );
    const bomb = new Uint8Array(png);
    new DataView(bomb.buffer).setUint32(16, 30_000);
    new DataView(bomb.buffer).setUint32(20, 30_000);
    for (const [body, code] of [
      [text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), 'IMAGE_FORMAT'],
      [text('<!doctype html><script>alert(1)</script>'), 'IMAGE_FORMAT'],
      [new Uint8Array(), 'IMAGE_FORMAT'],
      [gif(2), 'IMAGE_MOVING'],
      [webp, 'IMAGE_MOVING'],
      [actl, 'IMAGE_MOVING'],
      [bomb, 'IMAGE_PIXELS'],
    ] as const)
      expect([code, await codeOf(upload(ann, { body }))]).toEqual([code, code]);
    expect([await h.balance(ann.id), (await library(ann)).space.images]).toEqual([5, 0]);
    expect((await upload(ann, { body: gif(1) })).image.url).toEndWith('.png');
  });

  test('T42 nothing but pixels is left: no place, no second file, and names cannot turn or leave their line', async () => {
    const ann = await player();
    const plain = new Uint8Array(await new Bun.Image(pngOf(60, 40)).jpeg({ quality: 90 }).bytes());
    const block = new TextEncoder().encode('Exif\0\0GPS 44.4268N Lantern Street');
    const head = Uint8Array.of(0xff, 0xe1, (block.length + 2) >> 8, (block.length + 2) & 255);
    const body = new Uint8Array(
      Buffer.concat([plain.subarray(0, 2), head, block, plain.subarray(2), Buffer.from('<script>alert(1)</script>')]),
    );
    const { image } = await upload(ann, { body, name: '..\\..\\folder/evil\u202Egnp.exe\r\n: x.jpg' });
    expect(image.name).toBe('evilgnp.exe x.jpg');
    const served = Buffer.from(await (await h.http(pathOf(image.url))).bytes());
    for (const trace of ['Lantern', 'Exif', 'script']) expect([trace, served.includes(trace)]).toEqual([trace, false]);
  });

  test('the space of a user is bounded, and search and orders find what is there', async () => {
    const ann = await player(30);
    for (const [at, name] of ['a.png', 'b.png', 'Tower 100%.png'].entries())
      await upload(ann, { name, body: pngOf(20 + at * 30) });
    const names = async (query: object) => (await library(ann, query)).rows.map(({ name }) => name);
    expect(await names({})).toHaveLength(3);
    expect(await names({ q: 'TOWER' })).toEqual(['Tower 100%.png']);
    expect(await names({ q: '100%' })).toEqual(['Tower 100%.png']);
    expect(await names({ q: '%' })).toEqual(['Tower 100%.png']);
    expect(await names({ q: 'x_' })).toEqual([]);
    expect((await names({ order: 'largest' }))[0]).toBe('Tower 100%.png');
    // After a while the view itself has them written down: who asks for it then waits for that.
    h.clock.advance(MINUTE_MS);
    await h.http((await library(ann, { q: 'b.png' })).rows[0]?.url.replace('https://img.example.com', '') ?? '');
    await h.host.services.images.serving.flush();
    expect((await names({ order: 'views' }))[0]).toBe('b.png');
    await h.db.sql('UPDATE image_usage SET bytes = ? WHERE user_id = ?', [500 * 1024 * 1024, ann.id]);
    expect(await codeOf(upload(ann))).toBe('IMAGE_QUOTA');
    expect(await h.balance(ann.id)).toBe(27);
  });

  test('T56 a user takes all of their images along as one archive, as they are stored', async () => {
    const ann = await player(5);
    const first = await upload(ann, { name: 'a.png' });
    h.clock.advance(1000);
    const sent = [first, await upload(ann, { name: 'ü/b.jpg', body: pngOf(25) })];
    const answer = await h.http('/api/images/archive', { headers: { Authorization: `Bearer ${ann.secret}` } });
    const bytes = await answer.bytes();
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    const archive = join(folder, 'images.zip');
    await Bun.write(archive, bytes);
    const unpacked = join(folder, 'unpacked');
    expect(Bun.spawnSync(['unzip', '-q', archive, '-d', unpacked]).exitCode).toBe(0);
    expect(readdirSync(unpacked).toSorted()).toEqual(['00001 a.png', '00002 b.jpg.png']);
    for (const [at, name] of ['00001 a.png', '00002 b.jpg.png'].entries())
      expect(await Bun.file(join(unpacked, name)).bytes()).toEqual(
        await (await h.http(pathOf(sent[at]?.image.url ?? ''))).bytes(),
      );
    rmSync(unpacked, { recursive: true });
  });

  test('T42 a library is read page by page, each image once', async () => {
    const ann = await player(60);
    for (let at = 0; at < 30; at += 1) await upload(ann, { body: pngOf(10 + at) });
    for (const order of ['newest', 'largest', 'views'] as const) {
      const first = await library(ann, { order });
      const second = await library(ann, { order, after: first.older ?? '' });
      expect([order, first.rows.length, second.rows.length, second.older]).toEqual([order, 24, 6, null]);
      expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(30);
    }
  });

  test('T42 images that were sent enough for a day rest until the next one', async () => {
    const ann = await player();
    await h.set({ image_daily_transfer_mb: 1 });
    const { image } = await upload(ann);
    await h.http(pathOf(image.url));
    await h.host.services.images.serving.flush();
    const day = await h.db.sql<{ bytes: number }>('SELECT bytes FROM image_traffic WHERE user_id = ?', [ann.id]);
    expect(Number(day[0]?.bytes)).toBeGreaterThan(50);
    h.clock.advance(24 * 60 * MINUTE_MS);
    await h.db.sql('UPDATE image_traffic SET day = ?, bytes = ? WHERE user_id = ?', [
      new Date(h.clock.now()).toISOString().slice(0, 10),
      1024 * 1024,
      ann.id,
    ]);
    const refused = await h.http(pathOf(image.url));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    h.clock.advance(24 * 60 * MINUTE_MS);
    expect((await h.http(pathOf(image.url))).status).toBe(200);
    await h.set({ image_daily_transfer_mb: 0 });
    expect((await h.http(pathOf(image.url))).status).toBe(200);
    await h.set({ image_daily_transfer_mb: 10_000 });
  });

  test('the origin of images shows images and nothing else', async () => {
    const { image } = await upload(await player());
    const at = (path: string) => h.http(path, { headers: { host: 'img.example.com', 'x-forwarded-proto': 'https' } });
    expect((await at(pathOf(image.url))).status).toBe(200);
    for (const path of ['/', '/api/system/settings', '/auth/login', `/i/${image.id}`])
      expect([path, (await at(path)).status]).toEqual([path, 404]);
  });

  test('once hosting is off nothing is uploaded, and what was is still shown, with its page', async () => {
    const ann = await player();
    const { image } = await upload(ann);
    await h.set({ image_hosting_enabled: false });
    expect(await codeOf(upload(ann))).toBe('FEATURE_DISABLED');
    for (const path of [pathOf(image.url), image.thumbnail])
      expect([path, (await h.http(path)).status]).toEqual([path, 200]);
    expect((await h.guest.images.get({ params: { id: image.id } })).username).toBe(ann.username);
    expect(await codeOf(ann.api.images.list({ query: {} }))).toBe('FEATURE_DISABLED');
    await h.set({ image_hosting_enabled: true });
  });
});

describe('images in a storage elsewhere', () => {
  test('T57 images go where the settings say and come from where they are, and a storage that fails costs nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-images-'));
    await using s3 = openS3();
    const h = await openHarness({ config: { dataDir: folder } });
    await h.set({ image_hosting_enabled: true });
    const ann = await h.person('ann', { credits: 10 });
    const upload = async (size: number) =>
      (await ann.api.images.upload({ query: { upload: crypto.randomUUID() }, body: pngOf(size) })).image;
    const read = async (url: string) => (await h.http(new URL(url).pathname)).status;
    const here = await upload(20);
    const values = Object.entries(s3Settings(s3)).map(([key, value]) => [key.replace('backup_', 'image_'), value]);
    await h.set(Object.fromEntries(values) as Parameters<Harness['set']>[0]);
    const there = await upload(21);
    expect([...s3.objects.keys()].map((name) => name.replace(/[0-9a-f]{40}-[0-9a-f]{8}/, 'KEY'))).toEqual([
      'lantern/images/KEY.full',
      'lantern/images/KEY.medium',
      'lantern/images/KEY.small',
    ]);
    expect([await read(here.url), await read(there.url)]).toEqual([200, 200]);
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const tested = () => owner.api.adminSettings.test({ params: { service: 'imageS3' } });
    expect(await tested()).toMatchObject({ outcome: 'ok', fact: expect.stringContaining('/backups') });
    expect(s3.objects.size).toBe(3);
    const health = async () => {
      await h.host.services.health.sample();
      const { rows } = await owner.api.adminHealth.get();
      return rows.find(({ key }) => key === 'imageStorage')?.code;
    };
    expect(await health()).toBe('ok');
    s3.faults.push(...Array.from({ length: 9 }, () => ({ when: () => true, fault: { status: 500 } as const })));
    expect(await codeOf(upload(22))).toBe('SERVER_UNAVAILABLE');
    s3.faults.length = 0;
    expect([await h.balance(ann.id), (await ann.api.images.list({})).space.images]).toEqual([8, 2]);
    expect(await codeOf(h.set({ image_s3_endpoint: 'https://elsewhere.example' }))).toBe('VALIDATION_FAILED');
    await ann.api.images.deleteMany({ body: { ids: [there.id] } });
    h.clock.advance(2 * 60 * MINUTE_MS);
    await h.drainJobs();
    expect([...s3.objects.keys()]).toEqual([]);
    await h.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

describe.each(ENGINES)('pictures of the host’s own on %s', (engine) => {
  test('staff add, find and delete them, everybody sees them, and nobody pays', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-images-'));
    const h = await openHarness({ engine, config: { dataDir: folder } });
    const staff = await h.person('staff', {
      permissions: ['admin.images.list', 'admin.images.create', 'admin.images.edit', 'admin.images.delete'],
    });
    const add = async (name: string, size: number) =>
      (await staff.api.adminImages.create({ query: { name }, body: pngOf(size) })).image;
    const names = async (query = {}) => (await staff.api.adminImages.list({ query })).rows.map(({ name }) => name);
    const banner = await add('Banner 100%.png', 400);
    h.clock.advance(1000);
    await add('map.png', 50);
    expect([await names(), await names({ q: 'banner' }), await names({ q: '%' })]).toEqual([
      ['map.png', 'Banner 100%.png'],
      ['Banner 100%.png'],
      ['Banner 100%.png'],
    ]);
    expect([banner.by, banner.forms.map(({ width }) => width)]).toEqual(['staff', [320, 400]]);
    for (const { url } of banner.forms) expect((await h.http(url)).headers.get('content-type')).toBe('image/webp');
    expect((await h.http(banner.url)).status).toBe(200);
    expect(await codeOf(staff.api.adminImages.create({ query: {}, body: new TextEncoder().encode('<svg/>') }))).toBe(
      'IMAGE_FORMAT',
    );
    h.clock.advance(2 * 60 * MINUTE_MS);
    await h.drainJobs();
    expect((await h.http(banner.url)).status).toBe(200);
    const rename = (name: string, id = banner.id) => staff.api.adminImages.rename({ params: { id }, body: { name } });
    expect((await rename('../Head\u202e line?.png')).image).toEqual({ ...banner, name: 'Head line .png' });
    await rename('Head line .png');
    expect([await names(), (await h.http(banner.url)).status]).toEqual([['map.png', 'Head line .png'], 200]);
    expect([await codeOf(rename('a', 'nothing')), await codeOf(rename(''))]).toEqual([
      'NOT_FOUND',
      'VALIDATION_FAILED',
    ]);
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'images.edit'")).toHaveLength(1);
    await staff.api.adminImages.delete({ params: { id: banner.id } });
    expect([(await h.http(banner.url)).status, await names()]).toEqual([404, ['map.png']]);
    expect(await codeOf(staff.api.adminImages.delete({ params: { id: banner.id } }))).toBe('NOT_FOUND');
    expect(await codeOf((await h.person('player')).api.adminImages.list({}))).toBe('FORBIDDEN');
    await h.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
