import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupPath, findBackup, newBackupId, prepareFolder, writeFacts } from '#server/backups/folder.ts';
import { recoveryKeyOf } from '#server/backups/recovery-key.ts';
import { createBackupWorker } from '#server/backups/worker.ts';
import { createOwnCommands } from '#server/own-commands.ts';
import { newBackupState, type BackupWorker, type Outcome } from '#server/modules/backups/index.ts';
import { UPLOAD_PART_BYTES, type BackupKind } from '#shared/backups.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { dataFolder, TEST_FIGURES } from '#tests/support/backups.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { TEST_KEY } from '#tests/support/sealing.ts';

setDefaultTimeout(300_000);

/** Backups for staff (behaviour 8.6), with a worker that stands in for the process that does the work. */
let folder: ReturnType<typeof dataFolder>;
let h: Harness;
let owner: Person;
/** What the worker was asked to do, in order, and what it says next; waits while `hold` is set. */
let asked: string[];
let answer: Outcome<unknown>;
let hold: PromiseWithResolvers<void> | null;
/** Whether a file opens at once, however long the rest of its verification takes. */
let opens: boolean;

const backups = () => join(folder.path, 'backups');
/** Puts a backup into the folder, made at a moment. */
function put(kind: BackupKind, atMs = h.clock.now(), known = true): string {
  prepareFolder(backups(), atMs);
  const id = newBackupId(kind, atMs);
  writeFileSync(backupPath(backups(), id), `sealed ${id}`);
  if (known) writeFacts(backups(), id, { figures: TEST_FIGURES, verified: null });
  return id;
}
async function work(what: string): Promise<Outcome<never>> {
  asked.push(what);
  await hold?.promise;
  return answer as Outcome<never>;
}
const worker: BackupWorker = {
  create: async (kind, _, passphrase) => {
    const outcome = await work(`create ${kind}${passphrase ? ` with ${passphrase}` : ''}`);
    return 'fault' in outcome ? outcome : { done: { id: put(kind), bytes: 1 } };
  },
  verify: (id, onStep, key) => {
    if (opens) onStep('rows', 1, null);
    return work(`verify ${id}${key ? ` with ${key}` : ''}`);
  },
  send: (id) => work(`send ${id}`),
  retrieve: (id) => work(`fetch ${id}`),
  stage: (id, _, key) => work(`stage ${id}${key ? ` with ${key}` : ''}`),
  replace: (id) => work(`replace ${id}`),
  count: async () => {
    const outcome = await work('count');
    return 'fault' in outcome ? outcome : { done: { ...TEST_FIGURES, madeMs: h.clock.now(), users: 15 } };
  },
  stop: () => undefined,
};

beforeEach(async () => {
  folder = dataFolder();
  [asked, answer, hold, opens] = [[], { done: {} }, null, false];
  h = await openHarness({
    config: { dataDir: folder.path },
    backups: { worker, state: newBackupState() },
  });
  owner = await h.person('olga', { permissions: ['admin.root'] });
});
afterEach(async () => {
  await h.close();
  folder[Symbol.dispose]();
});
const page = () => owner.api.adminBackups.list({});
/** Waits until nothing runs any more. */
async function waitForEnd(): Promise<void> {
  while ((await page()).running !== null) await new Promise((next) => setImmediate(next));
}
const refusal = async (call: Promise<unknown>) => (await call.catch((error: { code?: string }) => error)) as object;

test('a backup is begun from the browser, is shown while it runs, and a second one waits its turn', async () => {
  hold = Promise.withResolvers();
  await owner.api.adminBackups.create({});
  expect(await page()).toMatchObject({ running: { task: 'create', id: null }, backups: [] });
  expect(await refusal(owner.api.adminBackups.create({}))).toMatchObject({ code: 'BACKUP_BUSY' });
  hold.resolve();
  await waitForEnd();
  expect(await page()).toMatchObject({
    running: null,
    last: { task: 'create', fault: null },
    backups: [{ kind: 'manual', users: 3, servers: 1, verified: null, day: '2026-03-10' }],
  });
  expect(asked).toEqual(['create manual']);
});

