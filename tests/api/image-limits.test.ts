import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiError } from '#shared/contract/client.ts';
import { IMAGE_REFUND_MS, IMAGE_UPLOADS_MAX, IMAGES_MAX } from '#shared/images.ts';
import { MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';

// Shows behaviour 5.5 at its bounds: what an upload costs and gives back, and where it is refused.

setDefaultTimeout(300_000);

const MB = 1024 * 1024;
const fault = (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error: ApiError) => error.code,
  );

describe.each(ENGINES)('the bounds of uploads on %s', (engine) => {
  let h: Harness;
  let folder: string;
  let made = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spawnpoint-image-limits-'));
    h = await openHarness({ engine, config: { dataDir: folder } });
    await h.set({ image_hosting_enabled: true });
  });
  afterAll(async () => {
    await h.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const player = (credits: number): Promise<Person> => h.person(`player${(made += 1)}`, { credits });
  const upload = (by: Person, { id = crypto.randomUUID() as string, body = pngOf(40, 30, made) } = {}) =>
    by.api.images.upload({ query: { upload: id }, body });
  const remove = (by: Person, id: string) => by.api.images.deleteMany({ body: { ids: [id] } });
  const setUsage = (of: Person, usage: { images: number; bytes: number }) =>
    h.db.sql('UPDATE image_usage SET images = ?, bytes = ? WHERE user_id = ?', [usage.images, usage.bytes, of.id]);

  test('T4 an upload that is sent again after the last credit went for it is the same image, also at once', async () => {
    const ann = await player(1);
    const id = crypto.randomUUID();
    const first = await Promise.all(Array.from({ length: 8 }, () => upload(ann, { id })));
    const again = await upload(ann, { id });
    expect(new Set([...first, again].map(({ image }) => image.id)).size).toBe(1);
    expect([again.balance, again.image.views, await h.balance(ann.id)]).toEqual([0, 0, 0]);
  });

  test('where an upload costs nothing, nothing is moved, and nothing is paid back', async () => {
    const ann = await player(0);
    await h.set({ image_price: 0 });
    const { image } = await upload(ann);
    expect((await remove(ann, image.id)).deleted).toBe(1);
    expect([
      await h.balance(ann.id),
      await h.db.sql('SELECT kind FROM ledger_transactions WHERE actor = ?', [ann.id]),
    ]).toEqual([0, []]);
    await h.set({ image_price: 1 });
  });

  test('T9 an image is paid back up to the last millisecond of the minute, and not one later', async () => {
    const ann = await player(10);
    const [inTime, late] = [(await upload(ann)).image, (await upload(ann, { body: pngOf(31) })).image];
    h.clock.advance(IMAGE_REFUND_MS);
    await remove(ann, inTime.id);
    expect(await h.balance(ann.id)).toBe(9);
    h.clock.advance(1);
    await remove(ann, late.id);
    expect(await h.balance(ann.id)).toBe(9);
  });

  test('T9 an address that deletes pays back once, however often it is opened at the same moment', async () => {
    const ann = await player(3);
    const { key } = await ann.api.images.createKey();
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'image/png' };
    const sent = await h.http('/api/images/upload', { method: 'POST', headers, body: pngOf(23, 45) });
    const { id, delete_url: address } = (await sent.json()) as { id: string; delete_url: string };
    const token = new URL(address).searchParams.get('token') ?? '';
    const opened = await Promise.all(
      Array.from({ length: 6 }, () => fault(h.guest.images.deleteByToken({ params: { id }, body: { token } }))),
    );
    expect(opened.toSorted()).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', null]);
    expect(await h.balance(ann.id)).toBe(3);
  });

  test('T52 a user uploads so many images in ten minutes, and the refusal says how long to wait', async () => {
    const ann = await player(10);
    const { image } = await upload(ann);
    const uploadedMs = h.clock.now();
    const copies = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          h.db.sql(
            `INSERT INTO images (id, user_id, upload_id, hash, name, name_key, bytes, price, views, hidden_ms, created_ms)
             SELECT ?, user_id, ?, hash, name, name_key, bytes, 0, 0, NULL, created_ms FROM images WHERE id = ?`,
            [`copy-${made}-${from + at}`.padEnd(22, '_'), `copy-${from + at}`, image.id],
          ),
        ),
      );
    await copies(0, IMAGE_UPLOADS_MAX - 2);
    expect(await fault(upload(ann))).toBeNull();
    const refused = await upload(ann).catch((error: ApiError) => error);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', retryAfterS: 600 });
    h.clock.advance(10 * MINUTE - (h.clock.now() - uploadedMs) - 1);
    expect(await fault(upload(ann))).toBe('RATE_LIMITED');
    h.clock.advance(1);
    expect([await fault(upload(ann)), await h.balance(ann.id)]).toEqual([null, 7]);
  });

  test('T52 the last image and the last byte of a user fit, and the next are refused before anything is paid', async () => {
    const ann = await player(10);
    await upload(ann);
    const bytes = Number(
      (await h.db.sql<{ bytes: number }>('SELECT bytes FROM image_usage WHERE user_id = ?', [ann.id]))[0]?.bytes,
    );
    await setUsage(ann, { images: IMAGES_MAX - 1, bytes });
    expect(await fault(upload(ann))).toBeNull();
    expect(await fault(upload(ann))).toBe('IMAGE_QUOTA');
    await setUsage(ann, { images: 1, bytes: 500 * MB - bytes });
    expect(await fault(upload(ann))).toBeNull();
    expect(await fault(upload(ann))).toBe('IMAGE_QUOTA');
    await setUsage(ann, { images: 1, bytes: 500 * MB - bytes + 1 });
    expect([await fault(upload(ann)), await h.balance(ann.id)]).toEqual(['IMAGE_QUOTA', 7]);
  });

  test('a picture that nobody has any more stays for an hour, and whoever uploads it meanwhile keeps it', async () => {
    const ann = await player(10);
    const body = pngOf(61, 17, 99);
    const { image } = await upload(ann, { body });
    const [stored] = await h.db.sql<{ key: string }>(
      'SELECT o.key FROM image_objects o JOIN images i ON i.hash = o.hash WHERE i.id = ?',
      [image.id],
    );
    await remove(ann, image.id);
    const kept = () => h.db.sql('SELECT key FROM image_objects WHERE key = ?', [stored?.key ?? '']);
    h.clock.advance(59 * MINUTE);
    await h.drainJobs();
    expect(await kept()).toHaveLength(1);
    const again = (await upload(ann, { body })).image;
    h.clock.advance(30 * MINUTE);
    await h.drainJobs();
    expect((await h.http(new URL(again.url).pathname)).status).toBe(200);
  });
});
