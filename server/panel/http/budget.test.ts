import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock } from '#tests/support/clock.ts';
import { testLog } from '#tests/support/log.ts';
import { runClock, runPending } from '#tests/support/panel-http.ts';
import { PAUSE_MS } from '#server/redis/asking.ts';
import { connectRedis } from '#server/redis/connection.ts';
import { redisStandIn } from '#tests/support/redis.ts';
import { fakeTimer } from '#tests/support/timer.ts';
import { rateOf } from './bucket.ts';
import { createPanelBudgets, SHARED_MS, type Budget, type SharedBucket } from './budget.ts';
import { createRedisBucket } from './redis.ts';

const URL_A = 'https://panel.example.test';
const nothing = { limit: null, left: null, retryAfterS: null };

function world(shared: SharedBucket | null = null) {
  const clock = fakeClock();
  const timer = fakeTimer(clock);
  const log = testLog();
  return { clock, timer, log, budgets: createPanelBudgets({ clock, timer, log, shared }) };
}
/** How many of some calls come at once. */
async function atOnce(take: () => Promise<boolean>, calls: number): Promise<number> {
  let came = 0;
  for (let call = 0; call < calls; call += 1) void take().then((yes) => (came += yes ? 1 : 0));
  for (let round = 0; round < 5; round += 1) await runPending();
  return came;
}
/** The first call of a process, which tells that so many are left. */
async function heard(budget: Budget, limit: number, left = limit - 1): Promise<Budget> {
  await budget.take('interactive');
  budget.answered({ limit, left, retryAfterS: null }, false);
  return budget;
}
/** A bucket in memory, as Redis keeps it, for those who share it. */
function sharedBucket() {
  const asked: string[] = [];
  let tokens: number | null = null;
  let blocked = 0;
  const bucket: SharedBucket = {
    async take(key, { capacity, floor }) {
      asked.push(key);
      tokens ??= capacity;
      if (blocked > 0) return { granted: false, waitMs: blocked };
      if (tokens < floor + 1) return { granted: false, waitMs: 60_000 };
      tokens -= 1;
      return { granted: true, waitMs: 0 };
    },
    lower: async (_, left) => void (tokens = Math.min(tokens ?? left, left)),
    block: async (_, ms) => void (blocked = ms),
  };
  return { bucket, asked };
}