test('a backup is begun once where two ask for it at once', async () => {
  hold = Promise.withResolvers();
  const both = await Promise.allSettled([owner.api.adminBackups.create({}), owner.api.adminBackups.create({})]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  hold.resolve();
  expect(asked).toEqual(['create manual']);
});

test('a task that fails is shown with its reason, and the next one may begin', async () => {
  answer = { fault: 'disk_full', message: 'no room' };
  await owner.api.adminBackups.create({});
  await waitForEnd();
  expect((await page()).last).toMatchObject({ task: 'create', fault: 'disk_full' });
  const id = put('manual');
  await owner.api.adminBackups.verify({ params: { id }, body: {} });
  await waitForEnd();
  expect(asked).toEqual(['create manual', `verify ${id}`]);
});

test('T49 fetching, deleting, the recovery key and restoring need a proof of a moment ago', async () => {
  const id = put('manual');
  const day = '2026-03-10';
  h.clock.advance(16 * MINUTE);
  for (const call of [
    () => owner.api.adminBackups.prepare({ params: { id } }),
    () => owner.api.adminBackups.remove({ params: { id } }),
    () => owner.api.adminBackups.showKey({}),
    () => owner.api.adminBackups.restore({ params: { id }, body: { day } }),
  ])
    expect(await refusal(call())).toMatchObject({ code: 'TRUST_REQUIRED' });
  const denied = await download(owner, id);
  expect([denied.status, await denied.text()]).toEqual([403, expect.stringContaining('TRUST_REQUIRED')]);
  expect([existsSync(backupPath(backups(), id)), asked]).toEqual([true, []]);
  await owner.api.passkeys.confirm({ body: { password: 'correct horse battery' } }).catch(() => undefined);
  await h.db.sql('UPDATE sessions SET created_ms = ?', [h.clock.now()]);
  const file = await download(owner, id);
  expect([file.status, await file.text()]).toEqual([200, `sealed ${id}`]);
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${id}.age"`);
  expect(file.headers.get('cache-control')).toBe('no-store');
  expect(await owner.api.adminBackups.showKey({})).toMatchObject({ key: recoveryKeyOf(TEST_KEY) });
  await owner.api.adminBackups.remove({ params: { id } });
  expect(existsSync(backupPath(backups(), id))).toBe(false);
  const rows = await h.db.sql<{ action: string }>("SELECT action FROM audit WHERE action LIKE 'backups.%' ORDER BY id");
  expect(rows.map(({ action }) => action).toSorted()).toEqual(['backups.delete', 'backups.download', 'backups.key']);
});

test('a restore needs the day of the backup, proves it first, and replaces nothing where that fails', async () => {
  const id = put('manual', Date.UTC(2026, 10, 13, 3));
  const restore = (day: string) => owner.api.adminBackups.restore({ params: { id }, body: { day } });
  expect(await refusal(restore('2026-03-10'))).toMatchObject({
    code: 'VALIDATION_FAILED',
    fields: { day: ['INVALID'] },
  });
  answer = { fault: 'damaged', message: 'cut off' };
  await restore('2026-11-13');
  await waitForEnd();
  expect(asked).toEqual([`stage ${id}`]);
  expect((await page()).last).toMatchObject({ task: 'restore', fault: 'damaged' });
  answer = { done: {} };
  await restore(' 2026-11-13 ');
  await waitForEnd();
  expect(asked).toEqual([`stage ${id}`, `stage ${id}`, `replace ${id}`]);
});

test('whoever may make backups neither restores nor sees the key, and whoever lists them does neither', async () => {
  const id = put('manual');
  const maker = await h.person('mara', { permissions: ['admin.backups.create', 'admin.backups.list'] });
  const reader = await h.person('remus', { permissions: ['admin.backups.list'] });
  expect(await refusal(maker.api.adminBackups.showKey({}))).toMatchObject({ code: 'FORBIDDEN' });
  const body = { day: '2026-03-10' };
  expect(await refusal(maker.api.adminBackups.restore({ params: { id }, body }))).toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(maker.api.adminBackups.remove({ params: { id } }))).toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(reader.api.adminBackups.create({}))).toMatchObject({ code: 'FORBIDDEN' });
  expect((await download(reader, id)).status).toBe(403);
  expect((await download(maker, id)).status).toBe(200);
});

