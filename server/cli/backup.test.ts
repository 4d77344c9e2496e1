import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateIdentity } from 'age-encryption';
import { recipientOf } from '#server/backups/container.ts';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { readConfig, type Config } from '#server/env.ts';
import { lockFolder } from '#server/start/folder-lock.ts';
import { dataFolder } from '#tests/support/backups.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { testLog } from '#tests/support/log.ts';
import { openS3, s3Settings } from '#tests/support/s3.ts';
import { backup } from './backup.ts';
import { finishPendingRestore, restore } from './restore.ts';
import { withHost } from './with-host.ts';

setDefaultTimeout(300_000);

let folder: ReturnType<typeof dataFolder>;
let config: Config;
let out: string[];
let err: string[];
/** What standard input holds, and the answers to questions; null: there is no terminal. */
let typed: string;
let answers: (string | null)[];
const terminal = {
  out: (line: string) => void out.push(line),
  err: (line: string) => void err.push(line),
  ask: () => Promise.resolve(answers.shift() ?? null),
  stdin: () => Promise.resolve(typed),
};
const context = { words: { isNew: false, newKey: false } };
const run = (...argv: string[]) => {
  out = [];
  err = [];
  return (argv[0] === 'restore' ? restore : backup)(config, argv.slice(1), context, terminal);
};

beforeEach(async () => {
  folder = dataFolder();
  config = readConfig({ DATA_DIR: folder.path });
  [typed, answers] = ['', []];
  await open((database) => database.migrate(TEST_START));
  writeFileSync(join(folder.path, 'app.key'), `${Buffer.alloc(32, 5).toString('base64')}\n`);
});
afterEach(() => folder[Symbol.dispose]());

