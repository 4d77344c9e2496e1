import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { backUp, dataFolder, TEST_KEYS, testLock } from '#tests/support/backups.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';
import { TEST_KEY } from '#tests/support/sealing.ts';
import { openFile, recipientOf, sealFile } from './container.ts';
import { FILE_BYTES, tableOfEntry, uploadOfEntry } from './content.ts';
import { createBackup } from './create.ts';
import { DomainError } from '#shared/errors.ts';
import { BackupFault, toBackupFault } from './fault.ts';
import { backupPath, deleteBackup, findBackup, isBackupId, listBackups, prepareFolder } from './folder.ts';
import { recoveryKeyOf } from './recovery-key.ts';
import { applyRestore, finishRestore, stageRestore, type RestorePlace } from './restore.ts';
import { isRestorePending, stagingFolder } from './staging.ts';
import { readTar, tarEnd, tarEntry, type TarEntry } from './tar.ts';
import { unpackBackup } from './unpack.ts';

setDefaultTimeout(300_000);

const NOW = Date.UTC(2026, 10, 22, 18);
const tools = { nowMs: NOW, log: testLog() };
const OTHER_KEY = new Uint8Array(32).fill(9);

let db: TestDb;
const folder = dataFolder();
let path: string;
beforeAll(async () => {
  db = await openTestDb();
  mkdirSync(join(folder.path, 'uploads', 'hero'), { recursive: true });
  writeFileSync(join(folder.path, 'uploads', 'hero', 'wide.webp'), 'picture');
  ({ path } = await backUp(db, folder.path));
});
afterAll(async () => {
  await db.close();
  folder[Symbol.dispose]();
});

/** What unpacking a file ends with: its fault, or null. Whatever it says, nothing is left behind. */
async function faultOf(file: string, keys = TEST_KEYS): Promise<string | null> {
  using out = dataFolder();
  const target = join(out.path, 'unpacked');
  try {
    await unpackBackup(file, keys, target, { ...tools, endSessions: false });
    return null;
  } catch (error) {
    expect(readdirSync(out.path)).toEqual([]);
    if (error instanceof BackupFault) return error.code;
    throw error;
  }
}

/** What reading a file to its end ends with: its fault, or null. */
async function readingFaultOf(file: string): Promise<string | null> {
  try {
    for await (const chunk of openFile(file, TEST_KEYS, statSync(file).size)) expect(chunk.length).toBeGreaterThan(0);
    return null;
  } catch (error) {
    if (error instanceof BackupFault) return error.code;
    throw error;
  }
}

/** The backup with other files in its archive, sealed by whoever knows the public key. */
async function forged(change: (entries: TarEntry[]) => TarEntry[]): Promise<string> {
  const entries: TarEntry[] = [];
  for await (const entry of readTar(openFile(path, TEST_KEYS, statSync(path).size), FILE_BYTES))
    entries.push({ name: entry.name, bytes: new Uint8Array(entry.bytes) });
  const file = join(folder.path, `${crypto.randomUUID()}.age`);
  await sealFile(
    file,
    (async function* () {
      for (const entry of change(entries)) yield tarEntry(entry);
      yield tarEnd();
    })(),
    await testLock(),
  );
  return file;
}
const withJson = (name: string, change: (value: Record<string, unknown>) => object) => (entries: TarEntry[]) =>
  entries.map((entry) =>
    entry.name === name
      ? { name, bytes: Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(entry.bytes).toString()) as never))) }
      : entry,
  );
const plus = (entry: TarEntry) => (entries: TarEntry[]) => entries.toSpliced(-1, 0, entry);

test('T49 nothing of a backup can be read without its key, and another key or passphrase is refused as such', async () => {
  expect(readFileSync(path).includes('schema_migrations')).toBe(false);
  expect(readFileSync(path).subarray(0, 21).toString()).toBe('age-encryption.org/v1');
  expect(await faultOf(path, { identities: [recoveryKeyOf(OTHER_KEY)], passphrases: [] })).toBe('wrong_key');
  expect(await faultOf(path, { identities: [], passphrases: ['a guess'] })).toBe('wrong_key');
  expect(await faultOf(path)).toBeNull();
});

