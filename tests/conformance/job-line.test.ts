import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openDatabase } from '#server/data/open.ts';
import type { JobHandler } from '#server/jobs/registry.ts';
import { createRunner, type Runner } from '#server/jobs/runner.ts';
import { enqueue } from '#server/modules/jobs/index.ts';
import type { Closed, LeasedJob, NewJob } from '#server/modules/jobs/ports.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { fakeClock, testIds, type FakeClock } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

const KIND = 'build';
const WINDOW = 10 * MINUTE;
const OPEN: Closed = { limitKeys: [], placeKeys: [] };
type LinePlace = NonNullable<NewJob['line']>;
type Handle = (job: LeasedJob) => Promise<void>;

interface LineFacts {
  readonly limit?: number;
  readonly closed?: () => Closed;
  /** Hears of each lease that began jobs. */
  readonly moved?: () => void;
}
const lineHandler = (handle: Handle, facts: LineFacts = {}): JobHandler => ({
  leaseMs: 10 * MINUTE,
  renews: true,
  concurrency: 8,
  line: {
    servedWindowMs: WINDOW,
    limitOf: () => facts.limit ?? 100,
    closed: () => Promise.resolve(() => facts.closed?.() ?? OPEN),
    moved: () => Promise.resolve(facts.moved?.()),
  },
  handle: (_, job) => handle(job),
});

