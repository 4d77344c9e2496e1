import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupPath, newBackupId, prepareFolder, writeFacts } from '#server/backups/folder.ts';
import { newBackupState, type BackupWorker, type Outcome } from '#server/modules/backups/index.ts';
import type { BackupKind } from '#shared/backups.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { dataFolder, TEST_FIGURES } from '#tests/support/backups.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openS3, S3_BUCKET, s3Settings, type S3StandIn } from '#tests/support/s3.ts';

setDefaultTimeout(300_000);

/** Copies of backups in a storage elsewhere (behaviour 8.6); the worker sends and fetches by the real client. */
let folder: ReturnType<typeof dataFolder>;
let h: Harness;
let owner: Person;
let s3: S3StandIn;
let asked: string[];
/** What sending comes to, where it does not happen. */
let refusal: Outcome<never> | null;

const backups = () => join(folder.path, 'backups');
const proven = { figures: TEST_FIGURES, verified: { at_ms: 1, fault: null } };
function put(kind: BackupKind, atMs = h.clock.now()): string {
  prepareFolder(backups(), atMs);
  const id = newBackupId(kind, atMs);
  writeFileSync(backupPath(backups(), id), `sealed ${id}`);
  writeFacts(backups(), id, { ...proven, verified: null });
  return id;
}
const done: Outcome<never> = { done: {} as never };
const copied = async (way: 'send' | 'fetch', id: string): Promise<Outcome<never>> => {
  asked.push(`${way} ${id}`);
  if (refusal) return refusal;
  await h.host.services.backupCopies[way](id, { nowMs: h.clock.now() });
  return done;
};
const worker: BackupWorker = {
  create: (kind) => Promise.resolve({ done: { id: put(kind), bytes: 1 } }),
  verify(id) {
    asked.push(`verify ${id}`);
    writeFacts(backups(), id, proven);
    return Promise.resolve(done);
  },
  send: (id) => copied('send', id),
  retrieve: (id) => copied('fetch', id),
  stage(id) {
    asked.push(`stage ${id}`);
    return Promise.resolve({ fault: 'ledger', message: 'enough' } as const);
  },
  replace: () => Promise.resolve(done),
  count: () => Promise.resolve({ done: TEST_FIGURES }),
  stop: () => undefined,
};