test('a file that is cut off or changed anywhere is refused', async () => {
  const whole = readFileSync(path);
  const file = join(folder.path, 'bad.age');
  for (const bytes of [0, 10, 200, whole.length >> 1, whole.length - 1]) {
    writeFileSync(file, whole.subarray(0, bytes));
    expect([bytes, await readingFaultOf(file)]).toEqual([bytes, 'damaged']);
  }
  for (const at of [300, whole.length >> 1, whole.length - 1]) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 1;
    writeFileSync(file, changed);
    expect([at, await readingFaultOf(file)]).toEqual([at, 'damaged']);
  }
  writeFileSync(file, Buffer.concat([whole, Buffer.from('more')]));
  expect([await readingFaultOf(file), await faultOf(file)]).toEqual(['damaged', 'damaged']);
  expect(await readingFaultOf(path)).toBeNull();
});

test('T46 T49 a forged backup writes nowhere else: names that lead out of its folder are refused', async () => {
  for (const name of [
    'uploads/../../escaped',
    'uploads/.hidden',
    'uploads//etc/passwd',
    '/etc/passwd',
    '../escaped',
    'uploads/a\\..\\b',
    'uploads/a/b/c/d/e/f',
    'uploads/',
    'spawnpoint.db',
    'tables/users/../x.json',
    'tables/Users/000001.json',
    'tables/users/1.json',
  ])
    expect([name, uploadOfEntry(name) ?? tableOfEntry(name)]).toEqual([name, null]);
  for (const name of ['uploads/../../escaped', 'tables/sqlite_schema/000001.json'])
    expect([name, await faultOf(await forged(plus({ name, bytes: Buffer.from('[]') })))]).toEqual([name, 'damaged']);
  expect(uploadOfEntry('uploads/hero/wide.webp')).toBe('hero/wide.webp');
});

test('a backup of a newer version says so and names it', async () => {
  const version = '9.9.9';
  const newer = withJson('manifest.json', (found) => ({
    ...found,
    version,
    migrations: [...(found.migrations as string[]), '9999_future'],
  }));
  expect(await faultOf(await forged(newer))).toBe('newer');
  expect(await faultOf(await forged(withJson('manifest.json', (found) => ({ ...found, format: 2 }))))).toBe('newer');
});

test('a forged backup whose rows are missing, strange or refer to nothing is refused', async () => {
  const table = (name: string, rows: unknown) =>
    plus({ name: `tables/${name}/000001.json`, bytes: Buffer.from(JSON.stringify(rows)) });
  const without = (start: string) => (entries: TarEntry[]) => entries.filter(({ name }) => !name.startsWith(start));
  expect(await faultOf(await forged(without('tables/leaderboard_state/')))).toBe('damaged');
  expect(await faultOf(await forged(table('schedules', [['x', 1, null, null]])))).toBe('damaged');
  expect(await faultOf(await forged(table('schema_migrations', [['x', 1]])))).toBe('damaged');
  expect(await faultOf(await forged((entries) => entries.slice(0, -1)))).toBe('damaged');
  expect(await faultOf(await forged(without('app.key')))).toBe('damaged');
  const counted = withJson('end.json', (found) => ({
    ...found,
    rows: { ...(found.rows as object), user_limits: 1 },
  }));
  const columns = ['user_id', 'resource', 'amount', 'updated_ms'];
  expect(await faultOf(await forged((entries) => counted(table('user_limits', [columns])(entries))))).toBe('damaged');
});

test('a forged backup whose rows differ in their keys but are alike where only one may be is refused', async () => {
  // Transactions of the same reference; references are indexed once all rows are there.
  const rows = ['one', 'two'].map((id) => [id, 'gift', 'same', null, null, null, null, NOW]);
  const counted = withJson('end.json', (found) => ({
    ...found,
    rows: { ...(found.rows as object), ledger_transactions: rows.length },
  }));
  const entry = { name: 'tables/ledger_transactions/000001.json', bytes: Buffer.from(JSON.stringify(rows)) };
  expect(await faultOf(await forged((entries) => counted(plus(entry)(entries))))).toBe('damaged');
});

test('a file that unpacks to far more than its size is stopped before the disk is full', async () => {
  const zeros = Buffer.alloc(8 << 20);
  const file = join(folder.path, 'bomb.age');
  await sealFile(
    file,
    (async function* () {
      for (let count = 0; count < 140; count += 1) yield zeros;
    })(),
    await testLock(),
  );
  expect(statSync(file).size).toBeLessThan(2 << 20);
  expect(await readingFaultOf(file)).toBe('too_large');
});