/** Waiting lines of the durable queue: priority, fairness, limits, and one worker at a time for each job. */
describe.each(ENGINES)('a line of jobs on %s', (kind) => {
  let db: TestDb;
  let clock: FakeClock;
  const ids = testIds();
  const runners: Runner[] = [];
  beforeAll(async () => {
    db = await openTestDb(kind);
  });
  beforeEach(async () => {
    await db.sql('DELETE FROM jobs');
    db.log.lines.length = 0;
    clock = fakeClock();
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop();
  });
  afterAll(() => db.close());

  const place = (facts: Partial<LinePlace>): LinePlace => ({
    priority: 0,
    groupKey: 'ada',
    limitKey: 'panel',
    placeKey: 'panel/node',
    ...facts,
  });
  /** Adds a job that tells its name, a second after the one before. */
  async function add(name: string, facts: Partial<LinePlace> = {}, maxAttempts = 100): Promise<string> {
    const id = ids.uuid();
    clock.advance(SECOND);
    await db.uow.run((tx) =>
      enqueue(tx, ids, clock, { kind: KIND, id, payload: name, maxAttempts, line: place(facts) }),
    );
    return id;
  }
  /** A worker like that of another process. `limit`: jobs of one limit key at once; `closed`: what may not be begun. */
  function worker(handle: Handle, maker: number, facts: LineFacts = {}): Runner {
    const handler = lineHandler(handle, facts);
    const deps = { uow: db.uow, clock, ids: testIds(maker), log: db.log, bus: db.bus, random: () => 0.5 };
    const runner = createRunner({ ...deps, handlers: { [KIND]: handler }, every: () => () => undefined });
    runners.push(runner);
    return runner;
  }
  /** Names of the jobs in the order in which one worker begins them, one after the other. */
  async function order(): Promise<string[]> {
    const seen: string[] = [];
    const { runDue } = worker(async ({ payload }) => void seen.push(String(payload)), 2);
    while ((await runDue({ kind: KIND, most: 1 })) > 0);
    return seen;
  }
  const waiting = (closed = OPEN) =>
    db.uow.read((tx) =>
      tx.jobs.listWaiting(KIND, clock.now(), { servedSinceMs: clock.now() - WINDOW, closed, limit: 100 }),
    );

  test('a job of higher priority is begun before older ones, even of a group that was served', async () => {
    await add('first');
    await add('second', { groupKey: 'bob' });
    await add('urgent', { groupKey: 'eve', priority: 1 });
    await add('urgent too', { groupKey: 'eve', priority: 1 });
    expect(await order()).toEqual(['urgent', 'urgent too', 'first', 'second']);
  });

  test('groups are begun by rotation, whoever added more, and the line says so before', async () => {
    const added = new Map<string, string>();
    for (const name of ['a1', 'a2', 'a3', 'a4']) added.set(await add(name), name);
    for (const name of ['b1', 'b2']) added.set(await add(name, { groupKey: 'bob' }), name);
    const expected = ['a1', 'b1', 'a2', 'b2', 'a3', 'a4'];
    expect((await waiting()).map((id) => added.get(id) ?? '')).toEqual(expected);
    expect(await order()).toEqual(expected);
  });

  test('a group that was served lately waits longer than one that was not, until that is long ago', async () => {
    await add('a1');
    expect(await order()).toEqual(['a1']);
    await add('a2');
    await add('b1', { groupKey: 'bob' });
    expect(await order()).toEqual(['b1', 'a2']);
    clock.advance(WINDOW + MINUTE);
    await add('a3');
    await add('b2', { groupKey: 'bob' });
    expect(await order()).toEqual(['a3', 'b2']);
  });

  test('a closed entry is passed over and begun when it opens', async () => {
    await add('away', { limitKey: 'other', placeKey: 'other/x' });
    await add('down', { placeKey: 'panel/down' });
    await add('here');
    const seen: unknown[] = [];
    let closed: Closed = { limitKeys: ['other'], placeKeys: ['panel/down'] };
    const { runDue } = worker(async ({ payload }) => void seen.push(payload), 2, { closed: () => closed });
    expect(await runDue()).toBe(1);
    closed = OPEN;
    expect([await runDue(), seen]).toEqual([2, ['here', 'away', 'down']]);
  });

  test('a limit holds among many workers at once, also for jobs that are begun and wait for their next attempt', async () => {
    for (let at = 0; at < 40; at += 1)
      await add(`job ${at}`, { groupKey: `user ${at % 5}`, limitKey: `panel ${at % 2}` });
    const begun = new Map<string, Set<string>>();
    const attempts = new Map<string, number>();
    let most = 0;
    const handle: Handle = async ({ id, line, leaseToken }) => {
      const there = begun.get(line?.limitKey ?? '') ?? new Set();
      begun.set(line?.limitKey ?? '', there.add(id));
      most = Math.max(most, there.size);
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (attempt < 3) return void (await db.uow.run((tx) => tx.jobs.reschedule(id, leaseToken, clock.now() + SECOND)));
      there.delete(id);
      await db.uow.run((tx) => tx.jobs.finish(id, leaseToken, clock.now()));
    };
    const workers = [2, 3, 4, 5, 6].map((maker) => worker(handle, maker, { limit: 3 }));
    for (let left = 200; left > 0 && (await waiting()).length > 0; left -= 1) {
      await Promise.all(workers.map(({ runDue }) => runDue()));
      clock.advance(SECOND);
    }
    for (let left = 3; left > 0; left -= 1) {
      await Promise.all(workers.map(({ runDue }) => runDue()));
      clock.advance(SECOND);
    }
    expect([most, attempts.size, [...attempts.values()].every((count) => count === 3)]).toEqual([3, 40, true]);
  });

  test('a worker begins as many at once as the limit of their key lets it, and no more than it was asked for', async () => {
    for (let at = 0; at < 5; at += 1) await add(`job ${at}`, { groupKey: `user ${at}` });
    const gate = Promise.withResolvers<void>();
    const three = Promise.withResolvers<void>();
    let begun = 0;
    const handle: Handle = async () => {
      begun += 1;
      if (begun === 3) three.resolve();
      await gate.promise;
    };
    const limited = worker(handle, 2, { limit: 3 }).runDue();
    await three.promise;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(begun).toBe(3);
    expect(await db.uow.read((tx) => tx.jobs.countBegunByLimit(KIND))).toEqual(new Map([['panel', 3]]));
    gate.resolve();
    expect(await limited).toBe(5);
    for (let at = 0; at < 5; at += 1) await add(`more ${at}`, { groupKey: `user ${at}` });
    expect(await worker(async () => undefined, 3).runDue({ kind: KIND, most: 2 })).toBe(2);
    expect(await waiting()).toHaveLength(3);
  });

  test('a worker goes on with as many begun jobs as it may and no more, the longest due first', async () => {
    for (const name of ['a', 'b', 'c']) await add(name);
    const first = await worker(async ({ id, leaseToken }) => {
      await db.uow.run((tx) => tx.jobs.reschedule(id, leaseToken, clock.now() + SECOND));
    }, 2).runDue();
    clock.advance(SECOND);
    const lease = async (token: string, limit: number) => {
      const request = { token, nowMs: clock.now(), leaseMs: MINUTE, limit };
      return (await db.uow.run((tx) => tx.jobs.leaseBegun(KIND, request))).map(({ payload }) => payload);
    };
    expect([first, await lease('one', 1), await lease('two', 5)]).toEqual([3, ['a'], ['b', 'c']]);
  });

  test('one worker at a time begins jobs of a line, also of those in other processes', async () => {
    await add('begun by another');
    const other = openDatabase({ ...db.where, bus: db.bus, log: db.log });
    const order: string[] = [];
    const [locked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // So that it is connected before it matters.
    expect(await other.uow.read((tx) => tx.jobs.counts())).toEqual({ ready: 1, dead: 0 });
    const first = db.uow.run(async (tx) => {
      await tx.jobs.lockLine(KIND);
      locked.resolve();
      await gate.promise;
      order.push('first');
    });
    await locked.promise;
    const begin = createRunner({
      uow: other.uow,
      clock,
      ids: testIds(7),
      log: db.log,
      bus: db.bus,
      random: () => 0.5,
      handlers: { [KIND]: lineHandler(async () => void order.push('second')) },
    });
    setTimeout(gate.resolve, 250);
    await Promise.all([first, begin.runDue()]).finally(() => other.close());
    expect(order).toEqual(['first', 'second']);
  });

  test('many workers at once run each job once', async () => {
    const seen: string[] = [];
    for (let at = 0; at < 60; at += 1) await add(`job ${at}`, { groupKey: `user ${at % 7}`, priority: at % 2 });
    const handle: Handle = async ({ payload }) => void seen.push(String(payload));
    const done = await Promise.all([2, 3, 4, 5, 6, 7].map((maker) => worker(handle, maker).runDue()));
    expect(done.reduce((sum, count) => sum + count)).toBe(60);
    expect(seen.toSorted()).toEqual(Array.from({ length: 60 }, (_, at) => `job ${at}`).toSorted());
  });

  test('the job of a worker that died is taken again exactly once, when its lease is over', async () => {
    const id = await add('kept');
    const died = worker(() => new Promise(() => {}), 2);
    void died.runDue();
    runners.splice(0);
    const leased = async () => (await db.sql<{ n: number }>('SELECT attempts AS n FROM jobs WHERE id = ?', [id]))[0]?.n;
    while ((await leased()) !== 1) await new Promise((resolve) => setTimeout(resolve, 1));
    let runs = 0;
    const others = [3, 4, 5, 6].map((maker) => worker(async () => void (runs += 1), maker));
    const all = async () => (await Promise.all(others.map(({ runDue }) => runDue()))).reduce((sum, n) => sum + n);
    clock.advance(29 * SECOND);
    expect(await all()).toBe(0);
    clock.advance(SECOND);
    expect([await all(), runs, await leased()]).toEqual([1, 1, 2]);
    expect(await all()).toBe(0);
  });

  test('a job that was added inside a transaction that was rolled back never runs', async () => {
    const halted = db.uow.run(async (tx) => {
      await enqueue(tx, ids, clock, { kind: KIND, payload: 'never', line: place({}) });
      throw new Error('halt');
    });
    await expect(halted).rejects.toThrow('halt');
    expect([await waiting(), await order()]).toEqual([[], []]);
  });

  test('a waiting job is either cancelled or begun, never both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await add('raced');
      let runs = 0;
      const { runDue } = worker(async () => void (runs += 1), 2);
      const [cancelled] = await Promise.all([db.uow.run((tx) => tx.jobs.cancel(id, clock.now())), runDue()]);
      expect(runs).toBe(cancelled ? 0 : 1);
    }
  });

  test('a line has moved once for all jobs that one lease began, and not for those that go on', async () => {
    for (const name of ['one', 'two', 'three']) await add(name);
    const isNew: unknown[] = [];
    let moves = 0;
    const { runDue } = worker(
      async (job) => {
        isNew.push(job.line?.isNew);
        if (isNew.length <= 3) throw new Error('once more');
      },
      1,
      { moved: () => void (moves += 1) },
    );
    await runDue();
    expect([moves, isNew]).toEqual([1, [true, true, true]]);
    clock.advance(WINDOW);
    await runDue();
    expect([moves, isNew.slice(3)]).toEqual([1, [false, false, false]]);
  });

  test('a job that goes back to its line counts as never begun; a worker that lost its lease changes nothing', async () => {
    const id = await add('turned away');
    const lease = { token: 'mine', nowMs: clock.now(), leaseMs: SECOND };
    const first = () =>
      db.uow.run((tx) =>
        tx.jobs.leaseFirst(KIND, { ...lease, nowMs: clock.now() }, { servedSinceMs: 0, closed: OPEN }),
      );
    const begun = () => db.uow.read((tx) => tx.jobs.countBegunByLimit(KIND));
    expect((await first())?.id).toBe(id);
    expect([await first(), await begun()]).toEqual([null, new Map([['panel', 1]])]);
    const backAt = clock.now() + MINUTE;
    expect(await db.uow.run((tx) => tx.jobs.returnToLine(id, 'mine', backAt, 'panel/other'))).toBe(true);
    expect([await first(), await begun()]).toEqual([null, new Map()]);
    clock.advance(MINUTE);
    expect((await first())?.line).toEqual({
      groupKey: 'ada',
      limitKey: 'panel',
      placeKey: 'panel/other',
      isNew: true,
    });
    const late = await db.uow.run(async (tx) => [
      await tx.jobs.finish(id, 'lost', clock.now()),
      await tx.jobs.reschedule(id, 'lost', 0),
      await tx.jobs.returnToLine(id, 'lost', 0, ''),
      await tx.jobs.renew(id, 'lost', clock.now() + MINUTE),
      await tx.jobs.cancel(id, clock.now()),
    ]);
    expect(late).toEqual([false, false, false, false, false]);
  });
});
