import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCheckpoints } from '#server/data/checkpoints.ts';
import type { Engine } from '#server/data/engine.ts';
import { openSqlite } from '#server/data/sqlite.ts';
import { spawnReader, sqlitePlace } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';

let place: ReturnType<typeof sqlitePlace>;
let path: string;
let engine: Engine;
let published: string[][];
/**
 * What the writer's clock gains with every look: it stands still, however busy the machine is, unless a test lets time
 * pass.
 */
let stepMs: number;
beforeEach(async () => {
  place = sqlitePlace();
  path = 'path' in place.where ? place.where.path : '';
  published = [];
  stepMs = 0;
  let nowMs = 0;
  engine = openSqlite(path, (topics) => void published.push([...topics]), testLog(), {
    nowMs: () => (nowMs += stepMs),
  });
  await engine.write(async ({ raw }) => {
    await raw.run('CREATE TABLE parents (id INTEGER PRIMARY KEY)');
    await raw.run(
      'CREATE TABLE rows (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)',
    );
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
/** Inserts rows with ids that follow each other, by one statement. */
const insertMany = (from: number, count: number) =>
  engine.write(({ raw }) =>
    raw.run(
      `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})
       INSERT INTO rows (id) SELECT i FROM n`,
    ),
  );
const ids = () =>
  engine.read(async ({ raw }) =>
    (await raw.all<{ id: number }>('SELECT id FROM rows ORDER BY id')).map(({ id }) => id),
  );

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
  const explaining = engine.write(({ raw }) =>
    raw.all('EXPLAIN QUERY PLAN UPDATE rows SET parent = NULL WHERE id = 1'),
  );
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

test('T52 who writes without end beside a server lets the server’s commands in behind each of its commits', async () => {
  const other = openSqlite(path, () => undefined, testLog(), { yields: true, sync: () => Promise.resolve() });
  let commits = 0;
  const state = { running: true };
  const writing = (async () => {
    while (state.running) {
      await other.write(async ({ raw }) => {
        await raw.run('INSERT INTO rows (id) VALUES (?)', [1000 + commits]);
        // As long as a slice of an import: the lock is held meanwhile.
        await Bun.sleep(10);
      });
      commits += 1;
    }
  })();
  const begun = commits;
  for (let id = 0; id < 20; id += 1) await insert(id);
  const meanwhile = commits - begun;
  state.running = false;
  await writing;
  await other.close();
  expect(await ids()).toHaveLength(20 + commits);
  // One commit of the other before each; a few more where the machine is busy. Without its pauses it was hundreds.
  expect(meanwhile).toBeLessThan(60);
});

test('a command that waits for ever is rolled back, and its late statements are refused', async () => {
  const hasty = openSqlite(path, () => undefined, testLog(), { limitMs: 20 });
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
  await expect(insert(3)).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' });
  await expect(ids()).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' });
});

test('more readers than connections wait for one another', async () => {
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

/** A disk whose flushes a test ends by hand. */
function slowDisk() {
  const flushes: PromiseWithResolvers<void>[] = [];
  const disk = openSqlite(path, (topics) => void published.push([...topics]), testLog(), {
    sync() {
      const flush = Promise.withResolvers<void>();
      flushes.push(flush);
      return flush.promise;
    },
  });
  const add = (id: number) =>
    disk.write(async ({ raw, tx }) => {
      tx.touch(`row:${id}`);
      await raw.run('INSERT INTO rows (id) VALUES (?)', [id]);
      return id;
    });
  return { disk, flushes, add };
}
const turns = async (count = 5) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
};

test('answers and publications wait for a flush that began after their commit, and those meanwhile share the next', async () => {
  const { disk, flushes, add } = slowDisk();
  const answered: number[] = [];
  const first = add(1).then((id) => answered.push(id));
  await turns();
  const others = [2, 3].map((id) => add(id).then(() => answered.push(id)));
  await turns();
  expect({ answered, published, flushes: flushes.length }).toEqual({ answered: [], published: [], flushes: 1 });
  expect(await ids()).toEqual([1]);
  flushes[0]?.resolve();
  await first;
  await turns();
  expect({ answered, published, flushes: flushes.length }).toEqual({
    answered: [1],
    published: [['row:1']],
    flushes: 2,
  });
  flushes[1]?.resolve();
  await Promise.all(others);
  expect({ answered, published }).toEqual({ answered: [1, 2, 3], published: [['row:1'], ['row:2', 'row:3']] });
  await disk.close();
});

test('what wrote nothing is not flushed, but is answered only when what it saw is on the disk', async () => {
  const { disk, flushes, add } = slowDisk();
  expect(await disk.write(async ({ raw }) => (await raw.all('SELECT id FROM rows')).length)).toBe(0);
  expect(flushes).toHaveLength(0);
  const first = add(1);
  await turns();
  let refused = false;
  const second = disk
    .write(async ({ raw }) => {
      if (await raw.one('SELECT id FROM rows WHERE id = 1')) throw new Error('taken');
    })
    .catch(() => (refused = true));
  await turns();
  expect(refused).toBe(false);
  flushes[0]?.resolve();
  await Promise.all([first, second]);
  expect({ refused, flushes: flushes.length }).toEqual({ refused: true, flushes: 1 });
  await disk.close();
});

test('a flush that fails answers nobody, and nobody is served until the file is opened again', async () => {
  const { disk, flushes, add } = slowDisk();
  const first = Promise.allSettled([add(1)]);
  await turns();
  const second = Promise.allSettled([add(2)]);
  await turns();
  flushes[0]?.reject(new Error('EIO'));
  for (const [end] of [await first, await second])
    expect(String(end?.status === 'rejected' && end.reason)).toContain('SERVER_UNAVAILABLE');
  await expect(add(3)).rejects.toThrow('SERVER_UNAVAILABLE');
  await expect(disk.read(({ raw }) => raw.all('SELECT id FROM rows'))).rejects.toThrow('SERVER_UNAVAILABLE');
  expect({ published, flushes: flushes.length }).toEqual({ published: [], flushes: 1 });
  await disk.close();
});

test('everything that was answered is there after a loss of power', async () => {
  const kept = mkdtempSync(join(tmpdir(), 'spawnpoint-power-'));
  const copy = join(kept, 'copy.db');
  // What is on the disk is what was there when a flush began, taken when it ends: the file itself changes with copying
  // back only, which has flushes of its own.
  let begun = 0;
  const disk = openSqlite(path, () => undefined, testLog(), {
    async sync() {
      begun += 1;
      const log = readFileSync(`${path}-wal`);
      await new Promise<void>((resolve) => void setImmediate(resolve));
      copyFileSync(path, copy);
      writeFileSync(`${copy}-wal`, log);
    },
  });
  const survives = (id: number) => {
    const found = new Database(copy);
    try {
      return found.query('SELECT id FROM rows WHERE id = ?').get(id) !== null;
    } finally {
      found.close();
    }
  };
  const lost: number[] = [];
  async function player(from: number): Promise<void> {
    for (let id = from; id < from + 10; id += 1) {
      await disk.write(({ raw }) => raw.run('INSERT INTO rows (id) VALUES (?)', [id]));
      if (!survives(id)) lost.push(id);
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => player(number * 100)));
  expect(lost).toEqual([]);
  expect(begun).toBeLessThan(80);
  await disk.close();
  rmSync(kept, { recursive: true });
});

test('the file is for its owner alone, with a write-ahead log that the writer flushes by itself', async () => {
  expect(statSync(path).mode & 0o077).toBe(0);
  const pragmas = await engine.write(async ({ raw }) => {
    const one = async (name: string) =>
      Object.values((await raw.one<Record<string, unknown>>(`PRAGMA ${name}`)) ?? {})[0];
    return [await one('journal_mode'), await one('synchronous'), await one('foreign_keys')];
  });
  expect(pragmas).toEqual(['wal', 1, 1]);
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

test('a thread copies the log back into the file after a thousand rows, and what is written meanwhile is kept', async () => {
  await engine.close();
  engine = openSqlite(path, () => undefined, testLog(), { spawnReader });
  const before = statSync(path).size;
  await insertMany(1, 999);
  expect(statSync(path).size).toBe(before);
  await insertMany(1000, 4000);
  let last = 5000;
  // Pages of new rows stand in the file only when somebody has copied them there; no commit does.
  while (statSync(path).size === before) await insertMany(last++, 1);
  expect(await ids()).toEqual(Array.from({ length: last - 1 }, (_, at) => at + 1));
});

test('T66 the write-ahead log starts over and does not grow where commands follow each other without a break', async () => {
  await engine.close();
  // More than the log is cut back to where it starts over.
  const [lateBytes, rowBytes, count] = [70_000_000, 2_000_000, 100];
  engine = openSqlite(path, () => undefined, testLog(), { spawnReader, lateBytes, waitMs: 60_000 });
  await engine.write(({ raw }) => raw.run('CREATE TABLE large (id INTEGER PRIMARY KEY, content BLOB)'));
  const sizes: number[] = [];
  let next = 0;
  // Four always wait: the queue is never empty.
  const writeOn = async () => {
    while (next < count) {
      next += 1;
      await engine.write(({ raw }) => raw.run(`INSERT INTO large (content) VALUES (zeroblob(${rowBytes}))`));
      sizes.push(statSync(`${path}-wal`).size);
    }
  };
  await Promise.all([writeOn(), writeOn(), writeOn(), writeOn()]);
  const [row] = await engine.read(({ raw }) => raw.all<{ n: number }>('SELECT COUNT(*) AS n FROM large'));
  expect(row?.n).toBe(next);
  // All of it went through the log, which was late and started over.
  expect(Math.max(...sizes)).toBeGreaterThan(lateBytes);
  expect(Math.max(...sizes)).toBeLessThan(lateBytes + 10 * rowBytes);
});

test('commands wait for the log a few times, and not for ever, where a view keeps it from starting over', async () => {
  let copies = 0;
  let size = 0;
  const { wait } = createCheckpoints(
    () => {
      copies += 1;
      return Promise.resolve();
    },
    { bytes: () => size, lateBytes: 600, waitMs: 60_000, copyByCommits: () => undefined },
  );
  const asked = (bytes: number): boolean => {
    size = bytes;
    return wait() !== null;
  };
  expect([599, 600, 601, 699, 700, 799, 800].map(asked)).toEqual([false, true, false, false, true, false, true]);
  // It started over, and is late once more.
  expect([100, 600].map(asked)).toEqual([false, true]);
  // Who waits is there when it is copied, also while nothing was written here.
  size = 900;
  await wait();
  expect(copies).toBeGreaterThan(0);
});

test('T66 no commit copies the log that a long view left behind, but the thread does', async () => {
  await engine.close();
  engine = openSqlite(path, () => undefined, testLog(), { spawnReader, lateBytes: Infinity });
  await engine.write(({ raw }) => raw.run('CREATE TABLE large (id INTEGER PRIMARY KEY, content BLOB)'));
  const other = new Database(path);
  other.run('BEGIN');
  expect(other.query('SELECT id FROM rows').all()).toEqual([]);
  const before = statSync(path).size;
  // More than a commit would copy where no thread does: 150 MB.
  for (let each = 0; each < 75; each += 1)
    await engine.write(({ raw }) => raw.run('INSERT INTO large (content) VALUES (zeroblob(2000000))'));
  other.close();
  await insertMany(1, 1);
  expect(statSync(path).size).toBe(before);
  await insertMany(2, 1000);
  for (let next = 2000; statSync(path).size < 150_000_000; next += 1) await insertMany(next, 1);
});

test('commits copy the log from a failure of the thread on, until the thread works again', async () => {
  const said: boolean[] = [];
  let [size, works] = [600, false];
  const { wait } = createCheckpoints(() => (works ? Promise.resolve() : Promise.reject(new Error('no thread'))), {
    bytes: () => size,
    lateBytes: 600,
    waitMs: 60_000,
    copyByCommits: (isOn) => void said.push(isOn),
  });
  await wait();
  [size, works] = [700, true];
  await wait();
  expect(said).toEqual([true, false]);
});

test('commits copy the log themselves while no thread can be started', async () => {
  await engine.close();
  const log = testLog();
  const spawn = () => {
    throw new Error('no thread');
  };
  engine = openSqlite(path, () => undefined, log, { spawnReader: spawn, lateBytes: Infinity });
  await engine.write(({ raw }) => raw.run('CREATE TABLE large (id INTEGER PRIMARY KEY, content BLOB)'));
  await insertMany(1, 1000);
  const before = statSync(path).size;
  for (let each = 0; each < 20; each += 1)
    await engine.write(({ raw }) => raw.run('INSERT INTO large (content) VALUES (zeroblob(2000000))'));
  expect(statSync(path).size).toBeGreaterThan(before + 30_000_000);
});

test('T66 a log that another process filled is copied back by the thread, before a commit has to', async () => {
  await engine.close();
  engine = openSqlite(path, () => undefined, testLog(), { spawnReader, lateBytes: 5_000_000 });
  /** Sends commands that write nothing until the file has so many bytes: the thread may be done after who waited. */
  const grownTo = async (bytes: number): Promise<void> => {
    while (statSync(path).size < bytes) await engine.write(() => Promise.resolve());
  };
  // What was written here is copied: nothing of it is left to ask for a copy.
  const begun = statSync(path).size;
  await insertMany(1, 5000);
  await grownTo(begun + 1);
  const other = new Database(path);
  other.run('PRAGMA wal_autocheckpoint=0');
  other.run('CREATE TABLE large (content BLOB)');
  for (let each = 0; each < 5; each += 1) other.run('INSERT INTO large (content) VALUES (zeroblob(2000000))');
  // Without a copy this never ends.
  await grownTo(9_000_000);
  expect(await ids()).toHaveLength(5000);
  other.close();
});

test('a commit is kept and the log is copied back later where the thread that does it cannot start', async () => {
  await engine.close();
  let refusals = 0;
  const log = testLog();
  engine = openSqlite(path, () => undefined, log, {
    spawnReader: () => {
      refusals += 1;
      if (refusals === 1) throw new Error('no thread');
      return spawnReader();
    },
  });
  const before = statSync(path).size;
  const many = (from: number, to: number) =>
    engine.write(async ({ raw }) => {
      for (let id = from; id <= to; id += 1) await raw.run('INSERT INTO rows (id) VALUES (?)', [id]);
    });
  await many(1, 3000);
  let last = 3001;
  while (statSync(path).size === before) {
    await many(last, last);
    last += 1;
  }
  expect(refusals).toBe(2);
  expect((await ids()).length).toBe(last - 1);
});