test('a file of the archive that says it is huge is refused before it is read', async () => {
  const header = tarEntry({ name: 'manifest.json', bytes: Buffer.alloc(0) });
  header.write('77777777777\0', 124, 'latin1');
  const sum = header.subarray(0, 512).reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const file = join(folder.path, 'huge.age');
  await sealFile(
    file,
    (async function* () {
      yield header;
    })(),
    await testLock(),
  );
  expect(await faultOf(file)).toBe('damaged');
});

test('a passphrase alone opens a backup that was made with it', async () => {
  const made = await createBackup(
    { dataDir: folder.path, database: db.where, appKey: TEST_KEY },
    { kind: 'manual', lock: { passphrase: 'four words are enough' }, nowMs: NOW },
  );
  const file = backupPath(join(folder.path, 'backups'), made.id);
  expect(await faultOf(file)).toBe('wrong_key');
  expect(await faultOf(file, { identities: [], passphrases: ['four words are enough'] })).toBeNull();
});

test('a disk that is full is said in words, and a backup that fails leaves nothing behind', async () => {
  using home = dataFolder();
  let full: unknown = null;
  try {
    writeFileSync('/dev/full', 'x');
  } catch (error) {
    full = toBackupFault(error);
  }
  expect(full).toMatchObject({ code: 'disk_full' });
  const cause = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const behind = Object.assign(new DomainError('SERVER_UNAVAILABLE'), { cause });
  expect(toBackupFault(behind)).toMatchObject({ code: 'disk_full' });
  mkdirSync(join(home.path, 'uploads'));
  writeFileSync(join(home.path, 'uploads', 'no good name'), 'x');
  const failed = await backUp(db, home.path).catch((error: unknown) => String(error));
  expect(failed).toContain('no good name');
  expect(readdirSync(join(home.path, 'backups'))).toEqual([]);
});

test('T46 only names of backups are read or deleted, and what a killed process left is thrown away', async () => {
  const backups = join(folder.path, 'backups');
  for (const id of [
    '../spawnpoint',
    'spawnpoint-20261113T030000Z-manual-0000000g',
    'app',
    '',
    '.',
    `${'a'.repeat(300)}`,
  ]) {
    expect([id, isBackupId(id)]).toEqual([id, false]);
    expect(findBackup(backups, id)).toBeNull();
    expect(() => deleteBackup(backups, id)).toThrow(RangeError);
  }
  const left = join(backups, 'spawnpoint-20261101T030000Z-daily-00000000.age.part');
  writeFileSync(left, 'half');
  prepareFolder(backups, Date.now());
  expect(existsSync(left)).toBe(true);
  expect(listBackups(backups).map(({ id }) => id)).not.toContain('spawnpoint-20261101T030000Z-daily-00000000');
  prepareFolder(backups, Date.now() + 7 * 3_600_000);
  expect(existsSync(left)).toBe(false);
});

/** An installation on SQLite in a folder of its own, with one row that tells it from the backup. */
async function installationIn(dataDir: string): Promise<RestorePlace & { database: { path: string } }> {
  const place = {
    dataDir,
    database: { path: join(dataDir, 'spawnpoint.db') },
    appKey: OTHER_KEY,
    keyIsGiven: false,
  };
  const database = openDatabase({ ...place.database, bus: createBus(testLog()), log: testLog() });
  await database.migrate(NOW);
  await database.write(({ raw }) =>
    raw.run("INSERT INTO schedules (name, next_ms, last_ms, last_error) VALUES ('today', 0, NULL, NULL)"),
  );
  await database.close();
  writeFileSync(join(dataDir, 'app.key'), `${Buffer.from(OTHER_KEY).toString('base64')}\n`);
  mkdirSync(join(dataDir, 'uploads'));
  writeFileSync(join(dataDir, 'uploads', 'old.webp'), 'old');
  return place;
}
/** Whether an installation is that of today or that of the backup; anything between fails. */
async function stateOf(place: { readonly dataDir: string; readonly database: { readonly path: string } }) {
  const database = openDatabase({ ...place.database, bus: createBus(testLog()), log: testLog() });
  const row = await database.read(({ raw }) => raw.one("SELECT name FROM schedules WHERE name = 'today'"));
  await database.close();
  const key = readFileSync(join(place.dataDir, 'app.key'), 'utf8').trim();
  const uploads = readdirSync(join(place.dataDir, 'uploads')).join();
  const state = row ? 'today' : 'backup';
  expect([key, uploads]).toEqual(
    row ? [Buffer.from(OTHER_KEY).toString('base64'), 'old.webp'] : [Buffer.from(TEST_KEY).toString('base64'), 'hero'],
  );
  return state;
}