beforeEach(async () => {
  folder = dataFolder();
  s3 = openS3();
  [asked, refusal] = [[], null];
  h = await openHarness({ config: { dataDir: folder.path }, backups: { worker, state: newBackupState() } });
  owner = await h.person('olga', { permissions: ['admin.root'] });
  await h.set(s3Settings(s3));
});
afterEach(async () => {
  await h.close();
  await s3[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const api = () => owner.api.adminBackups;
/** The page once the storage has been asked and nothing is being done. */
async function page() {
  for (;;) {
    const found = await api().list({});
    if (!found.running && !found.remote?.asking && found.remote?.asked_at !== null) return found;
    await Bun.sleep(2);
  }
}
const refusedWith = async (call: Promise<unknown>) => (await call.catch((error: { code?: string }) => error)) as object;
const remoteIds = () => [...s3.objects.keys()].map((key) => key.slice('lantern/'.length, -'.age'.length)).toSorted();

test('a backup is copied to the storage, is shown there once it is gone here, and is brought back', async () => {
  const id = put('manual');
  await api().send({ params: { id } });
  expect(await page()).toMatchObject({
    remote: { place: `${s3.url}/${S3_BUCKET}/lantern/`, fault: null },
    last: { task: 'send', fault: null },
    backups: [{ id, here: true, remote: true, users: 3 }],
  });
  await api().remove({ params: { id } });
  expect((await page()).backups).toMatchObject([{ id, here: false, remote: true, users: null, day: '2026-03-10' }]);
  expect(await refusedWith(api().prepare({ params: { id } }))).toMatchObject({ code: 'NOT_FOUND' });
  await api().fetch({ params: { id } });
  expect((await page()).backups).toMatchObject([{ id, here: true, remote: true }]);
});

test('verifying and restoring a backup that lies in the storage alone bring it here first', async () => {
  const id = put('manual');
  await h.host.services.backupCopies.send(id, { nowMs: 0 });
  for (const [call, then] of [
    [() => api().verify({ params: { id }, body: {} }), `verify ${id}`],
    [() => api().restore({ params: { id }, body: { day: '2026-03-10' } }), `stage ${id}`],
  ] as const) {
    rmSync(backupPath(backups(), id));
    await page();
    asked = [];
    await call();
    await page();
    expect(asked).toEqual([`fetch ${id}`, then]);
  }
  rmSync(backupPath(backups(), id));
  refusal = { fault: 'remote_failed', message: 'silent' };
  await api().restore({ params: { id }, body: { day: '2026-03-10' } });
  expect((await page()).last).toMatchObject({ task: 'restore', fault: 'remote_failed' });
});

test('deleting in the storage needs a proof of a moment ago and leaves what is here', async () => {
  const id = put('manual');
  expect(await refusedWith(api().removeRemote({ params: { id } }))).toMatchObject({ code: 'NOT_FOUND' });
  await api().send({ params: { id } });
  await page();
  h.clock.advance(16 * MINUTE);
  expect(await refusedWith(api().removeRemote({ params: { id } }))).toMatchObject({ code: 'TRUST_REQUIRED' });
  expect(remoteIds()).toEqual([id]);
  await h.db.sql('UPDATE sessions SET created_ms = ?', [h.clock.now()]);
  await api().removeRemote({ params: { id } });
  expect((await page()).backups).toMatchObject([{ id, here: true, remote: false }]);
  const rows = await h.db.sql<{ action: string }>("SELECT action FROM audit WHERE action LIKE 'backups.%' ORDER BY id");
  expect(rows.map(({ action }) => action).toSorted()).toEqual(['backups.delete_remote', 'backups.send']);
});

test('each daily backup is sent once it is verified, and the oldest there beyond those kept go', async () => {
  await h.set({ backup_keep: 1, backup_s3_keep: 2, backup_hour: 3, app_timezone: 'UTC' });
  const midnight = Math.floor(h.clock.now() / DAY) * DAY + DAY;
  const byHand = put('manual', midnight - 30 * DAY);
  await h.host.services.backupCopies.send(byHand, { nowMs: 0 });
  const made: string[] = [];
  for (const day of [0, 1, 2]) {
    h.clock.set(midnight + day * DAY + 3 * HOUR + MINUTE);
    await h.host.services.backups.runDaily();
    await h.host.services.backups.runDaily();
    made.push((await page()).backups[0]?.id ?? '');
  }
  expect(asked).toEqual(made.flatMap((id) => [`verify ${id}`, `send ${id}`]));
  expect(remoteIds()).toEqual([byHand, ...made.slice(1)].toSorted());
  expect((await page()).backups.map(({ id, here }) => [id, here])).toEqual([
    [made[2] ?? '', true],
    [made[1] ?? '', false],
    [byHand, true],
  ]);
});

test('a daily backup that cannot be sent is tried again two hours later, and health says so until then', async () => {
  await h.set({ backup_hour: 0, app_timezone: 'UTC' });
  h.clock.set(Math.floor(h.clock.now() / DAY) * DAY + DAY + HOUR);
  refusal = { fault: 'remote_refused', message: 'no' };
  const { runDaily } = h.host.services.backups;
  expect(await refusedWith(runDaily())).toBeInstanceOf(Error);
  await runDaily();
  expect(asked.filter((each) => each.startsWith('send'))).toHaveLength(1);
  await owner.api.adminHealth.check({});
  const health = async () => (await owner.api.adminHealth.get({})).rows.find(({ key }) => key === 'backup')?.code;
  expect(await health()).toBe('unsent');
  refusal = null;
  h.clock.advance(2 * HOUR + MINUTE);
  await runDaily();
  expect(remoteIds()).toHaveLength(1);
  await owner.api.adminHealth.check({});
  expect(await health()).toBe('ok');
});

test('the page does not wait for a storage that is silent, and says what it said last', async () => {
  const id = put('manual');
  await api().send({ params: { id } });
  await page();
  h.clock.advance(2 * MINUTE);
  s3.faults.push({ when: () => true, fault: 'silent' });
  // It answers while it is asked.
  expect(await api().list({})).toMatchObject({ remote: { asking: true }, backups: [{ id, remote: true }] });
});

test('T57 the secret of the storage goes to no new address without being entered again', async () => {
  expect(JSON.stringify(await owner.api.adminSettings.list({}))).not.toContain('wJalr');
  const thief = openS3();
  const before = thief.requests.length;
  expect(await refusedWith(h.set({ backup_s3_endpoint: thief.url }))).toMatchObject({
    fields: { backup_s3_secret_key: ['REQUIRED'] },
  });
  await owner.api.adminSettings.test({ params: { service: 's3' } });
  expect(thief.requests.length).toBe(before);
  await thief[Symbol.asyncDispose]();
});
