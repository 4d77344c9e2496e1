import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createPostgresPool, openPostgres } from '#server/data/postgres.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { refusal } from '#tests/support/endings.ts';
import { testLog } from '#tests/support/log.ts';

let db: TestDb;
beforeAll(async () => {
  db = await openTestDb('postgres');
});
afterAll(() => db.close());

test('a deadlock is tried again, and both commands go through', async () => {
  for (const key of ['a', 'b']) await db.uow.run((tx) => tx.settings.put(key, '', TEST_START));
  const bothHoldOne = Promise.withResolvers<void>();
  let holding = 0;
  let runs = 0;
  const cross = (first: string, second: string) =>
    db.database.write(async ({ raw }) => {
      runs += 1;
      const append = 'UPDATE settings SET value = value || ? WHERE key = ?';
      await raw.run(append, [first, first]);
      holding += 1;
      if (holding === 2) bothHoldOne.resolve();
      await bothHoldOne.promise;
      await raw.run(append, [first, second]);
    });
  await Promise.all([cross('a', 'b'), cross('b', 'a')]);
  // On a busy machine the second try may meet the other once more.
  expect(runs).toBeGreaterThanOrEqual(3);
  const values = (await db.uow.read((tx) => tx.settings.all())).map(({ value }) => [...value].sort().join(''));
  expect(values).toEqual(['ab', 'ab']);
});

test('an error that the caller threw is passed on, not tried again', async () => {
  let runs = 0;
  const failing = db.uow.run(async () => {
    runs += 1;
    throw new Error('halt');
  });
  await expect(failing).rejects.toThrow('halt');
  expect(runs).toBe(1);
});

test('a connection that breaks in the middle fails its command alone', async () => {
  const broken = db.database.write(async ({ raw }) => {
    await raw.run("INSERT INTO settings (key, value, updated_ms) VALUES ('broken', 'x', 1)");
    const pid = (await raw.one<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid ?? 0;
    await raw.all('SELECT pg_terminate_backend(?)', [pid]);
    await raw.all('SELECT 1');
  });
  expect(await refusal(broken)).toBe('SERVER_UNAVAILABLE');
  expect((await db.uow.read((tx) => tx.settings.all())).some(({ key }) => key === 'broken')).toBe(false);
});

test('the answer is SERVER_UNAVAILABLE while the server cannot be reached', async () => {
  const log = testLog();
  const engine = openPostgres(createPostgresPool('postgres://nobody@127.0.0.1:1/none'), () => undefined, log);
  expect(await refusal(engine.read(async () => 1))).toBe('SERVER_UNAVAILABLE');
  expect(log.events()).toEqual(['database.unavailable']);
  await engine.close();
});
