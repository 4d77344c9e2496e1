import { expect, test } from 'bun:test';
import { createHealth } from '#server/modules/health/index.ts';
import { connectRedis } from '#server/redis/connection.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { testLog } from '#tests/support/log.ts';
import { redisStandIn } from '#tests/support/redis.ts';
import { redisCheck } from './redis.ts';

/** What the check says of a Redis, in codes. */
async function codesOf(redis: Parameters<typeof redisCheck>[0]['redis']): Promise<string[]> {
  const never = () => Promise.reject(new Error('no question to the database'));
  const health = createHealth({
    uow: { run: never, read: never },
    long: { read: never },
    clock: fakeClock(),
    log: testLog(),
    checks: [redisCheck({ redis })],
    limitMs: 200,
  });
  return (await health.check({ all: true })).rows.map(({ code, status }) => `${code} ${status}`);
}

test('Redis is fine where it answers, and a warning where it is away, refuses or hangs', async () => {
  const found: Record<string, string[]> = {};
  for (const [name, reply] of Object.entries({ fine: '+PONG\r\n', refuses: '-NOAUTH\r\n', hangs: '' })) {
    const standIn = await redisStandIn(() => reply);
    const redis = connectRedis(standIn.url);
    found[name] = await codesOf(redis);
    if (name === 'fine') expect(standIn.commands).toEqual([['PING']]);
    redis.close();
    standIn.close();
  }
  const gone = await redisStandIn(() => '');
  gone.close();
  const redis = connectRedis(gone.url);
  found['gone'] = await codesOf(redis);
  redis.close();
  expect(found).toEqual({
    fine: ['ok ok'],
    refuses: ['away warning'],
    hangs: ['late unknown'],
    gone: ['away warning'],
  });
});

test('an installation of one process has no row about Redis', async () => {
  expect(await codesOf(null)).toEqual([]);
});