describe('the budget of a panel', () => {
  test('all that ask the same API of the same address share the budget, and others have their own', async () => {
    const { budgets } = world();
    const { capacity } = rateOf(240, 'interactive');
    await heard(budgets.of(URL_A, 'application', 240), 240);
    expect(await atOnce(() => budgets.of(URL_A, 'application', 240).take('interactive'), capacity + 10)).toBe(
      capacity - 1,
    );
    expect(await atOnce(() => budgets.of(URL_A, 'application', 240).take('interactive'), 1)).toBe(0);
    expect(await atOnce(() => budgets.of(URL_A, 'client', 720).take('live'), 1)).toBe(1);
    expect(
      await atOnce(() => budgets.of('https://other.example.test', 'application', 240).take('interactive'), 1),
    ).toBe(1);
  });

  test('waiting is bounded, the shortest for a visitor of a page', async () => {
    const { budgets, clock, timer } = world();
    const budget = budgets.of(URL_A, 'client', 8);
    await atOnce(() => budget.take('live'), 2);
    budget.answered({ ...nothing, retryAfterS: 60 }, true);
    const answers: string[] = [];
    for (const priority of ['live', 'interactive', 'background'] as const)
      void budget.take(priority).then((yes) => answers.push(`${priority} ${yes} ${clock.now()}`));
    const startMs = clock.now();
    await runClock({ clock, timer }, budget.take('background'), 1000);
    expect(answers).toEqual([
      `live false ${startMs + 3000}`,
      `interactive false ${startMs + 20_000}`,
      `background false ${startMs + 30_000}`,
    ]);
  });

  test('T26 after a 429 nobody is let through before the time it names', async () => {
    const { budgets, clock, timer } = world();
    const budget = budgets.of(URL_A, 'application', 240);
    expect(await budget.take('interactive')).toBe(true);
    budget.answered({ limit: 240, left: 0, retryAfterS: 7 }, true);
    expect(budget.state()).toEqual({ limit: 240, left: 0, resetsMs: clock.now() + 60_000 });
    let cameMs = 0;
    const startMs = clock.now();
    await runClock(
      { clock, timer },
      budget.take('interactive').then(() => (cameMs = clock.now())),
      500,
    );
    expect(cameMs - startMs).toBe(7000);
  });

  test('the panel names its limit and what is left, with what others used of it', async () => {
    const { budgets, clock } = world();
    const budget = budgets.of(URL_A, 'application', 240);
    expect(budget.state()).toEqual({ limit: 240, left: 240, resetsMs: clock.now() });
    await budget.take('interactive');
    budget.answered({ limit: 60, left: 5, retryAfterS: null }, false);
    expect(budget.state()).toEqual({ limit: 60, left: 5, resetsMs: clock.now() + 60_000 });
    expect(await atOnce(() => budget.take('interactive'), 20)).toBe(5);
    clock.advance(60_000);
    expect(budget.state().left).toBe(60);
  });

  test('P9 a process that comes up after a kill begins with what the panel says is left, not with a full bucket', async () => {
    const { budgets } = world();
    const budget = budgets.of(URL_A, 'application', 240);
    expect(await atOnce(() => budget.take('interactive'), 50)).toBe(1);
    budget.answered({ limit: 240, left: 3, retryAfterS: null }, false);
    expect(await atOnce(() => budget.take('interactive'), 0)).toBe(0);
    expect(await atOnce(() => budget.take('interactive'), 10)).toBe(0);
    const fresh = await heard(world().budgets.of(URL_A, 'application', 240), 240, 12);
    expect(await atOnce(() => fresh.take('interactive'), 50)).toBe(12);
    // A panel that does not tell is asked as fast as its limit goes.
    const silent = world().budgets.of(URL_A, 'application', 240);
    await silent.take('interactive');
    silent.answered(nothing, false);
    expect(await atOnce(() => silent.take('interactive'), 100)).toBe(59);
  });
});

describe('the budget that processes share', () => {
  test('each call is one of all of them, and what the panel says is shared with the others', async () => {
    const { bucket, asked } = sharedBucket();
    const [one, other] = [
      world(bucket).budgets.of(URL_A, 'application', 40),
      world(bucket).budgets.of(URL_A, 'application', 40),
    ];
    await heard(one, 40);
    await heard(other, 40);
    expect(await atOnce(() => one.take('interactive'), 2)).toBe(2);
    expect(asked).toEqual(Array.from({ length: 4 }, () => `application:${URL_A}`));
    one.answered({ limit: 40, left: 6, retryAfterS: null }, false);
    await runPending();
    expect(await atOnce(() => other.take('interactive'), 10)).toBe(5);
    one.answered({ ...nothing, retryAfterS: 9 }, true);
    await runPending();
    expect(await atOnce(() => other.take('interactive'), 1)).toBe(0);
  });

  test('a shared bucket that fails or hangs is left alone for a while, and the process counts for itself', async () => {
    for (const kind of ['fails', 'hangs'] as const) {
      let asked = 0;
      const never = (): Promise<never> => {
        asked += 1;
        return kind === 'fails' ? Promise.reject(new Error('away')) : new Promise(() => {});
      };
      const { clock, timer, budgets, log } = world({ take: never, lower: never, block: never });
      const budget = budgets.of(URL_A, 'application', 240);
      expect(await runClock({ clock, timer }, budget.take('interactive'), SHARED_MS)).toBe(true);
      budget.answered({ limit: 240, left: 239, retryAfterS: null }, false);
      expect(await atOnce(() => budget.take('interactive'), 10)).toBe(10);
      expect([asked, log.events()]).toEqual([1, ['redis.away']]);
      clock.advance(PAUSE_MS);
      expect(await runClock({ clock, timer }, budget.take('interactive'), SHARED_MS)).toBe(true);
      expect(asked).toBe(2);
    }
  });
});

