import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { defaultBackoff, PermanentFailure, type JobHandler } from '#server/jobs/registry.ts';
import { createRunner, type Runner } from '#server/jobs/runner.ts';
import { enqueue, type NewJob } from '#server/modules/jobs/index.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { fakeClock, testIds, TEST_START, type FakeClock } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

const LEASE = 30_000;

describe.each(ENGINES)('jobs on %s', (kind) => {
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

  /** Timers of the runners, played by the test. */
  const timers = new Set<() => void>();
  const periods = new Set<number>();
  const every = (ms: number, run: () => void) => {
    periods.add(ms);
    timers.add(run);
    return () => void timers.delete(run);
  };
  /** Plays the timers, and waits until the lease that they renew is written. */
  async function renewed(): Promise<void> {
    timers.forEach((run) => run());
    const until = clock.now() + 30_000;
    for (;;) {
      const [row] = await db.sql<{ lease_until_ms: number }>("SELECT lease_until_ms FROM jobs WHERE state = 'ready'");
      if (row?.lease_until_ms === until) return;
    }
  }
  const add = (job: NewJob) => db.uow.run((tx) => enqueue(tx, ids, clock, job));
  type Handlers = Record<string, Partial<JobHandler> & Pick<JobHandler, 'handle'>>;
  function runner(handlers: Handlers, maker = 1, uow = db.uow): Runner {
    const full = Object.fromEntries(
      Object.entries(handlers).map(([name, handler]) => [name, { leaseMs: LEASE, ...handler }]),
    );
    const made = createRunner({
      uow,
      clock,
      ids: testIds(maker),
      log: db.log,
      bus: db.bus,
      handlers: full,
      random: () => 0.5,
      every,
    });
    runners.push(made);
    return made;
  }
  const counts = () => db.uow.read((tx) => tx.jobs.counts());
  const stored = () =>
    db.sql<{ state: string; attempts: number; run_at_ms: number; last_error: string | null }>(
      'SELECT state, attempts, run_at_ms, last_error FROM jobs ORDER BY id',
    );

  test('a job runs when it is due, in order of its time, with its payload, and no second time', async () => {
    const seen: unknown[] = [];
    const { runDue } = runner({ note: { handle: async (payload) => void seen.push(payload) } });
    await add({ kind: 'note', payload: { n: 3 }, runAtMs: TEST_START + HOUR });
    await add({ kind: 'note', payload: { n: 2 } });
    await add({ kind: 'note', payload: { n: 1 }, runAtMs: TEST_START - 1 });
    await add({ kind: 'unknown', payload: null });
    expect(await runDue()).toBe(2);
    expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
    clock.advance(HOUR);
    expect(await runDue()).toBe(1);
    expect(await runDue()).toBe(0);
    expect(await counts()).toEqual({ ready: 1, dead: 0 });
  });

  test('E11 a job that renews its lease is taken over soon after a kill, and by nobody while it runs', async () => {
    let runs = 0;
    let gate = Promise.withResolvers<void>();
    let began = Promise.withResolvers<void>();
    const handle = async () => {
      runs += 1;
      began.resolve();
      await gate.promise;
    };
    const handler = { leaseMs: 10 * MINUTE, renews: true, handle };
    await add({ kind: 'slow', payload: null });
    const first = runner({ slow: handler });
    const second = runner({ slow: handler }, 2);
    /** The second runs the job while the first is still at it; only then both go on. */
    async function expectTakenOver(): Promise<void> {
      began = Promise.withResolvers<void>();
      const taken = second.runDue();
      await Promise.race([began.promise, taken]);
      gate.resolve();
      expect(await taken).toBe(1);
    }
    const running = first.runDue();
    await began.promise;
    // Renewed every ten seconds it is kept for minutes.
    expect([...periods]).toEqual([10_000]);
    for (let renewal = 0; renewal < 30; renewal += 1) {
      clock.advance(10_000);
      await renewed();
      expect(await second.runDue()).toBe(0);
    }
    // A runner that was killed renews nothing: after half a minute another has it.
    clock.advance(29_999);
    expect(await second.runDue()).toBe(0);
    clock.advance(1);
    await expectTakenOver();
    await running;
    expect([runs, timers.size, await counts()]).toEqual([2, 0, { ready: 0, dead: 0 }]);
    // One that hangs keeps it no longer than its own lease.
    gate = Promise.withResolvers<void>();
    began = Promise.withResolvers<void>();
    await add({ kind: 'slow', payload: null });
    const hanging = first.runDue();
    await began.promise;
    const end = clock.now() + 10 * MINUTE;
    for (let renewal = 0; renewal < 62; renewal += 1) {
      clock.advance(10_000);
      if (clock.now() < end) await renewed();
      else timers.forEach((run) => run());
    }
    const [kept] = await db.sql<{ lease_until_ms: number }>("SELECT lease_until_ms FROM jobs WHERE state = 'ready'");
    expect(kept?.lease_until_ms).toBe(end + 20_000);
    clock.advance(30_000);
    await expectTakenOver();
    await hanging;
  });

  test('a lease takes as many jobs as it may and no more, the longest due first, however few there are in all', async () => {
    const due = [3, 1, 4, 0, 2];
    for (const n of due) await add({ kind: 'note', payload: n, runAtMs: TEST_START - 10 + n });
    const lease = async (token: string, limit: number) => {
      const request = { token, nowMs: clock.now(), leaseMs: LEASE, limit };
      return (await db.uow.run((tx) => tx.jobs.lease(['note'], request))).map(({ payload }) => payload);
    };
    expect(await lease('one', 1)).toEqual([0]);
    expect(await lease('two', 3)).toEqual([1, 2, 3]);
    expect(await lease('three', 3)).toEqual([4]);
    expect(await lease('four', 3)).toEqual([]);
  });

  test('a job that does not renew its lease keeps the whole of it, however long', async () => {
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    let runs = 0;
    const handle = async () => {
      runs += 1;
      began.resolve();
      await gate.promise;
    };
    await add({ kind: 'long', payload: null });
    const running = runner({ long: { leaseMs: 10 * MINUTE, handle } }).runDue();
    await began.promise;
    const other = runner({ long: { leaseMs: 10 * MINUTE, handle } }, 2);
    clock.advance(10 * MINUTE - 1);
    expect([await other.runDue(), runs, timers.size]).toEqual([0, 1, 0]);
    gate.resolve();
    expect(await running).toBe(1);
  });

  /** A handler that notes how many of its jobs run at once. */
  function crowd(facts: Partial<JobHandler> = {}) {
    const seen = { now: 0, most: 0, all: 0 };
    const handle = async () => {
      seen.now += 1;
      seen.all += 1;
      seen.most = Math.max(seen.most, seen.now);
      // They end apart, so that single places get free.
      await new Promise((resolve) => setTimeout(resolve, 2 + 8 * (seen.all % 4)));
      seen.now -= 1;
    };
    return { seen, handler: { ...facts, handle } };
  }

  test('jobs that are due run one after the other, but those of a kind with a width of its own so many at once', async () => {
    const [shared, wide] = [crowd(), crowd({ concurrency: 3 })];
    for (let n = 0; n < 7; n += 1) {
      await add({ kind: 'shared', payload: n });
      await add({ kind: 'wide', payload: n });
    }
    const { runDue } = runner({ shared: shared.handler, wide: wide.handler });
    expect(await runDue({ kind: 'wide', most: 5 })).toBe(5);
    expect([wide.seen, shared.seen.all]).toEqual([{ now: 0, most: 3, all: 5 }, 0]);
    expect(await runDue()).toBe(9);
    expect([wide.seen.all, shared.seen]).toEqual([7, { now: 0, most: 1, all: 7 }]);
  });

  test('kinds with other lengths of lease take turns, so that none waits for the end of the others', async () => {
    const order: string[] = [];
    const note = (name: string, leaseMs: number) => ({ leaseMs, handle: async () => void order.push(name) });
    for (let n = 0; n < 3; n += 1) {
      await add({ kind: 'short', payload: n });
      await add({ kind: 'long', payload: n });
      await add({ kind: 'longest', payload: n });
    }
    const handlers = { short: note('short', LEASE), long: note('long', 2 * LEASE), longest: note('longest', DAY) };
    expect(await runner(handlers).runDue()).toBe(9);
    for (const at of [0, 3, 6]) expect(order.slice(at, at + 3).toSorted()).toEqual(['long', 'longest', 'short']);
  });

  test('a job is found at once, however many kinds with other lengths of lease have nothing to do', async () => {
    const handle = () => Promise.resolve();
    const handlers = { short: { handle }, long: { leaseMs: 2 * LEASE, handle }, longest: { leaseMs: DAY, handle } };
    const { runDue } = runner(handlers);
    for (const due of ['long', 'long', 'short', 'longest', 'short']) {
      await add({ kind: due, payload: null });
      expect(await runDue()).toBe(1);
    }
  });

  test('a started runner has no more jobs at once than its width, of all kinds that share it together', async () => {
    const both = crowd();
    for (let n = 0; n < 14; n += 1) await add({ kind: n % 3 === 0 ? 'short' : 'long', payload: n });
    const handlers = { short: { ...both.handler, leaseMs: LEASE }, long: { ...both.handler, leaseMs: 2 * LEASE } };
    runner(handlers).start();
    await until(() => both.seen.all === 14);
    expect(both.seen.most).toBe(4);
  });

  test('a lease that one kind does not fill takes of the next only what is left of its width', async () => {
    const both = crowd();
    for (let n = 0; n < 10; n += 1) await add({ kind: n < 2 ? 'few' : 'many', payload: n });
    runner({ few: { ...both.handler, leaseMs: LEASE }, many: { ...both.handler, leaseMs: 2 * LEASE } }).start();
    await until(() => both.seen.all === 10);
    expect(both.seen.most).toBe(4);
  });

  test('a started runner that finds nothing to do asks once, and then waits', async () => {
    let asked = 0;
    const counting = {
      ...db.uow,
      run: <T>(work: Parameters<typeof db.uow.run<T>>[0]) => ((asked += 1), db.uow.run(work)),
    };
    const idle = runner({ note: { handle: () => Promise.resolve() } }, 1, counting);
    idle.start();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await idle.stop();
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(4);
  });

  test('a job is there only if its transaction is', async () => {
    const failing = db.uow.run(async (tx) => {
      await enqueue(tx, ids, clock, { kind: 'note', payload: 1 });
      throw new Error('halt');
    });
    await expect(failing).rejects.toThrow('halt');
    expect(await counts()).toEqual({ ready: 0, dead: 0 });
  });

  test('T12 several runners at once run each job once', async () => {
    const seen: unknown[] = [];
    for (let n = 0; n < 40; n += 1) await add({ kind: 'note', payload: n });
    const all = [1, 2, 3, 4].map((maker) =>
      runner({ note: { handle: async (payload) => void seen.push(payload) } }, maker),
    );
    const done = await Promise.all(all.map(({ runDue }) => runDue()));
    expect(done.reduce((a, b) => a + b)).toBe(40);
    expect(seen.sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  test('a failing job is tried again after growing pauses and is dead in the end, and the others go on', async () => {
    let tries = 0;
    const given: unknown[] = [];
    const { runDue } = runner({
      bad: {
        handle: () => Promise.reject(new Error(`broken ${(tries += 1)}`)),
        dead: async (payload, job, error) => void given.push([payload, job.attempts, String(error)]),
      },
      good: { handle: () => Promise.resolve() },
    });
    await add({ kind: 'bad', payload: 'x', maxAttempts: 3 });
    await add({ kind: 'good', payload: null });
    expect(await runDue()).toBe(2);
    expect(await stored()).toMatchObject([
      { state: 'ready', attempts: 1, run_at_ms: TEST_START + MINUTE, last_error: 'broken 1' },
      { state: 'done' },
    ]);
    clock.advance(MINUTE - 1);
    expect(await runDue()).toBe(0);
    clock.advance(1);
    expect(await runDue()).toBe(1);
    clock.advance(2 * MINUTE);
    expect(await runDue()).toBe(1);
    expect(await stored()).toMatchObject([{ state: 'dead', attempts: 3, last_error: 'broken 3' }, { state: 'done' }]);
    expect(given).toEqual([['x', 3, 'Error: broken 3']]);
    clock.advance(DAY);
    expect(await runDue()).toBe(0);
    expect(db.log.events()).toEqual(['job.failed', 'job.failed', 'job.failed']);
  });

  test('a pause that a kind says itself is a tenth shorter or longer by chance, so that those that failed together part', async () => {
    for (const [random, pause] of [
      [0, 54_000],
      [1, 66_000],
    ] as const) {
      await db.sql('DELETE FROM jobs');
      await add({ kind: 'bad', payload: null });
      const bad = { leaseMs: LEASE, backoffMs: () => MINUTE, handle: () => Promise.reject(new Error('broken')) };
      const deps = { uow: db.uow, clock, ids: testIds(3), log: db.log, bus: db.bus, every };
      await createRunner({ ...deps, handlers: { bad }, random: () => random }).runDue();
      expect((await stored())[0]?.run_at_ms).toBe(clock.now() + pause);
    }
  });

  test('a permanent failure is given up at once', async () => {
    const { runDue } = runner({
      refused: { handle: () => Promise.reject(new PermanentFailure('no such address')) },
    });
    await add({ kind: 'refused', payload: null });
    expect(await runDue()).toBe(1);
    const rows = await stored();
    expect(rows.map(({ state }) => state)).toEqual(['dead']);
    expect(rows[0]?.last_error).toContain('no such address');
  });

  test('a runner that dies leaves the job to another when the lease is over, and a job that kills each runner ends', async () => {
    await add({ kind: 'note', payload: 'kept', maxAttempts: 2 });
    const lease = () =>
      db.uow.run((tx) =>
        tx.jobs.lease(['note'], { token: 'of the dead', nowMs: clock.now(), leaseMs: LEASE, limit: 1 }),
      );
    expect(await lease()).toHaveLength(1);
    let ran = 0;
    const { runDue } = runner({ note: { handle: async () => void (ran += 1) } });
    clock.advance(LEASE - 1);
    expect(await runDue()).toBe(0);
    clock.advance(1);
    expect(await lease()).toHaveLength(1);
    clock.advance(LEASE);
    expect(await runDue()).toBe(1);
    expect(ran).toBe(0);
    expect(await stored()).toMatchObject([{ state: 'dead', last_error: 'its last attempt was cut off' }]);
  });

  test('a runner that was too slow changes nothing for the one that took over', async () => {
    await add({ kind: 'note', payload: null });
    let second: Promise<number> | undefined;
    const fast = runner({ note: { handle: () => Promise.resolve() } }, 2);
    const slow = runner({
      note: {
        async handle() {
          clock.advance(LEASE);
          second = fast.runDue();
          await second;
          throw new Error('too late');
        },
      },
    });
    expect(await slow.runDue()).toBe(1);
    expect(await second).toBe(1);
    expect(await stored()).toMatchObject([{ state: 'done', last_error: null }]);
    expect(db.log.events()).toEqual(['job.failed', 'job.lease_lost']);
  });

  test('a key has one unfinished job, and one asked for while it runs runs once more with the new payload', async () => {
    const seen: unknown[] = [];
    const { runDue } = runner({
      sync: {
        async handle(payload) {
          seen.push(payload);
          if (payload === 1) {
            await add({ kind: 'sync', payload: 2, uniqueKey: 'sync:a' });
            await add({ kind: 'sync', payload: 3, uniqueKey: 'sync:a' });
          }
        },
      },
    });
    await add({ kind: 'sync', payload: 1, uniqueKey: 'sync:a' });
    await add({ kind: 'sync', payload: 9, uniqueKey: 'sync:a' });
    expect(await runDue()).toBe(2);
    expect(seen).toEqual([1, 3]);
    await Promise.all(Array.from({ length: 20 }, () => add({ kind: 'sync', payload: 4, uniqueKey: 'sync:a' })));
    expect(await runDue()).toBe(1);
    expect(await counts()).toEqual({ ready: 0, dead: 0 });
  });

  test('a started runner resumes for a new job and stops when its work is done', async () => {
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const ends: string[] = [];
    const started = runner({
      slow: {
        async handle() {
          began.resolve();
          await gate.promise;
          ends.push('slow');
        },
      },
      quick: { handle: async () => void ends.push('quick') },
    });
    started.start();
    await add({ kind: 'slow', payload: null });
    await began.promise;
    await add({ kind: 'quick', payload: null });
    await until(() => ends.includes('quick'));
    const stopping = started.stop();
    gate.resolve();
    await stopping;
    expect(ends).toEqual(['quick', 'slow']);
    await add({ kind: 'quick', payload: null });
    expect(await counts()).toEqual({ ready: 1, dead: 0 });
  });

  test('finished jobs are purged when they are old', async () => {
    const { runDue } = runner({ note: { handle: () => Promise.resolve() } });
    await add({ kind: 'note', payload: null });
    await runDue();
    await add({ kind: 'note', payload: null });
    expect(await db.uow.run((tx) => tx.jobs.purge(TEST_START, 100))).toBe(0);
    expect(await db.uow.run((tx) => tx.jobs.purge(TEST_START + DAY, 100))).toBe(1);
    expect(await counts()).toEqual({ ready: 1, dead: 0 });
  });
});

/** Waits until something is so; the test's own time limit ends it otherwise. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test('pauses grow from a minute to an hour, give or take a tenth', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 60].map((attempt) => defaultBackoff(attempt, () => 0.5) / MINUTE);
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(defaultBackoff(1, () => 0)).toBe(54_000);
  expect(defaultBackoff(9, () => 1)).toBe(66 * MINUTE);
});
