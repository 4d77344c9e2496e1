import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { fakeClock, type FakeClock } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type Engine, type TestDb } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';
import { createHealth, defineCheck, type Finding, type HealthCheck } from './index.ts';

// A PostgreSQL of its own takes its time on a busy machine.
setDefaultTimeout(300_000);

const CODES = { ok: 'ok', odd: 'warning', bad: 'critical' } as const;
/** A check that gives what it is told to, and counts how often it is asked. */
function checkOf(key: 'database' | 'disk', more: Partial<HealthCheck> = {}) {
  const state: { runs: number; finding: Finding<keyof typeof CODES> } = { runs: 0, finding: { code: 'ok' } };
  const check = defineCheck({
    key,
    codes: CODES,
    ...more,
    run: async () => {
      state.runs += 1;
      return state.finding;
    },
  });
  return { state, check };
}

let db: TestDb;
let clock: FakeClock;
afterEach(() => db.close());
async function open(engine: Engine, checks: readonly HealthCheck[], limitMs?: number) {
  db = await openTestDb(engine);
  clock = fakeClock();
  const log = testLog();
  const health = createHealth({
    uow: db.uow,
    long: db.database.long,
    clock,
    log,
    checks,
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  return { health, log };
}

describe('checks of the health', () => {
  test('a check that throws and one that does not answer are unknown, and the others are reported with them', async () => {
    const { check } = checkOf('disk');
    const broken = defineCheck({ key: 'mail', codes: {}, run: () => Promise.reject(new Error('no such table')) });
    let stopped = false;
    const silent = defineCheck({
      key: 'panels',
      codes: {},
      run: (signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve([]), { once: true })).then(() => {
          stopped = true;
          return [];
        }),
    });
    const { health, log } = await open('sqlite', [check, broken, silent], 20);
    const { rows } = await health.check({ all: true });
    expect(rows.map(({ key, code, status }) => [key, code, status])).toEqual([
      ['panels', 'late', 'unknown'],
      ['mail', 'failed', 'unknown'],
      ['disk', 'ok', 'ok'],
    ]);
    expect(rows[1]?.facts.error).toEqual({ unit: 'text', value: 'no such table' });
    expect(log.events()).toEqual(['health.check_failed']);
    // What takes too long is stopped as well.
    await Promise.resolve();
    expect(stopped).toBe(true);
  });

  test('whoever asks while the checks run gets the same report, and one of half a minute ago will do', async () => {
    const { check, state } = checkOf('disk');
    const { health } = await open('sqlite', [check]);
    const [first, second] = await Promise.all([health.current(), health.current()]);
    expect(first).toBe(second);
    clock.advance(29 * SECOND);
    expect(await health.current()).toBe(first);
    expect(state.runs).toBe(1);
    clock.advance(SECOND);
    expect(await health.current()).not.toBe(first);
    expect([state.runs, health.last()?.atMs]).toEqual([2, clock.now()]);
  });

  test('a check over the network runs at its own pace, unless somebody asks for all', async () => {
    const { check, state } = checkOf('disk', { everyMs: HOUR });
    const { health } = await open('sqlite', [check]);
    await health.check({ all: false });
    clock.advance(HOUR - 1);
    const { rows } = await health.check({ all: false });
    expect([state.runs, rows.length]).toEqual([1, 1]);
    await health.check({ all: true });
    expect(state.runs).toBe(2);
    clock.advance(HOUR);
    await health.check({ all: false });
    expect(state.runs).toBe(3);
  });

  test('a command beside the serving process leaves out what only that process can say', async () => {
    const { check } = checkOf('disk');
    const own = checkOf('database', { ofProcess: true });
    const { health } = await open('sqlite', [check, own.check]);
    expect((await health.checkInstallation()).rows.map(({ key }) => key)).toEqual(['disk']);
  });
});

describe.each(ENGINES)('the history of a day on %s', (engine) => {
  test('it has the worst of each half hour and the mean of its figures, and nothing older', async () => {
    const { check, state } = checkOf('disk');
    const { health } = await open(engine, [check]);
    const steps = [
      { code: 'ok', figure: 10 },
      { code: 'bad', figure: 21 },
      { code: 'odd', figure: 30 },
    ] as const;
    clock.set(DAY * 20_000);
    for (const finding of steps) {
      state.finding = finding;
      await health.sample();
      clock.advance(5 * MINUTE);
    }
    clock.set(DAY * 20_000 + 30 * MINUTE);
    state.finding = { code: 'odd' };
    await health.sample();
    const { statuses, causes, stretches, fromMs } = await health.history();
    expect(statuses.slice(-3)).toEqual([null, 'critical', 'warning']);
    expect(causes.slice(-3)).toEqual([[], ['disk'], ['disk']]);
    expect([statuses.length, fromMs]).toEqual([48, DAY * 20_000 + HOUR - DAY]);
    expect(stretches.map(({ key, rank, figure }) => [key, rank, figure])).toEqual([
      ['disk', 3, 20],
      ['disk', 2, null],
    ]);
    expect(await db.uow.read((tx) => tx.health.findFirst('disk', ''))).toEqual({ atMs: DAY * 20_000, figure: 10 });
    // A day and a half hour later only what was said since is kept.
    clock.set(DAY * 20_001 + HOUR + 1);
    state.finding = { code: 'ok', figure: 7 };
    await health.sample();
    expect(await db.sql('SELECT figure FROM health_samples')).toEqual([{ figure: 7 }]);
  });

  test('two processes that write down the same moment leave one row a check', async () => {
    const { check } = checkOf('disk');
    const { health } = await open(engine, [check]);
    await Promise.all([health.sample(), health.sample()]);
    expect(await db.sql('SELECT check_key FROM health_samples')).toEqual([{ check_key: 'disk' }]);
  });
});