async function open<T>(work: (database: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
  const database = openDatabase({ path: config.database, bus: createBus(testLog()), log: testLog() });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
const mark = (name: string) =>
  open(({ write }) => write(({ raw }) => raw.run('INSERT INTO schedules (name, next_ms) VALUES (?, 0)', [name])));
const marks = () =>
  open(({ read }) => read(({ raw }) => raw.all<{ name: string }>('SELECT name FROM schedules ORDER BY name')));
const idOf = (path: string | undefined) => /([^/]+)\.age$/.exec(path ?? '')?.[1] ?? '';

test('a backup is made, listed, verified and deleted from the command line', async () => {
  expect(await run('backup', 'create')).toBe(0);
  const id = idOf(out[0]);
  await run('backup', 'list');
  expect(out.join('\n')).toContain(`${id}  0.0 MB  0 users, 0 servers, 0 credits, 0 files (0.0 MB)  not verified`);
  expect(await run('backup', 'verify', id)).toBe(0);
  expect(out[0]).toContain('0 users, 0 servers, 0 credits, 0 files (0.0 MB), the ledger holds');
  await run('backup', 'list');
  expect(out[0]).toEndWith('(0.0 MB)  verified');
  expect(await run('backup', 'count')).toBe(0);
  expect(out).toEqual(['0 users, 0 servers, 0 credits, 0 files (0.0 MB)']);
  expect(readdirSync(join(folder.path, 'backups')).toSorted()).toEqual([`${id}.age`, `${id}.json`]);
  expect(await run('backup', 'delete', id)).toBe(0);
  expect(readdirSync(join(folder.path, 'backups'))).toEqual([]);
  expect(await run('backup', 'delete', '../app')).toBe(1);
  expect(await run('backup', 'create', 'more')).toBe(2);
  expect(await run('backup', '--unknown')).toBe(2);
});

test('a restore asks twice, says what it does, and changes nothing on any other answer', async () => {
  await mark('kept');
  await run('backup', 'create');
  const id = idOf(out[0]);
  await mark('later');
  const today = new Date().toISOString().slice(0, 10);
  for (const given of [[null], ['no'], ['yes', null], ['yes', '2020-01-01']]) {
    answers = [...given];
    expect([given, await run('restore', id)]).toEqual([given, 1]);
    expect(err).toEqual(['Nothing was changed.']);
  }
  expect(await marks()).toEqual([{ name: 'kept' }, { name: 'later' }]);
  answers = ['yes', today];
  expect(await run('restore', id)).toBe(0);
  expect(out.at(-1)).toMatch(/^restored\. What was there before is in spawnpoint-.*-safety-/);
  expect(await marks()).toEqual([{ name: 'kept' }]);
});

test('a restore works on an empty machine with the recovery key or a passphrase on standard input', async () => {
  await mark('kept');
  await run('backup', 'key');
  const key = out[0] ?? '';
  await run('backup', 'create');
  const sealed = join(folder.path, 'sealed.age');
  await Bun.write(sealed, Bun.file(out[0] ?? ''));
  typed = 'a passphrase of words\n';
  await run('backup', 'create', '--passphrase-stdin');
  const worded = out[0] ?? '';
  for (const [file, flag, secret, wrong] of [
    [sealed, '--key-stdin', `${key.toLowerCase()}\n`, `${key.slice(0, -1)}Q`],
    [worded, '--passphrase-stdin', 'a passphrase of words', 'another passphrase'],
  ] as const) {
    using fresh = dataFolder();
    const home = config;
    config = readConfig({ DATA_DIR: join(fresh.path, 'data') });
    typed = wrong;
    expect([flag, await run('restore', file, flag, '--yes')]).toEqual([flag, 1]);
    expect(existsSync(config.database)).toBe(false);
    typed = secret;
    expect([flag, await run('restore', file, flag, '--yes')]).toEqual([flag, 0]);
    expect(await marks()).toEqual([{ name: 'kept' }]);
    config = home;
  }
  typed = 'short';
  expect(await run('backup', 'create', '--passphrase-stdin')).toBe(2);
});

test('a backup opens with the key of everybody it was made for as well', async () => {
  const own = await generateIdentity();
  expect(await run('backup', 'create', '--recipient', 'age1nobody')).toBe(2);
  expect(err[0]).toContain('is no public key of age');
  expect(await run('backup', 'create', '--recipient', await recipientOf(own))).toBe(0);
  const id = idOf(out[0]);
  typed = own;
  expect(await run('backup', 'verify', id, '--key-stdin')).toBe(0);
  expect(await run('backup', 'verify', id)).toBe(0);
});

test('a restore is refused while a process serves from the folder', async () => {
  await run('backup', 'create');
  const id = idOf(out[0]);
  const unlock = lockFolder(config.database, { pid: 1, address: 'https://panel.example.com', since: 'now' });
  expect(run('restore', id, '--yes')).rejects.toThrow('Process 1 serves from it');
  await run('restore', id, '--yes').catch(() => undefined);
  unlock();
  expect(await run('restore', id, '--yes')).toBe(0);
});

test('a restore whose process was killed after the decision is ended by the next command', async () => {
  await mark('kept');
  await run('backup', 'create');
  const id = idOf(out[0]);
  await mark('later');
  expect(await run('restore', id, '--half', 'stage')).toBe(0);
  expect(await marks()).toHaveLength(2);
  writeFileSync(join(folder.path, 'restore', 'decided'), '');
  await finishPendingRestore(config);
  expect(await marks()).toEqual([{ name: 'kept' }]);
  expect(existsSync(join(folder.path, 'restore'))).toBe(false);
});

test('a damaged database is replaced only where nobody asks for a copy of it', async () => {
  await mark('kept');
  await run('backup', 'create');
  const id = idOf(out[0]);
  for (const ending of ['', '-wal', '-shm']) rmSync(config.database + ending, { force: true });
  writeFileSync(config.database, 'SQLite format 3\0'.repeat(600));
  expect(await run('restore', id, '--yes')).toBe(1);
  expect(err[0]).toContain('--no-copy restores without copying it');
  expect(await run('restore', id, '--yes', '--no-copy')).toBe(0);
  expect(await marks()).toEqual([{ name: 'kept' }]);
});

test('a backup is sent to the storage that the settings name, listed there, and fetched on another machine', async () => {
  await using s3 = openS3();
  const connect = () =>
    withHost(config, context, async ({ services }) => {
      await services.settings.set(null, s3Settings(s3));
      return 0;
    });
  await withHost(config, { words: { isNew: true, newKey: false } }, () => Promise.resolve(0));
  expect(await run('backup', 'remote')).toBe(1);
  expect(err[0]).toContain('backup_s3_');
  await connect();
  await run('backup', 'create');
  const id = idOf(out[0]);
  expect(await run('backup', 'send', id, '--json')).toBe(0);
  expect(JSON.parse(out.at(-1) ?? '')).toEqual({ done: { id } });
  expect(await run('backup', 'remote')).toBe(0);
  expect(out).toEqual([`${id}  0.0 MB`]);
  expect(await run('backup', 'delete', id)).toBe(0);
  expect(await run('backup', 'fetch', id)).toBe(0);
  expect(await run('backup', 'verify', id)).toBe(0);
  await run('backup', 'list');
  expect(out[0]).toEndWith('0 users, 0 servers, 0 credits, 0 files (0.0 MB)  verified');
  expect(await run('backup', 'send', '../app.key')).toBe(1);
  expect(await run('backup', 'fetch', id.replace('manual', 'daily'))).toBe(1);
  expect(err[0]).toContain('not in the storage');
});