/** Puts a backup into the folder that a passphrase opens, as the beginning of its file says. */
function putLocked(): string {
  const id = put('manual', h.clock.now(), false);
  writeFileSync(backupPath(backups(), id), 'age-encryption.org/v1\n-> scrypt c2FsdA 18\n');
  return id;
}
const PASSPHRASE = 'four words, or five';

test('T49 T50 a backup with a passphrase is for owners with a proof, and the passphrase is written down nowhere', async () => {
  const lock = (passphrase: string, by = owner) => by.api.adminBackups.createLocked({ body: { passphrase } });
  const maker = await h.person('mara', { permissions: ['admin.backups.create', 'admin.backups.delete'] });
  expect(await refusal(lock(PASSPHRASE, maker))).toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(lock('elevenchars'))).toMatchObject({ fields: { passphrase: ['TOO_SHORT'] } });
  // It would be taken for a recovery key when it is typed again.
  expect(await refusal(lock('age-secret-key-1abc'))).toMatchObject({ fields: { passphrase: ['INVALID'] } });
  await lock(PASSPHRASE);
  await waitForEnd();
  expect(asked).toEqual([`create manual with ${PASSPHRASE}`]);
  const tables = ['audit', 'jobs', 'settings', 'idempotency_keys'];
  const rows = await Promise.all(tables.map((table) => h.db.sql(`SELECT * FROM ${table}`)));
  expect(JSON.stringify(rows)).toContain('backups.create_locked');
  expect(JSON.stringify(rows)).not.toContain(PASSPHRASE);
  h.clock.advance(16 * MINUTE);
  expect(await refusal(lock(PASSPHRASE))).toMatchObject({ code: 'TRUST_REQUIRED' });
  expect(asked).toHaveLength(1);
});

test('a backup that opens by a passphrase is neither verified nor restored without it', async () => {
  const id = putLocked();
  const params = { id };
  expect((await page()).backups).toMatchObject([{ id, lock: 'passphrase' }]);
  const day = '2026-03-10';
  for (const call of [
    () => owner.api.adminBackups.verify({ params, body: {} }),
    () => owner.api.adminBackups.restore({ params, body: { day } }),
  ])
    expect(await refusal(call())).toMatchObject({ code: 'VALIDATION_FAILED', fields: { key: ['REQUIRED'] } });
  expect(asked).toEqual([]);
});

test('a passphrase that is wrong is refused at its field, and nothing is replaced', async () => {
  const id = putLocked();
  const params = { id };
  const wrong = { code: 'VALIDATION_FAILED', fields: { key: ['KEY_WRONG'] } };
  answer = { fault: 'wrong_key', message: 'no' };
  expect(await refusal(owner.api.adminBackups.verify({ params, body: { key: 'a guess' } }))).toMatchObject(wrong);
  const body = { day: '2026-03-10', key: 'a guess' };
  expect(await refusal(owner.api.adminBackups.restore({ params, body }))).toMatchObject(wrong);
  expect(asked).toEqual([`verify ${id} with a guess`, `stage ${id} with a guess`]);
  expect(await page()).toMatchObject({ running: null, last: null });
});

test('whoever typed the right passphrase is answered once the backup is open, while it is still verified', async () => {
  const id = putLocked();
  hold = Promise.withResolvers();
  opens = true;
  await owner.api.adminBackups.verify({ params: { id }, body: { key: PASSPHRASE } });
  expect(await page()).toMatchObject({ running: { task: 'verify', step: 'rows' } });
  // What fails after that is told as the end of the task.
  answer = { fault: 'damaged', message: 'cut off' };
  hold.resolve();
  await waitForEnd();
  expect((await page()).last).toMatchObject({ task: 'verify', fault: 'damaged' });
});

