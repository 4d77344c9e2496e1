import { Database, SQLiteError } from 'bun:sqlite';
import { SQL } from 'bun';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MigrationError } from '#server/data/migrate.ts';
import { DomainError } from '#shared/errors.ts';
import { startFault } from './faults.ts';
import { StartError } from './start-error.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'spawnpoint-fault-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const place = () => ({ database: join(folder, 'spawnpoint.db'), dataDir: folder, host: '127.0.0.1', port: 3000 });
const words = (error: unknown) => startFault(error, place());
/** What SQLite throws when the work is done on the file. */
function thrown(work: (file: Database) => void): unknown {
  const file = new Database(place().database);
  try {
    work(file);
    return null;
  } catch (error) {
    return error;
  } finally {
    file.close();
  }
}

test('E9 faults of a file say which file, and what to do', () => {
  expect(words(thrown((file) => file.run('PRAGMA max_page_count = 1; CREATE TABLE a (b); CREATE TABLE c (d)')))).toBe(
    `The disk of ${place().database} is full. Free some space and start again: nothing is lost.`,
  );
  expect(words(thrown((file) => file.run('PRAGMA query_only = ON; CREATE TABLE a (b)')))).toContain(
    'cannot be written',
  );
  writeFileSync(place().database, 'no database at all, but long enough for a header '.repeat(40));
  expect(words(thrown((file) => file.run('CREATE TABLE a (b)')))).toContain('damaged or is no database');
  const open = () => Database.open(join(folder, 'missing', 'x.db'));
  expect(open).toThrow(SQLiteError);
  try {
    open();
  } catch (error) {
    expect(words(error)).toContain('cannot be opened');
  }
});

test('E9 faults of the system name the path', () => {
  const fault = (code: string, path?: string) =>
    Object.assign(new Error(code), { code, ...(path === undefined ? {} : { path }) });
  expect(words(fault('EACCES', '/srv/data/app.key'))).toStartWith('/srv/data/app.key may not be used');
  expect(words(fault('EROFS', '/srv/data'))).toContain('read-only');
  expect(words(fault('ENOSPC'))).toStartWith(`The disk of ${folder} is full`);
  const away = Object.assign(new DomainError('SERVER_UNAVAILABLE'), { cause: fault('ENOSPC') });
  expect(words(away)).toBe(words(fault('ENOSPC')));
  expect(words(new DomainError('SERVER_UNAVAILABLE'))).toBeNull();
  expect(words(fault('EADDRINUSE'))).toContain('Port 3000');
});

test('E9 faults of PostgreSQL say what to check, and no password', async () => {
  const sql = new SQL('postgres://nobody:hidden@127.0.0.1:1/none', { max: 1 });
  const error: unknown = await sql`SELECT 1`.catch((found: unknown) => found);
  await sql.close();
  expect(words(error)).toContain('PostgreSQL cannot be reached');
  expect(words(error)).not.toContain('hidden');
  const state = (errno: string) =>
    Object.assign(Object.create(SQL.PostgresError.prototype) as object, {
      errno,
      message: 'said the server',
      code: 'ERR_POSTGRES_SERVER_ERROR',
    });
  expect(words(state('28P01'))).toContain('refuses the user or the password');
  expect(words(state('3D000'))).toContain('does not exist');
  expect(words(state('53100'))).toContain('full');
});

test('what is already in words stays, and a fault of the program keeps its stack', () => {
  expect(words(new StartError('in use'))).toBe('in use');
  expect(words(new MigrationError('newer'))).toBe('newer');
  expect(words(new TypeError('undefined is not a function'))).toBeNull();
  expect(words('text')).toBeNull();
});