describe('the bucket in Redis', () => {
  test('the bucket takes by one script, blocks for a time, and rejects what it does not understand', async () => {
    const replies = ['*2\r\n:1\r\n:0\r\n', '*2\r\n:0\r\n:250\r\n', '+OK\r\n', '+OK\r\n', '$3\r\nodd\r\n'];
    const standIn = await redisStandIn(() => replies.shift() ?? '-ERR nothing more\r\n');
    const redis = connectRedis(standIn.url);
    const bucket = createRedisBucket(redis);
    const rate = { capacity: 60, perMs: 0.003, floor: 20 };
    expect(await bucket.take('application:x', rate)).toEqual({ granted: true, waitMs: 0 });
    expect(await bucket.take('application:x', rate)).toEqual({ granted: false, waitMs: 250 });
    await bucket.block('application:x', 7000);
    await bucket.lower('application:x', 12);
    const odd = bucket.take('application:x', rate);
    expect(odd).rejects.toThrow('an answer of another kind');
    await odd.catch(() => null);
    expect(bucket.take('application:x', rate)).rejects.toThrow();
    expect(standIn.commands[0]?.slice(2)).toEqual([
      '2',
      'spawnpoint:panel-budget:application:x',
      'spawnpoint:panel-budget:block:application:x',
      '60',
      '0.003',
      '20',
    ]);
    expect(standIn.commands[2]).toEqual(['SET', 'spawnpoint:panel-budget:block:application:x', '1', 'PX', '7000']);
    redis.close();
    standIn.close();
  });

  test('each call rejects at once without a server', async () => {
    const standIn = await redisStandIn(() => '+OK\r\n');
    standIn.close();
    const redis = connectRedis(standIn.url);
    const failed = await createRedisBucket(redis)
      .block('x', 1)
      .then(
        () => false,
        () => true,
      );
    expect(failed).toBe(true);
    redis.close();
  });
});

const SERVER = Bun.which('redis-server');
// The scripts themselves need the real one; the wire is tested above without it.
if (!SERVER) throw new Error('these tests need redis-server');

describe('a real Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'panel-redis-'));
  const url = `redis+unix://${join(folder, 'socket')}`;
  const server = Bun.spawn(
    [SERVER, '--port', '0', '--unixsocket', join(folder, 'socket'), '--save', '', '--dir', folder],
    { stdout: 'ignore', stderr: 'ignore' },
  );
  const links = [connectRedis(url), connectRedis(url)] as const;
  beforeAll(async () => {
    while (
      !(await links[0].send('PING', []).then(
        () => true,
        () => false,
      ))
    )
      await runPending();
  });
  afterAll(async () => {
    for (const each of links) each.close();
    server.kill();
    await server.exited;
    rmSync(folder, { recursive: true });
  });

  test('two processes together never get more than the bucket holds', async () => {
    const buckets = links.map((redis) => createRedisBucket(redis));
    const asking = buckets.flatMap((bucket) =>
      Array.from({ length: 50 }, () => bucket.take('both', { capacity: 60, perMs: 1e-9, floor: 0 })),
    );
    const answers = await Promise.all(asking);
    expect(answers.filter(({ granted }) => granted).length).toBe(60);
    expect(answers.every(({ granted, waitMs }) => granted || waitMs > 1000)).toBe(true);
  });

  test('a reserve, a lower word of the panel and a block count for all', async () => {
    const bucket = createRedisBucket(links[0]);
    const rate = { capacity: 10, perMs: 1e-9, floor: 4 };
    for (let call = 0; call < 6; call += 1) expect((await bucket.take('k', rate)).granted).toBe(true);
    expect(await createRedisBucket(links[1]).take('k', rate)).toMatchObject({ granted: false });
    expect(await bucket.take('k', { ...rate, floor: 0 })).toEqual({ granted: true, waitMs: 0 });
    await bucket.lower('k', 1);
    expect((await bucket.take('k', { ...rate, floor: 0 })).granted).toBe(true);
    expect((await bucket.take('k', { ...rate, floor: 0 })).granted).toBe(false);
    await bucket.block('other', 50_000);
    const blocked = await createRedisBucket(links[1]).take('other', rate);
    expect([blocked.granted, blocked.waitMs > 40_000]).toEqual([false, true]);
  });
});