test('an owner compares a backup with what there is now, which is counted once a minute at most', async () => {
  const id = put('manual');
  const compare = (params: { id: string }, by = owner) => by.api.adminBackups.compare({ params });
  const found = await compare({ id });
  expect(found).toMatchObject({
    backup: { made_at: '2026-11-13T03:00:00.000Z', users: 3, credits: 500, files: 2, file_bytes: 2048 },
    now: { users: 15, servers: 1, dialect: 'sqlite' },
  });
  await compare({ id });
  expect(asked).toEqual(['count']);
  h.clock.advance(2 * MINUTE);
  answer = { fault: 'stopped', message: 'killed' };
  expect((await compare({ id: putLocked() })).backup).toBeNull();
  expect((await compare({ id })).now).toBeNull();
  expect(asked).toEqual(['count', 'count']);
  expect(await refusal(compare({ id: '../app' }))).toMatchObject({ code: 'NOT_FOUND' });
  const staff = await h.person('mara', { permissions: ['admin.backups.create', 'admin.backups.list'] });
  expect(await refusal(compare({ id }, staff))).toMatchObject({ code: 'FORBIDDEN' });
});

test('T46 an id that leads out of the folder is not found', async () => {
  writeFileSync(join(folder.path, 'app.key'), 'secret');
  for (const id of [
    '..%2Fapp',
    '../app',
    'app.key',
    '%2e%2e%2fapp.key',
    'spawnpoint-20261113T030000Z-manual-00000000',
  ]) {
    expect([id, (await download(owner, encodeURIComponent(id))).status]).toEqual([id, 404]);
    expect(await refusal(owner.api.adminBackups.remove({ params: { id } }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(owner.api.adminBackups.verify({ params: { id }, body: {} }))).toMatchObject({
      code: 'NOT_FOUND',
    });
  }
  expect(asked).toEqual([]);
});

/** A name of an upload. */
const uuidOf = (byte: string) => [4, 2, 2, 2, 6].map((bytes) => byte.repeat(bytes)).join('-');
/** Sends a file in parts of the size that the contract has. Out: what the last one answers. */
async function upload(file: Uint8Array<ArrayBuffer>, name = uuidOf('ab'), by = owner) {
  const parts = Math.max(1, Math.ceil(file.byteLength / UPLOAD_PART_BYTES));
  let id: string | null = null;
  for (let part = 0; part < parts; part += 1) ({ id } = await sendPart(file, { name, part, parts, by }));
  return id;
}
const sendPart = (
  file: Uint8Array<ArrayBuffer>,
  { name, part, parts, by = owner }: { name: string; part: number; parts: number; by?: Person },
) =>
  by.api.adminBackups.upload({
    params: { upload: name },
    query: { part: String(part), parts: String(parts) },
    body: file.slice(part * UPLOAD_PART_BYTES, (part + 1) * UPLOAD_PART_BYTES),
  });
/** A file that begins as one of age. */
function sealed(bytes: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes).map((_, at) => at % 251);
  file.set(new TextEncoder().encode('age-encryption.org/v1\n'));
  return file;
}

test('an uploaded file becomes a backup once it is whole, also where parts come twice, and opens with its own key', async () => {
  const file = sealed(2 * UPLOAD_PART_BYTES + 5);
  const at = { name: uuidOf('cd'), parts: 3 };
  expect(await sendPart(file, { ...at, part: 0 })).toMatchObject({ id: null });
  await Promise.all([sendPart(file, { ...at, part: 1 }), sendPart(file, { ...at, part: 1 })]);
  expect((await page()).backups).toEqual([]);
  const { id } = await sendPart(file, { ...at, part: 2 });
  // The answer to the last part got lost: it is sent again.
  expect(await sendPart(file, { ...at, part: 2 })).toMatchObject({ id });
  expect((await page()).backups).toMatchObject([{ id, kind: 'upload', bytes: file.byteLength, users: null }]);
  expect(readFileSync(backupPath(backups(), id ?? '')).equals(file)).toBe(true);
  const params = { id: id ?? '' };
  await owner.api.adminBackups.verify({ params, body: { key: 'AGE-SECRET-KEY-1OTHER' } });
  await waitForEnd();
  await owner.api.adminBackups.restore({ params, body: { day: '2026-03-10', key: 'four words' } });
  await waitForEnd();
  expect(asked).toEqual([`verify ${id} with AGE-SECRET-KEY-1OTHER`, `stage ${id} with four words`, `replace ${id}`]);
  const audit = JSON.stringify(await h.db.sql('SELECT * FROM audit'));
  expect([audit.includes('backups.upload'), audit.includes('OTHER')]).toEqual([true, false]);
});

test('T46 T52 what is no backup, has parts missing, is too large or comes from somebody else is not taken', async () => {
  const none = (await upload(new TextEncoder().encode('<html>'.repeat(9))).catch((error: unknown) => error)) as object;
  expect(none).toMatchObject({ code: 'VALIDATION_FAILED', fields: { file: ['INVALID'] } });
  const file = sealed(UPLOAD_PART_BYTES + 5);
  const name = uuidOf('ef');
  expect(await refusal(sendPart(file, { name, part: 1, parts: 2 }))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await refusal(sendPart(sealed(100), { name, part: 0, parts: 2 }))).toMatchObject({
    fields: { file: ['INVALID'] },
  });
  expect(await refusal(sendPart(file, { name, part: 0, parts: 131_072 }))).toMatchObject({
    fields: { file: ['NO_ROOM'] },
  });
  for (const wrong of ['../../app', '', 'g'.repeat(32)])
    expect([wrong, await refusal(upload(sealed(30), wrong))]).toMatchObject([wrong, { code: 'NOT_FOUND' }]);
  const staff = await h.person('mara', { permissions: ['admin.backups.create', 'admin.backups.list'] });
  expect(await refusal(upload(sealed(30), name, staff))).toMatchObject({ code: 'FORBIDDEN' });
  h.clock.advance(16 * MINUTE);
  expect(await refusal(upload(sealed(30), name))).toMatchObject({ code: 'TRUST_REQUIRED' });
  expect(existsSync(backups()) ? readdirSync(backups()) : []).toEqual([]);
});

test('the day’s backup is made once its hour has come, is verified, and the oldest beyond those kept go', async () => {
  await h.set({ backup_keep: 2, backup_hour: 3, app_timezone: 'UTC' });
  const midnight = Math.floor(h.clock.now() / DAY) * DAY + DAY;
  const kept = put('manual', midnight - 30 * DAY);
  const old = [3, 2, 1].map((days) => put('daily', midnight - days * DAY + 3 * HOUR));
  h.clock.set(midnight + 2 * HOUR);
  await h.host.services.backups.runDaily();
  expect(asked).toEqual([]);
  h.clock.set(midnight + 3 * HOUR + MINUTE);
  await h.host.services.backups.runDaily();
  await h.host.services.backups.runDaily();
  const [made] = (await page()).backups;
  expect(asked).toEqual(['create daily', `verify ${made?.id}`]);
  expect((await page()).backups.map(({ id }) => id)).toEqual([made?.id ?? '', old[2] ?? '', kept]);
});

test('whoever keeps fewer daily backups reads before saving how many go with the next one', async () => {
  await h.set({ backup_keep: 4 });
  const made = h.clock.now();
  put('manual', made - 9 * DAY);
  for (const days of [4, 3, 2, 1]) put('daily', made - days * DAY);
  const { rows } = await owner.api.adminSettings.list({});
  const revision = rows.find(({ key }) => key === 'backup_keep')?.revision ?? 0;
  const affected = async (value: number) => {
    const changes = [{ key: 'backup_keep', value, revision }];
    return (await owner.api.adminSettings.review({ body: { changes } })).differences[0]?.affected;
  };
  // The next one is among those that are kept.
  expect(await affected(2)).toEqual({ who: 'droppedBackups', count: 3, more: false });
  expect(await affected(1)).toEqual({ who: 'droppedBackups', count: 4, more: false });
  expect(await affected(5)).toBeNull();
});

test('the first daily backup of a new installation waits for the next hour of backups', async () => {
  await h.set({ backup_hour: 3, app_timezone: 'UTC' });
  const { runDaily } = h.host.services.backups;
  await runDaily();
  expect(asked).toEqual([]);
  h.clock.set(Math.floor(h.clock.now() / DAY) * DAY + DAY + 3 * HOUR);
  await runDaily();
  expect(asked[0]).toBe('create daily');
});

test('a daily backup that fails deletes nothing and is tried again two hours later', async () => {
  await h.set({ backup_keep: 1, backup_hour: 0, app_timezone: 'UTC' });
  const old = [2, 1].map((days) => put('daily', h.clock.now() - days * DAY));
  answer = { fault: 'disk_full', message: 'no room' };
  const { runDaily } = h.host.services.backups;
  expect(await refusal(runDaily())).toBeInstanceOf(Error);
  await runDaily();
  expect(asked).toEqual(['create daily']);
  expect((await page()).backups).toHaveLength(old.length);
  h.clock.advance(2 * HOUR + MINUTE);
  await runDaily().catch(() => undefined);
  expect(asked).toEqual(['create daily', 'create daily']);
  await h.set({ backup_daily: false });
  h.clock.advance(3 * HOUR);
  await runDaily();
  expect(asked).toHaveLength(2);
});

test('the health check says that there is no backup, that the newest is old, and that it is damaged', async () => {
  const found = async () => {
    await owner.api.adminHealth.check({});
    const { rows } = await owner.api.adminHealth.get({});
    return rows.find(({ key }) => key === 'backup');
  };
  expect(await found()).toMatchObject({ code: 'none', status: 'warning' });
  const id = put('daily', h.clock.now() - 3 * DAY);
  expect(await found()).toMatchObject({ code: 'old', status: 'warning' });
  writeFacts(backups(), id, { figures: TEST_FIGURES, verified: { at_ms: 1, fault: 'damaged' } });
  expect(await found()).toMatchObject({ code: 'damaged', status: 'critical' });
  put('manual', h.clock.now(), false);
  expect(await found()).toMatchObject({ code: 'unproven', status: 'ok' });
});

test('a real process makes and verifies a backup of an installation and says how far it is', async () => {
  const dataDir = join(folder.path, 'real');
  const command = [process.execPath, join(import.meta.dir, '../../../server/main.ts')];
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  const made = Bun.spawnSync([...command, 'migrate'], { env });
  expect(made.exitCode).toBe(0);
  const real = createBackupWorker({
    commands: createOwnCommands({ command, env }),
    whileClosed: (replace) => replace(),
  });
  const created = await real.create('manual', () => undefined);
  const id = 'done' in created ? created.done.id : '';
  expect(existsSync(join(dataDir, 'backups', `${id}.age`))).toBe(true);
  expect(await real.verify(id, () => undefined)).toMatchObject({ done: { faults: [] } });
  expect(await real.count()).toMatchObject({ done: { users: 0, servers: 0, credits: 0, files: 0, dialect: 'sqlite' } });
  const locked = await real.create('manual', () => undefined, PASSPHRASE);
  const lockedId = 'done' in locked ? locked.done.id : '';
  expect(findBackup(join(dataDir, 'backups'), lockedId)).toMatchObject({ lock: 'passphrase' });
  expect(await real.verify(lockedId, () => undefined)).toMatchObject({ fault: 'wrong_key' });
  expect(await real.verify(lockedId, () => undefined, 'four other words')).toMatchObject({ fault: 'wrong_key' });
  expect(await real.verify(lockedId, () => undefined, PASSPHRASE)).toMatchObject({ done: { faults: [] } });
  writeFileSync(join(dataDir, 'backups', `${id}.age`), 'cut off');
  expect(await real.verify(id, () => undefined)).toMatchObject({ fault: 'damaged' });
  expect(await real.stage('spawnpoint-20261113T030000Z-manual-00000000', () => undefined)).toMatchObject({
    fault: 'stopped',
  });
});

/** The file of a backup, as a browser fetches it. */
async function download(person: Person, id: string): Promise<Response> {
  const { SESSION_COOKIE } = await import('#shared/constants.ts');
  return h.http(`/api/admin/backups/${id}/file`, { headers: { cookie: `${SESSION_COOKIE}=${person.secret}` } });
}
