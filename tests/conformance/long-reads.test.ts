import { afterEach, describe, expect, test } from 'bun:test';
import type { Session } from '#server/data/engine.ts';
import { createLedger } from '#server/modules/ledger/index.ts';
import type { LongRead } from '#server/modules/tx.ts';
import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, spawnReader, type Engine, type TestDb } from '#tests/support/db.ts';

let db: TestDb | undefined;
afterEach(async () => {
  await db?.close();
  db = undefined;
});
const open = async (engine: Engine, spawn = spawnReader): Promise<TestDb> => (db = await openTestDb(engine, spawn));

/** A question that goes on for as long as it is let: it counts further than anybody waits. */
const endless = ({ raw }: Session): Promise<unknown> =>
  raw.all(
    `WITH RECURSIVE n(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE ${raw.stopCondition} AND i < 100000000000) SELECT COUNT(*) AS n FROM n`,
  );
const VISITOR: LongRead = { for: 'visitor' };
const codeOf = (error: unknown) => (error instanceof DomainError ? error.code : error);
const balanceOf = ({ database }: TestDb) => database.long.read((tx) => tx.ledger.balance('user:a'), VISITOR);
const ledger = createLedger({ clock: fakeClock(), ids: testIds() });
const give = ({ uow }: TestDb, reference: string) =>
  uow.run((tx) =>
    ledger.transfer(tx, {
      kind: 'k',
      reference,
      postings: [{ source: 'system:adjustment', destination: 'user:a', amount: toCredits(1) }],
    }),
  );
const turnOfLoop = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Starts an endless question and waits until it has begun. Out: what became of it, when it is over. */
async function begun({ database }: TestDb, options: LongRead): Promise<{ over: Promise<unknown> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = database
    .readLong((session) => (resolve(), endless(session)), options)
    .then(
      () => 'answered',
      (error: unknown) => codeOf(error),
    );
  await promise;
  return { over };
}

describe.each(ENGINES)('long questions on %s', (engine) => {
  test('T66 a long query leaves the event loop free for other queries and commands, and ends when the caller leaves', async () => {
    const world = await open(engine);
    const leaving = new AbortController();
    const state = { over: false, turns: 0 };
    const { database } = world;
    const asked = database
      .readLong(endless, { for: 'visitor', signal: leaving.signal })
      .catch((error: unknown) => error)
      .finally(() => (state.over = true));
    for (; state.turns < 200 && !state.over; state.turns += 1) await turnOfLoop();
    for (let index = 0; index < 20; index += 1) await give(world, `r${index}`);
    expect(await world.uow.read((tx) => ledger.balance(tx, 'user:a'))).toBe(20);
    // It was open all that time: only the visitor's leaving ends it.
    expect(state).toEqual({ turns: 200, over: false });
    leaving.abort(new Error('the visitor left'));
    expect(await asked).toEqual(new Error('the visitor left'));
    expect(await balanceOf(world)).toBe(20);
  }, 300_000);

  test('T66 a question that takes longer than it may is ended, and refused as SERVER_UNAVAILABLE', async () => {
    const world = await open(engine);
    const asked = world.database.readLong(endless, { for: 'job', limitMs: 50 });
    expect(codeOf(await asked.catch((error: unknown) => error))).toBe('SERVER_UNAVAILABLE');
    expect(await balanceOf(world)).toBe(0);
  }, 300_000);

  test('T66 jobs leave a place to visitors, and a visitor is refused when too many wait, but no job', async () => {
    const world = await open(engine);
    const leaving = new AbortController();
    const ask = (of: LongRead['for']) =>
      world.database.readLong(endless, { for: of, signal: leaving.signal }).then(
        () => 'answered',
        (error: unknown) => codeOf(error),
      );
    const jobs = [ask('job'), ask('job')];
    expect(await balanceOf(world)).toBe(0);
    const visitors = Array.from({ length: 65 }, () => ask('visitor'));
    expect(await ask('visitor')).toBe('SERVER_UNAVAILABLE');
    // The night's work, in many questions, does not fail because visitors come.
    jobs.push(ask('job'));
    leaving.abort(new DomainError('NOT_FOUND'));
    expect(new Set(await Promise.all([...jobs, ...visitors]))).toEqual(new Set(['NOT_FOUND']));
    expect(await balanceOf(world)).toBe(0);
  }, 300_000);

  test('a long question sees a single state of the data, whatever is written meanwhile', async () => {
    const world = await open(engine);
    const [written, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const seen = world.database.long.read(async (tx) => {
      const before = await tx.ledger.balance('user:a');
      begun.resolve();
      await written.promise;
      return [before, await tx.ledger.balance('user:a')];
    }, VISITOR);
    await begun.promise;
    await give(world, 'meanwhile');
    written.resolve();
    expect(await seen).toEqual([0, 0]);
    expect(await balanceOf(world)).toBe(1);
  });

  test('a long question cannot write, and a fault of one harms no other', async () => {
    const world = await open(engine);
    const write = world.database.long.read((tx) => tx.counters.purge('2999-01-01', 1), VISITOR);
    expect(String(await write.catch((error: unknown) => error))).toMatch(
      engine === 'sqlite' ? /SERVER_UNAVAILABLE/ : /read-only/,
    );
    const wrong = world.database.readLong(({ raw }) => raw.all('SELECT nonsense'), VISITOR);
    expect(String(await wrong.catch((error: unknown) => error))).toContain('nonsense');
    expect(await balanceOf(world)).toBe(0);
  });
});

describe('reading threads', () => {
  /** A thread of which the test can do what it likes to. */
  function watched(spawn: () => Worker = spawnReader) {
    const threads: Worker[] = [];
    return { threads, spawn: () => (threads.push(spawn()), threads.at(-1) ?? spawn()) };
  }

  test('T66 what a thread was asked when it died is refused, and another one takes its place, but not again and again', async () => {
    const { threads, spawn } = watched();
    const world = await open('sqlite', spawn);
    for (let round = 1; round <= 5; round += 1) {
      const { over } = await begun(world, VISITOR);
      threads.at(-1)?.terminate();
      expect(await over).toBe('SERVER_UNAVAILABLE');
      expect(threads).toHaveLength(round);
    }
    expect(await balanceOf(world).catch(codeOf)).toBe('SERVER_UNAVAILABLE');
    expect(threads).toHaveLength(5);
    expect(world.log.events()).toContain('reader.ended');
  }, 300_000);

  test('a thread whose file is not there is refused and logged, and everything else goes on', async () => {
    const world = await open('sqlite', () => new Worker(new URL('file:///nowhere/reader.worker.ts')));
    expect(await balanceOf(world).catch(codeOf)).toBe('SERVER_UNAVAILABLE');
    expect(world.log.events()).toEqual(['reader.ended', 'database.unavailable']);
    expect(await world.uow.read((tx) => tx.ledger.balance('user:a'))).toBe(0);
  });

  test('threads start with the first long question, are used again, and end with the database', async () => {
    const { threads, spawn } = watched();
    const world = await open('sqlite', spawn);
    await give(world, 'one');
    expect(threads).toHaveLength(0);
    for (let index = 0; index < 5; index += 1) await balanceOf(world);
    expect(threads).toHaveLength(1);
    const { over } = await begun(world, VISITOR);
    await world.database.close();
    expect(await over).not.toBe('answered');
  }, 300_000);
});
