import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createScheduler } from '#server/jobs/scheduler.ts';
import { systemIds } from '#server/kernel.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { fakeClock, TEST_START, type FakeClock } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

describe.each(ENGINES)('scheduler on %s', (kind) => {
  let db: TestDb;
  let clock: FakeClock;
  beforeAll(async () => {
    db = await openTestDb(kind);
  });
  beforeEach(async () => {
    await db.sql('DELETE FROM schedules');
    db.log.lines.length = 0;
    clock = fakeClock();
  });
  afterAll(() => db.close());

  function hourly(run: () => Promise<void>) {
    return createScheduler({
      uow: db.uow,
      clock,
      ids: systemIds,
      log: db.log,
      tasks: [{ name: 'hourly', everyMs: HOUR, run }],
    });
  }
  const counting = () => {
    const seen = { runs: 0 };
    return { seen, ...hourly(async () => void (seen.runs += 1)) };
  };

  test('a task runs at once, and then once a period', async () => {
    const { seen, tick } = counting();
    await tick();
    await tick();
    expect(seen.runs).toBe(1);
    clock.advance(HOUR - 1);
    await tick();
    expect(seen.runs).toBe(1);
    clock.advance(1);
    await tick();
    expect(seen.runs).toBe(2);
  });

  test('E5 nothing runs before the process has said that it runs', async () => {
    const seen: string[] = [];
    let faults = 1;
    const alive = () => {
      if (faults-- > 0) return Promise.reject(new Error('no database'));
      return Promise.resolve(void seen.push('alive'));
    };
    const { tick } = createScheduler({
      uow: db.uow,
      clock,
      ids: systemIds,
      log: db.log,
      tasks: [{ name: 'hourly', everyMs: HOUR, run: async () => void seen.push('run') }],
      alive,
    });
    await tick();
    expect(seen).toEqual([]);
    await tick();
    expect(seen).toEqual(['alive', 'run']);
  });

  test('T12 three days of sleep give one run, and two processes share the runs', async () => {
    const [one, two] = [counting(), counting()];
    await Promise.all([one.tick(), two.tick()]);
    clock.advance(3 * DAY);
    await Promise.all([one.tick(), two.tick(), one.tick(), two.tick()]);
    expect(one.seen.runs + two.seen.runs).toBe(2);
  });

  test('T12 a clock that is set back neither stops the task nor runs it twice', async () => {
    const { seen, tick } = counting();
    clock.set(TEST_START + 30 * DAY);
    await tick();
    clock.set(TEST_START);
    await tick();
    await tick();
    expect(seen.runs).toBe(2);
    clock.advance(HOUR);
    await tick();
    expect(seen.runs).toBe(3);
  });

  /** A task that takes as long as the test wants, in one of several processes. `renew`: as time does. */
  function slow(at: FakeClock = clock) {
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const seen = { runs: 0 };
    let renew = () => {};
    const { tick } = createScheduler({
      uow: db.uow,
      clock: at,
      ids: systemIds,
      log: db.log,
      tasks: [
        {
          name: 'hourly',
          everyMs: HOUR,
          async run() {
            seen.runs += 1;
            began.resolve();
            await gate.promise;
          },
        },
      ],
      every(_, run) {
        renew = run;
        return () => void (renew = () => {});
      },
    });
    return { seen, tick, began: began.promise, end: gate.resolve, renew: () => renew() };
  }
  const leaseOf = async () =>
    Number((await db.sql<{ until: number }>('SELECT lease_until_ms AS until FROM schedules'))[0]?.until);

  test('T12 no process begins a task while another one is at it, however long that takes', async () => {
    const [one, two] = [slow(), counting()];
    const running = one.tick();
    await one.began;
    for (let round = 0; round < 3; round += 1) {
      clock.advance(29 * SECOND);
      one.renew();
      while ((await leaseOf()) !== clock.now() + 30 * SECOND) await Bun.sleep(1);
      clock.advance(20 * MINUTE);
      // The lease is over, and so is that of a process which time passed by: it comes again before anybody looks.
      one.renew();
      while ((await leaseOf()) !== clock.now() + 30 * SECOND) await Bun.sleep(1);
      await two.tick();
    }
    expect(clock.now()).toBeGreaterThan(TEST_START + HOUR);
    expect(two.seen.runs).toBe(0);
    one.end();
    await running;
    await two.tick();
    expect(two.seen.runs).toBe(1);
  });

  test('T10 a process that dies in the middle of a task is waited for no longer than its lease, and its end counts no more', async () => {
    const [one, two] = [slow(), counting()];
    const running = one.tick();
    await one.began;
    clock.advance(HOUR);
    await two.tick();
    expect(two.seen.runs).toBe(1);
    one.end();
    await running;
    expect(db.log.events()).toEqual(['schedule.lease_lost']);
    expect((await db.uow.read((tx) => tx.jobs.listSchedules()))[0]?.recent).toEqual([true]);
  });

  test('T12 processes whose clocks are seconds apart share the runs as well', async () => {
    const seen: number[] = [];
    const processes = [0, 10, 40].map((ahead) => {
      const own = { now: () => clock.now() + ahead * SECOND };
      const run = async () => void seen.push(clock.now());
      return createScheduler({
        uow: db.uow,
        clock: own,
        ids: systemIds,
        log: db.log,
        tasks: [{ name: 'hourly', everyMs: HOUR, run }],
      });
    });
    for (let second = 0; second <= 3 * 3600; second += 5) {
      for (const each of processes) await each.tick();
      clock.advance(5 * SECOND);
    }
    expect(seen).toHaveLength(4);
  });

  test('a task that throws is noted and has its next run as planned', async () => {
    let healthy = false;
    const { tick } = hourly(() => (healthy ? Promise.resolve() : Promise.reject(new Error('broken'))));
    await tick();
    expect(await db.uow.read((tx) => tx.jobs.listSchedules())).toEqual([
      {
        name: 'hourly',
        nextMs: TEST_START + HOUR,
        lastMs: TEST_START,
        lastError: 'broken',
        tookMs: expect.any(Number),
        recent: [false],
      },
    ]);
    expect(db.log.events()).toEqual(['schedule.failed']);
    healthy = true;
    clock.advance(HOUR);
    await tick();
    expect((await db.uow.read((tx) => tx.jobs.listSchedules()))[0]?.lastError).toBeNull();
  });

  test('stopping waits for the task under way, and a slow task does not run beside itself', async () => {
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    let runs = 0;
    const scheduler = hourly(async () => {
      runs += 1;
      began.resolve();
      await gate.promise;
      runs += 10;
    });
    scheduler.start();
    await began.promise;
    clock.advance(2 * HOUR);
    const ticking = scheduler.tick();
    let stopped = false;
    const stopping = scheduler.stop().then(() => (stopped = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stopped).toBe(false);
    gate.resolve();
    await Promise.all([stopping, ticking]);
    expect(runs).toBe(11);
  });
});

test('E5 a process that is slow to say that it runs is asked once at a time, and again each second', async () => {
  const db = await openTestDb();
  const clock = fakeClock();
  let gate = Promise.withResolvers<void>();
  let [asked, runs] = [0, 0];
  const scheduler = createScheduler({
    uow: db.uow,
    clock,
    ids: systemIds,
    log: db.log,
    tasks: [{ name: 'hourly', everyMs: HOUR, run: async () => void (runs += 1) }],
    alive: () => {
      asked += 1;
      return gate.promise;
    },
  });
  const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));
  scheduler.start();
  await seconds(1.2);
  expect([asked, runs]).toEqual([1, 0]);
  gate.resolve();
  gate = Promise.withResolvers<void>();
  await seconds(1.2);
  expect([asked, runs]).toEqual([2, 1]);
  // What is due begins no more, and nobody is asked again.
  clock.advance(HOUR);
  await scheduler.stop();
  gate.resolve();
  await seconds(1.2);
  expect([asked, runs]).toEqual([2, 1]);
  await db.close();
}, 20_000);
