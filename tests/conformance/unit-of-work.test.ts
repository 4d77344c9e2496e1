import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { insideTransaction } from '#server/data/scope.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

/** Runs something as another request would: not as a part of the transaction around the caller. */
const outside = AsyncLocalStorage.snapshot();

/** What every engine owes to the modules. */
describe.each(ENGINES)('unit of work on %s', (kind) => {
  let db: TestDb;
  let uow: UnitOfWork;
  beforeAll(async () => {
    db = await openTestDb(kind);
    uow = db.uow;
  });
  afterAll(() => db.close());

  const value = async (key: string) =>
    (await uow.read((tx) => tx.settings.all())).find((row) => row.key === key)?.value ?? null;
  const set = (key: string, text: string) => uow.run((tx) => tx.settings.put(key, text, TEST_START));

  test('a command that resolves is stored, one that throws leaves nothing and rejects with what it threw', async () => {
    await set('kept', 'yes');
    const refused = uow.run(async (tx) => {
      await tx.settings.put('kept', 'no', TEST_START);
      throw new Error('halt');
    });
    await expect(refused).rejects.toThrow('halt');
    expect(await value('kept')).toBe('yes');
  });

  test('a question that comes after the database was closed for a restore is refused, and may come again', async () => {
    const closing = await openTestDb(kind);
    await closing.close();
    const late = async () => 'late';
    for (const question of [() => closing.uow.run(late), () => closing.uow.read(late)])
      await expect(question()).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' });
  });

  test('questions that are asked at once in one view are answered each, and one that fails leaves nobody else behind', async () => {
    await set('at.once', 'yes');
    const ask = (...more: readonly string[]) =>
      db.database.read(({ raw }) =>
        Promise.all(
          ["SELECT value FROM settings WHERE key = 'at.once'", ...more, 'SELECT 1 AS one', 'SELECT 2 AS two'].map(
            (sql) => raw.one<Record<string, unknown>>(sql),
          ),
        ),
      );
    for (let round = 0; round < 10; round += 1) {
      await expect(ask('SELECT no FROM nowhere')).rejects.toThrow();
      expect(await ask()).toEqual([{ value: 'yes' }, { one: 1 }, { two: 2 }]);
    }
  });

  test('a neighbour of a failing command is not touched, whichever comes first', async () => {
    const jobs = Array.from({ length: 40 }, (_, index) =>
      uow.run(async (tx) => {
        await tx.settings.put(`neighbour.${index}`, 'x', TEST_START);
        await Promise.resolve();
        if (index % 2 === 1) throw new Error(`odd ${index}`);
        return index;
      }),
    );
    const ends = await Promise.allSettled(jobs);
    const stored = (await uow.read((tx) => tx.settings.all()))
      .filter(({ key }) => key.startsWith('neighbour.'))
      .map(({ key }) => Number(key.slice(10)));
    expect(stored.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index * 2));
    for (const [index, end] of ends.entries()) expect(end.status).toBe(index % 2 === 0 ? 'fulfilled' : 'rejected');
  });

  test('questions do not see what is not committed, and see it at once when it is', async () => {
    await set('seen', 'old');
    const wrote = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const writing = uow.run(async (tx) => {
      await tx.settings.put('seen', 'new', TEST_START);
      wrote.resolve();
      await go.promise;
    });
    await wrote.promise;
    expect(await value('seen')).toBe('old');
    go.resolve();
    await writing;
    expect(await value('seen')).toBe('new');
  });

  test('a view stays the same while it is read', async () => {
    await set('view', 'before');
    await uow.read(async (tx) => {
      const read = async () => (await tx.settings.all()).find((row) => row.key === 'view')?.value;
      expect(await read()).toBe('before');
      await outside(() => set('view', 'after'));
      expect(await read()).toBe('before');
    });
    expect(await value('view')).toBe('after');
  });

  test('no update is lost where 50 at once add one each', async () => {
    await db.sql(
      "INSERT INTO user_limits (user_id, memory, disk, cpu, slots, ports, databases, backups) VALUES ('lost', 0, 0, 0, 0, 0, 0, 0)",
    );
    await Promise.all(
      Array.from({ length: 50 }, () =>
        uow.run(async (tx) => {
          await tx.limits.lock('lost');
          const { memory } = await tx.limits.of('lost');
          await Promise.resolve();
          await tx.limits.add('lost', 'memory', memory >= 0 ? 1 : 0);
        }),
      ),
    );
    expect((await uow.read((tx) => tx.limits.of('lost'))).memory).toBe(50);
  });

  test('a lock makes read-then-write safe', async () => {
    await db.sql(
      "INSERT INTO user_limits (user_id, memory, disk, cpu, slots, ports, databases, backups) VALUES ('locked', 0, 0, 0, 0, 0, 0, 0)",
    );
    await Promise.all(
      Array.from({ length: 20 }, () =>
        db.database.write(async ({ tx, raw }) => {
          await tx.limits.lock('locked');
          const { memory } = await tx.limits.of('locked');
          await raw.run('UPDATE user_limits SET memory = ? WHERE user_id = ?', [memory + 1, 'locked']);
        }),
      ),
    );
    expect((await uow.read((tx) => tx.limits.of('locked'))).memory).toBe(20);
  });

  test('nesting throws instead of waiting for itself, and does not spoil what comes after', async () => {
    for (const inner of [() => uow.run(async () => 1), () => uow.read(async () => 1)]) {
      await expect(uow.run(() => inner())).rejects.toThrow('inside another');
      await expect(uow.read(() => inner())).rejects.toThrow('inside another');
    }
    expect(await uow.run(async () => insideTransaction())).toBe(true);
    expect(insideTransaction()).toBe(false);
    expect(await uow.read(async () => 'fine')).toBe('fine');
  });

  test('a question cannot write', async () => {
    await expect(uow.read((tx) => tx.settings.put('written', 'x', TEST_START))).rejects.toThrow();
    expect(await value('written')).toBeNull();
  });

  test('a statement that failed dooms its transaction even where the error is swallowed', async () => {
    const swallowed = db.database.write(async ({ raw, tx }) => {
      await tx.settings.put('doomed', 'x', TEST_START);
      await raw
        .run('INSERT INTO settings (key, value, updated_ms) VALUES (?, ?, ?)', ['doomed', 'y', 1])
        .catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow();
    expect(await value('doomed')).toBeNull();
  });

  test('a statement that comes after the end of its transaction is refused and joins nobody else', async () => {
    const leaked = Promise.withResolvers<unknown>();
    const go = Promise.withResolvers<void>();
    await uow.run(async (tx) => {
      void go.promise.then(() => tx.settings.put('late', 'x', TEST_START)).then(leaked.resolve, leaked.resolve);
    });
    await uow.run(async () => {
      go.resolve();
      await Promise.resolve();
    });
    expect(String(await leaked.promise)).toContain('outside its transaction');
    expect(await value('late')).toBeNull();
  });

  test('only whole safe numbers, texts and null are bound', async () => {
    for (const bad of [1.5, Number.NaN, 2 ** 53, Infinity]) {
      await expect(
        db.database.write(({ raw }) => raw.run('UPDATE settings SET updated_ms = ?', [bad])),
      ).rejects.toThrow(RangeError);
    }
    const big = Number.MAX_SAFE_INTEGER;
    expect(
      await db.database.read(({ raw }) =>
        raw.one('SELECT CAST(? AS BIGINT) AS big, CAST(? AS TEXT) AS text', [big, "it's ?"]),
      ),
    ).toEqual({ big, text: "it's ?" });
  });

  test('touched topics are published once, after the commit, and forgotten on rollback', async () => {
    const heard: string[] = [];
    const stops = ['user:1', 'user:2', 'user:3'].map((topic) => db.bus.subscribe(topic, (name) => heard.push(name)));
    const going = uow.run(async (tx) => {
      tx.touch('user:1', 'user:2');
      tx.touch('user:1');
      await tx.settings.put('touched', 'x', TEST_START);
      expect(heard).toEqual([]);
    });
    const failing = uow.run(async (tx) => {
      tx.touch('user:3');
      throw new Error('halt');
    });
    await Promise.allSettled([going, failing]);
    expect(heard.sort()).toEqual(['user:1', 'user:2']);
    for (const stop of stops) stop();
    await uow.run(async (tx) => tx.touch('user:1'));
    expect(heard).toHaveLength(2);
  });

  test('what a listener reads is already committed, and it may start a transaction of its own', async () => {
    const answer = Promise.withResolvers<string | null>();
    const stop = db.bus.subscribe('settings', () => void value('announced').then(answer.resolve, answer.reject));
    await uow.run(async (tx) => {
      await tx.settings.put('announced', 'now', TEST_START);
      tx.touch('settings');
    });
    expect(await answer.promise).toBe('now');
    stop();
  });

  test('order and ranges of texts are by byte', async () => {
    for (const text of ['b', 'B', 'a', 'ä', '_', 'Z']) await set(`order.${text}`, 'x');
    const rows = await db.sql<{ key: string }>(
      "SELECT key FROM settings WHERE key >= 'order.' AND key < 'order/' ORDER BY key",
    );
    expect(rows.map(({ key }) => key.slice(6))).toEqual(['B', 'Z', '_', 'a', 'b', 'ä']);
  });
});
