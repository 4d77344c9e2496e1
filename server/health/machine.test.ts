import { describe, expect, test } from 'bun:test';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { certificateCheck } from './certificate.ts';
import { clockCheck } from './clock.ts';
import { createLoopDelay } from './loop-delay.ts';
import { machineChecks } from './machine.ts';
import { createOutsideClocks } from './outside-clocks.ts';

const GB = 1024 ** 3;
const never = new AbortController().signal;
/** Figures of an hour, a day or longer ago. */
const uowWith = (first: { atMs: number; figure: number } | null) =>
  ({
    read: (work: (tx: unknown) => unknown) => work({ health: { findFirst: async () => first } }),
  }) as unknown as UnitOfWork;

const clock = fakeClock();
function machine(options: {
  readonly disk?: readonly [total: number, free: number];
  readonly memory?: readonly [used: number, limit: number];
  readonly first?: { atMs: number; figure: number };
  readonly loop?: readonly [p99: number, max: number];
}) {
  const [total, free] = options.disk ?? [100 * GB, 50 * GB];
  const [used, limit] = options.memory ?? [1, 2];
  const [p99, max] = options.loop ?? [0, 0];
  const checks = machineChecks({
    clock,
    uow: uowWith(options.first ?? null),
    loop: { read: () => ({ p99, max }), start: () => undefined, stop: () => undefined },
    dataDir: '/data',
    version: '1.0.0',
    startedMs: clock.now(),
    diskOf: async () => ({ total, free }),
    memory: async () => ({ used, limit }),
  });
  return async (key: string) => {
    const found = await checks.find((check) => check.key === key)?.run(never);
    return Array.isArray(found) ? undefined : found;
  };
}
const codeOf = async (key: string, options: Parameters<typeof machine>[0]) =>
  ((await machine(options)(key)) as { code: string } | undefined)?.code;

describe('the machine', () => {
  test.each([
    ['half of it is used', [100 * GB, 50 * GB], 'ok'],
    ['85 % of it are used', [100 * GB, 15 * GB], 'low'],
    ['a little less is', [100 * GB, 15 * GB + 1], 'ok'],
    ['it is small and little is left', [10 * GB, 2 * GB - 1], 'low'],
    ['95 % of it are used', [100 * GB, 5 * GB], 'full'],
    ['a quarter of a GB is left', [1 * GB, GB / 4 - 1], 'full'],
  ] as const)('a disk of which %s is reported as that', async (_, disk, code) => {
    expect(await codeOf('disk', { disk })).toBe(code);
  });

  test('a disk that is full in a week at its rate is reported before it is', async () => {
    const first = { atMs: clock.now() - DAY, figure: 50 * GB - 7.2 * GB };
    expect(await codeOf('disk', { first })).toBe('soon');
    expect(await codeOf('disk', { first: { ...first, figure: 50 * GB - 7 * GB } })).toBe('ok');
    // Two hours say nothing of a rate.
    expect(await codeOf('disk', { first: { atMs: clock.now() - 2 * HOUR, figure: 40 * GB } })).toBe('ok');
  });

  test.each([
    [79, 'ok'],
    [80, 'high'],
    [95, 'full'],
  ])('memory of which %d %% are taken is %s', async (used, code) => {
    expect(await codeOf('memory', { memory: [used, 100] })).toBe(code);
  });

  test.each([
    [199, 'ok'],
    [200, 'slow'],
    [2000, 'blocked'],
  ])('an event loop that is %d ms late is %s', async (p99, code) => {
    expect(await codeOf('loop', { loop: [p99, p99] })).toBe(code);
  });

  test('without a stand-in the machine itself is looked at', async () => {
    const checks = machineChecks({
      clock,
      uow: uowWith(null),
      loop: createLoopDelay(),
      dataDir: import.meta.dir,
      version: '1.0.0',
      startedMs: clock.now(),
    });
    const [disk, memory] = await Promise.all(
      ['disk', 'memory'].map(async (key) => checks.find((check) => check.key === key)?.run(never)),
    );
    for (const found of [disk, memory]) expect((found as { figure: number }).figure).toBeGreaterThan(1024 ** 2);
  });
});

