import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createRateLimiter } from '#server/http/rate-limit.ts';
import { createKeyed } from '#server/keyed.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { testLog } from '#tests/support/log.ts';
import { RedisServer } from '#tests/support/redis-server.ts';
import { PAUSE_MS } from './asking.ts';
import { connectRedis, type RedisLink } from './connection.ts';
import { createSharedCounter } from './counter.ts';

const server = new RedisServer();
const links: ReturnType<typeof connectRedis>[] = [];
beforeAll(() => server.start());
afterAll(async () => {
  for (const each of links) each.close();
  await server.remove();
});

const timer = {
  after(ms: number, run: () => void) {
    const handle = setTimeout(run, ms);
    return () => clearTimeout(handle);
  },
};

/** The limits of one process; `max`: calls of a window. */
function limitsOf({ redis, max = 10, key = 1 }: { redis?: RedisLink; max?: number; key?: number } = {}) {
  let link = redis;
  if (!link) links.push((link = connectRedis(server.url)) as ReturnType<typeof connectRedis>);
  const clock = fakeClock();
  const log = testLog();
  const keyed = createKeyed(Buffer.alloc(32, key));
  const limiter = createRateLimiter(
    clock.now,
    () => max,
    createSharedCounter({ redis: link, keyed, clock, log, timer }),
  );
  return { take: limiter.take, clock, log };
}

test('T52 two processes together let through what one would, and say when the window ends', async () => {
  const [one, two] = [limitsOf(), limitsOf()];
  const calls = Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? one : two).take('login', 'ann'));
  const waits = await Promise.all(calls);
  expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
  expect(waits.filter((wait) => wait > 0).every((wait) => wait > 50 && wait <= 60)).toBe(true);
  expect(await one.take('login', 'bob')).toBe(0);
  expect(await one.take('register', 'ann')).toBe(0);
  // Another installation on the same Redis.
  expect(await limitsOf({ key: 2 }).take('login', 'ann')).toBe(0);
});

test('a window of all ends by its own time, and its keys tell nothing of whose it is', async () => {
  const link = connectRedis(server.url);
  links.push(link);
  const sent: string[][] = [];
  const spied: RedisLink = {
    send(command, args) {
      sent.push(args);
      return link.send(command, args);
    },
  };
  const { take } = limitsOf({ redis: spied, max: 1 });
  expect(await take('afk', '198.51.100.7')).toBe(0);
  const window = sent[0]?.[2] ?? '';
  expect(window).toMatch(/^spawnpoint:limit:afk:[\w-]{43}$/);
  expect(JSON.stringify(sent)).not.toContain('198.51.100.7');
  const left = Number(await link.send('PTTL', [window]));
  expect(left > 50_000 && left <= 60_000).toBe(true);
  expect(await link.send('GET', [window])).toBe('1');
});

test('while Redis is killed, or hangs, each process counts for itself, is asked once in a while, and says so once', async () => {
  const { take, log, clock } = limitsOf({ max: 3 });
  expect(await take('read', 'eve')).toBe(0);
  server.signal('SIGSTOP');
  expect(await take('read', 'eve')).toBe(0);
  server.signal('SIGCONT');
  await server.kill();
  clock.advance(PAUSE_MS);
  expect(await take('read', 'eve')).toBe(0);
  // What it counted before holds.
  expect(await take('read', 'eve')).toBeGreaterThan(0);
  expect(log.events()).toEqual(['redis.away']);
  await server.start();
  clock.advance(PAUSE_MS);
  expect(await take('read', 'joe')).toBe(0);
  expect(log.events()).toEqual(['redis.away', 'redis.back']);
  // Shared again.
  const other = limitsOf({ max: 3 });
  for (let call = 0; call < 2; call += 1) expect(await other.take('read', 'joe')).toBe(0);
  expect(await take('read', 'joe')).toBeGreaterThan(0);
});
