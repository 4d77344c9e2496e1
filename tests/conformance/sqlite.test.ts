import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import type { Engine } from '#server/data/engine.ts';
import { openSqlite } from '#server/data/sqlite.ts';
import { sqlitePlace } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';

let place: ReturnType<typeof sqlitePlace>;
let path: string;
let engine: Engine;
let published: string[][];
/** What the writer's clock gains with every look: it stands still, however busy the machine is, unless a test lets time pass. */
let stepMs: number;
beforeEach(async () => {
  place = sqlitePlace();
  path = 'path' in place.where ? place.where.path : '';
  published = [];
  stepMs = 0;
  let nowMs = 0;
  engine = openSqlite(path, (topics) => void published.push([...topics]), testLog(), undefined, () => (nowMs += stepMs));
  await engine.write(async ({ raw }) => {
    await raw.run('CREATE TABLE parents (id INTEGER PRIMARY KEY)');
    await raw.run('CREATE TABLE rows (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)');
  });
  published = [];
});
afterEach(async () => {
  await engine.close();
  await place.remove();
});

const insert = (id: number, parent: number | null = null) =>
  engine.write(async ({ raw, tx }) => {
    tx.touch(`row:${id}`);
    await raw.run('INSERT INTO rows (id, parent) VALUES (?, ?)', [id, parent]);
    return id;
  });
const ids = () => engine.read(async ({ raw }) => (await raw.all<{ id: number }>('SELECT id FROM rows ORDER BY id')).map(({ id }) => id));

test('commands that wait together share one commit and are announced together', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, id) => insert(id)));
  expect(published).toHaveLength(1);
  expect(published[0]).toHaveLength(50);
  expect(await ids()).toHaveLength(50);
});

test('no command waits for more than a batch: a long queue has several commits, and so have slow commands', async () => {
  await Promise.all(Array.from({ length: 1000 }, (_, id) => insert(id)));
  expect(published.map((batch) => batch.length)).toEqual([256, 256, 256, 232]);
  published = [];
  stepMs = 4;
  await Promise.all(Array.from({ length: 9 }, (_, id) => insert(1000 + id)));
  expect(published.map((batch) => batch.length)).toEqual([3, 3, 3]);
});

test('a commit that fails rejects the whole batch, publishes nothing, and the next batch is sound', async () => {
  const ends = await Promise.allSettled([insert(1), insert(2, 99), insert(3), Promise.resolve()]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
  expect(published).toEqual([]);
  expect(await ids()).toEqual([]);
  expect(await insert(1)).toBe(1);
  expect(await ids()).toEqual([1]);
});

test('a statement that SQLite leaves in the middle spoils its own batch alone', async () => {
  const explaining = engine.write(({ raw }) => raw.all('EXPLAIN QUERY PLAN UPDATE rows SET parent = NULL WHERE id = 1'));
  await expect(explaining).rejects.toThrow('SERVER_UNAVAILABLE');
  expect(await insert(1)).toBe(1);
  expect(await ids()).toEqual([1]);
});

test('a lock of another process is waited for without standing still', async () => {
  const other = new Database(path);
  other.run('BEGIN IMMEDIATE');
  const waiting = insert(1);
  // The event loop goes on while the writer waits; a blocking wait would end in a refusal before this timer fires.
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(published).toEqual([]);
  other.run('COMMIT');
  other.close();
  expect(await waiting).toBe(1);
});

test('a command that waits for ever is rolled back, and its late statements are refused', async () => {
  const hasty = openSqlite(path, () => undefined, testLog(), 20);
  const never = Promise.withResolvers<void>();
  const late = Promise.withResolvers<unknown>();
  const hanging = hasty.write(async ({ raw }) => {
    await raw.run('INSERT INTO rows (id) VALUES (1)');
    await never.promise;
    await raw.run('INSERT INTO rows (id) VALUES (2)').catch(late.resolve);
  });
  await expect(hanging).rejects.toThrow('took too long');
  expect(await hasty.write(async () => 'next')).toBe('next');
  never.resolve();
  expect(String(await late.promise)).toContain('outside its transaction');
  await hasty.close();
  expect(await ids()).toEqual([]);
});

test('closing lets what waits end and refuses what comes after', async () => {
  const waiting = [insert(1), insert(2)];
  const closing = engine.close();
  expect(await Promise.all(waiting)).toEqual([1, 2]);
  await closing;
  await expect(insert(3)).rejects.toThrow('closed');
  await expect(ids()).rejects.toThrow('closed');
});

test('more readers than connections take turns', async () => {
  await insert(1);
  const gate = Promise.withResolvers<void>();
  const readers = Array.from({ length: 12 }, () =>
    engine.read(async ({ raw }) => {
      await gate.promise;
      return (await raw.all('SELECT id FROM rows')).length;
    }),
  );
  gate.resolve();
  expect(await Promise.all(readers)).toEqual(Array<number>(12).fill(1));
});

test('the file is for its owner alone, flushed at each commit, with a write-ahead log', async () => {
  expect(statSync(path).mode & 0o077).toBe(0);
  const pragmas = await engine.write(async ({ raw }) => {
    const one = async (name: string) => Object.values((await raw.one<Record<string, unknown>>(`PRAGMA ${name}`)) ?? {})[0];
    return [await one('journal_mode'), await one('synchronous'), await one('foreign_keys')];
  });
  expect(pragmas).toEqual(['wal', 2, 1]);
});

test('closing goes well while another process writes', async () => {
  await engine.write(async ({ raw }) => {
    await raw.run('CREATE INDEX rows_parent ON rows (parent)');
    for (let id = 0; id < 300; id += 1) await raw.run('INSERT INTO rows (id) VALUES (?)', [id]);
    await raw.all('SELECT id FROM rows WHERE parent = 1 ORDER BY parent');
  });
  const other = new Database(path);
  other.run('BEGIN IMMEDIATE');
  other.run('UPDATE rows SET id = id');
  await engine.close();
  other.run('ROLLBACK');
  other.close();
  engine = openSqlite(path, () => undefined, testLog());
});