test('the delay of the event loop is how late its timers were in the last minute', async () => {
  const loop = createLoopDelay();
  expect(loop.read()).toEqual({ p99: 0, max: 0 });
  loop.start();
  await Bun.sleep(20);
  Bun.sleepSync(250);
  await Bun.sleep(20);
  loop.stop();
  expect(loop.read().max).toBeGreaterThan(100);
});

describe('the clock', () => {
  const answer = (aheadMs: number) => async () =>
    new Response('', { headers: { Date: new Date(clock.now() + aheadMs).toUTCString() } });
  async function codeWith(offsets: readonly number[]) {
    const clocks = createOutsideClocks(clock);
    for (const [at, offset] of offsets.entries())
      await clocks.watch(answer(offset))(`https://service-${at}.example/x`, {});
    const found = await clockCheck({
      clock,
      database: { dialect: 'sqlite', read: () => Promise.reject(new Error('not asked')) },
      clocks,
    }).run(never);
    return (found as { code: string }).code;
  }

  test.each([
    [[], 'alone'],
    [[0], 'ok'],
    [[4000], 'ok'],
    [[7000], 'off'],
    [[-7000], 'off'],
    [[60_000], 'far'],
    // One service that is wrong itself does no harm.
    [[0, 90_000, 0], 'ok'],
  ])('a clock that services are %j ms ahead of is %s', async (offsets, code) => {
    expect(await codeWith(offsets)).toBe(code);
  });

  test('an answer without a date, and one of more than a day ago, say nothing', async () => {
    const own = fakeClock();
    const clocks = createOutsideClocks(own);
    await clocks.watch(async () => new Response(''))('https://a.example', {});
    expect(clocks.read()).toBeNull();
    await clocks.watch(async () => new Response('', { headers: { Date: new Date(own.now()).toUTCString() } }))(
      'https://a.example',
      {},
    );
    expect(clocks.read()).toEqual({ offsetMs: -500, hosts: 1 });
    own.advance(DAY);
    expect(clocks.read()).toBeNull();
  });
});

describe('the certificate', () => {
  const codeWith = async (leftMs: number, fault: string | null = null, appUrl = 'https://panel.example.com') => {
    const asked: unknown[] = [];
    const found = await certificateCheck({
      clock,
      appUrl,
      readCertificate: async (host, port) => {
        asked.push([host, port]);
        return { untilMs: clock.now() + leftMs, fault };
      },
    }).run(never);
    return [(found as { code: string }).code, asked];
  };

  test.each([
    [15 * DAY, null, 'ok'],
    [14 * DAY - 1, null, 'soon'],
    [3 * DAY - 1, null, 'ending'],
    [0, 'CERT_HAS_EXPIRED', 'ended'],
    [90 * DAY, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'wrong'],
  ])('one that ends in %d ms with the fault %p is %s', async (left, fault, code) => {
    expect(await codeWith(left, fault)).toEqual([code, [['panel.example.com', 443]]]);
  });

  test('an installation without HTTPS asks nobody, and a host that does not answer is not called wrong', async () => {
    expect(await codeWith(DAY, null, 'http://127.0.0.1:3000')).toEqual(['none', []]);
    const away = certificateCheck({
      clock,
      appUrl: 'https://panel.example.com:8443',
      readCertificate: () => Promise.reject(new Error('refused')),
    });
    expect(await away.run(never)).toMatchObject({ code: 'away' });
  });

  test('the certificate of a real host is read with its end and its fault', async () => {
    const own = selfSigned('localhost');
    using server = Bun.serve({ port: 0, tls: { key: own.key, cert: own.cert }, fetch: () => new Response('') });
    const check = certificateCheck({ clock: { now: Date.now }, appUrl: `https://localhost:${server.port}` });
    expect(await check.run(never)).toMatchObject({ code: 'wrong' });
    const none = certificateCheck({ clock: { now: Date.now }, appUrl: 'https://127.0.0.1:9' });
    expect(await none.run(never)).toMatchObject({ code: 'away' });
  });
});