test('a restore replaces database, key and uploads together, and its copy brings back what was there', async () => {
  using home = dataFolder();
  const place = await installationIn(home.path);
  await stageRestore(place, { path, keys: TEST_KEYS }, tools);
  expect(await stateOf(place)).toBe('today');
  const copy = await applyRestore(place, { ...tools, copy: true });
  expect([await stateOf(place), existsSync(stagingFolder(place))]).toEqual(['backup', false]);
  // The copy opens with the key of today as well as with the one before.
  const file = backupPath(join(home.path, 'backups'), copy ?? '');
  for (const key of [OTHER_KEY, TEST_KEY])
    expect(await faultOf(file, { identities: [recoveryKeyOf(key)], passphrases: [] })).toBeNull();
  const now = { ...place, appKey: TEST_KEY };
  await stageRestore(now, { path: file, keys: TEST_KEYS }, tools);
  await applyRestore(now, { ...tools, copy: false });
  expect(await stateOf(place)).toBe('today');
});

test('a restore that is killed at any step leaves either what was or, once decided, what is to be', async () => {
  using home = dataFolder();
  const place = await installationIn(home.path);
  await stageRestore(place, { path, keys: TEST_KEYS }, tools);
  // Killed before the decision: nothing is pending, and today goes on.
  await finishRestore(place, tools);
  expect([isRestorePending(place), await stateOf(place)]).toEqual([false, 'today']);
  const staging = stagingFolder(place);
  writeFileSync(join(staging, 'decided'), '');
  // Killed between the steps: the database has been moved, the key and the uploads have not.
  renameSync(join(staging, 'spawnpoint.db'), place.database.path);
  expect(isRestorePending(place)).toBe(true);
  await finishRestore(place, tools);
  expect([isRestorePending(place), await stateOf(place)]).toEqual([false, 'backup']);
  await finishRestore(place, tools);
  expect(await stateOf(place)).toBe('backup');
});

test('a restore on an empty machine needs nothing but the file and its key', async () => {
  using home = dataFolder();
  const dataDir = join(home.path, 'fresh');
  const place = { dataDir, database: { path: join(dataDir, 'spawnpoint.db') }, appKey: null, keyIsGiven: false };
  await stageRestore(place, { path, keys: TEST_KEYS }, tools);
  expect(await applyRestore(place, { ...tools, copy: true })).toBeNull();
  expect(await stateOf(place)).toBe('backup');
  expect(statSync(join(dataDir, 'app.key')).mode & 0o777).toBe(0o600);
});

test('a restore refuses while somebody has the file open, and where APP_KEY is another key', async () => {
  using home = dataFolder();
  const place = await installationIn(home.path);
  const foreign = { ...place, keyIsGiven: true };
  expect(await stageRestore(foreign, { path, keys: TEST_KEYS }, tools).catch((error: unknown) => error)).toMatchObject({
    code: 'foreign_key',
  });
  await stageRestore(place, { path, keys: TEST_KEYS }, tools);
  const open = openDatabase({ ...place.database, bus: createBus(testLog()), log: testLog() });
  await open.ping();
  const refused = await applyRestore(place, { ...tools, copy: false }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'busy' });
  await open.close();
  expect([isRestorePending(place), await stateOf(place)]).toEqual([false, 'today']);
});

test('the recovery key follows from the installation’s key, and is one of age', async () => {
  expect(recoveryKeyOf(TEST_KEY)).toBe(recoveryKeyOf(new Uint8Array(TEST_KEY)));
  expect(recoveryKeyOf(TEST_KEY)).not.toBe(recoveryKeyOf(OTHER_KEY));
  expect(recoveryKeyOf(TEST_KEY)).toStartWith('AGE-SECRET-KEY-1');
  expect(await recipientOf(recoveryKeyOf(TEST_KEY))).toMatch(/^age1[a-z0-9]{58}$/);
});
