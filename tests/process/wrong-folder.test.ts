import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Installation } from './installation.ts';

const PERSON = { password: 'plough lantern meadow seven', first_name: 'A', last_name: 'B', terms: true as const };
let host: Installation;
beforeEach(() => (host = new Installation()));
afterEach(() => host.remove());

const at = (name: string) => join(host.dataDir, name);
const files = () => readdirSync(host.dataDir).toSorted();
/** Tries to serve from the folder as it is. A refusal ends by itself. */
const serve = (...words: string[]) => host.runWith({ PORT: '0' }, 'serve', '--local', ...words);

/** An installation with an owner, not running. */
async function furnish(): Promise<void> {
  await host.start();
  await host
    .client()
    .auth.register({ body: { ...PERSON, username: 'owner', email: 'owner@example.com', setup: host.setup } });
  expect(await host.end('SIGTERM')).toBe(0);
}
/** Puts the database out of the way. Out: the function that puts it back. */
function hideDatabase(): () => void {
  const names = files().filter((name) => name.startsWith('spawnpoint.db'));
  // Beside the folder, so on the same disk: what is renamed crosses to no other.
  const away = mkdtempSync(`${host.dataDir}-away-`);
  for (const name of names) renameSync(at(name), join(away, name));
  return () => {
    for (const name of names) copyFileSync(join(away, name), at(name));
    rmSync(away, { recursive: true });
  };
}

describe('T62 E2 a database that is missing beside its key', () => {
  test('a database is not made again in silence, and serves on when it is back', async () => {
    await furnish();
    const back = hideDatabase();
    const before = files();
    const refused = await serve();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(`${host.dataDir} has an app.key`);
    expect(refused.output).not.toContain('setup=');
    expect(files()).toEqual(before);
    // An empty file is no database either.
    writeFileSync(at('spawnpoint.db'), '');
    expect((await serve()).output).toContain('missing or empty');
    expect((await host.run('ledger', 'verify')).code).toBe(1);
    rmSync(at('spawnpoint.db'));
    back();
    await host.start();
    expect(host.setup).not.toBe('');
    await host.client().auth.login({ body: { login: 'owner', password: PERSON.password } });
  }, 300_000);

  test('a database is made again where the operator says so', async () => {
    await furnish();
    hideDatabase();
    host.setup = '';
    await host.start('--new');
    expect(host.setup).not.toBe('');
  }, 300_000);
});

describe('T62 E9 a key', () => {
  test('a key that is missing is not made again in silence', async () => {
    await furnish();
    renameSync(at('app.key'), at('away.key'));
    const refused = await serve();
    expect([refused.code, existsSync(at('app.key'))]).toEqual([1, false]);
    expect(refused.output).toContain('has no app.key');
    expect((await host.run('settings', 'list')).code).toBe(1);
    renameSync(at('away.key'), at('app.key'));
    await host.start();
  }, 300_000);

  test('a key of another installation is refused, and taken where the operator says so', async () => {
    await furnish();
    writeFileSync(at('app.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
    const refused = await serve();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('is not the key of this database');
    await host.start('--new-key');
    expect(await host.end('SIGTERM')).toBe(0);
    await host.start();
  }, 300_000);
});

test('T62 E4 a second process does not serve from the same folder, learns who does, and may when that one is gone', async () => {
  await host.start();
  const second = await serve();
  expect(second.code).toBe(1);
  expect(second.output).toContain(`Process ${String(host.pid)} serves from it`);
  // The command line works beside a running server.
  expect((await host.run('settings', 'set', 'app_name', 'Lantern')).code).toBe(0);
  await host.end('SIGKILL');
  await host.start();
  expect(await host.end('SIGTERM')).toBe(0);
  expect(files()).not.toContain('spawnpoint.db.serving');
}, 300_000);

test('T62 P6 a command in another folder makes nothing there and names the folder', async () => {
  for (const command of [
    ['panel', 'list'],
    ['settings', 'list'],
    ['ledger', 'verify'],
    ['mail', 'list'],
    ['user', 'create', '--username', 'x', '--email', 'x@example.com', '--password-stdin'],
  ]) {
    const refused = await host.run(...command);
    expect([command[0], refused.code]).toEqual([command[0], 1]);
    expect(refused.output).toContain(`There is no installation in ${host.dataDir}`);
    expect(refused.output).toContain('DATA_DIR');
  }
  expect(files()).toEqual([]);
}, 300_000);

describe('E9 a start that fails says in words what is wrong and where', () => {
  test('a file that is no database is named', async () => {
    writeFileSync(
      at('spawnpoint.db'),
      'This is no database, but a text that is long enough to have a header. '.repeat(20),
    );
    const refused = await serve();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(`${at('spawnpoint.db')} is damaged or is no database`);
    expect(refused.output).not.toMatch(/\n\s+at /);
  }, 300_000);

  test('a folder that cannot be made is named', async () => {
    writeFileSync(at('file'), '');
    const refused = await host.runWith({ PORT: '0', DATA_DIR: at('file/data') }, 'serve', '--local');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('a part of its path is a file');
    expect(refused.output).not.toMatch(/\n\s+at /);
  }, 300_000);

  test('a port that is taken is named', async () => {
    await host.start();
    const other = at('other');
    mkdirSync(other);
    const refused = await host.runWith({ PORT: new URL(host.url).port, DATA_DIR: other }, 'serve', '--local');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(`Port ${new URL(host.url).port} on 127.0.0.1 is in use`);
    expect(refused.output).not.toMatch(/\n\s+at /);
  }, 300_000);

  test('a database that nobody answers for is named', async () => {
    const refused = await host.runWith(
      { PORT: '0', DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' },
      'serve',
      '--local',
    );
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('PostgreSQL cannot be reached');
    expect(refused.output).not.toContain('secret');
  }, 300_000);
});
