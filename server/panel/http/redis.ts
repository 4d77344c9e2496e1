import type { RedisLink } from '#server/redis/connection.ts';
import type { SharedBucket } from './budget.ts';

/**
 * By the clock of Redis, so that those of the processes do not matter. KEYS: bucket, block. ARGV: capacity, tokens a
 * ms, floor.
 */
const TAKE = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local blocked = redis.call('PTTL', KEYS[2])
if blocked > 0 then return {0, blocked} end
local capacity, rate, floor = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = math.min(capacity, (tonumber(kept[1]) or capacity) + math.max(0, now - (tonumber(kept[2]) or now)) * rate)
local short = floor + 1 - tokens
local wait = 0
if short > 0.000000001 then wait = math.max(1, math.ceil(short / rate)) else tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', tostring(now))
redis.call('PEXPIRE', KEYS[1], 180000)
return {wait == 0 and 1 or 0, wait}
`;
/** KEYS: bucket. ARGV: how many are left at most. */
const LOWER = `
local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or '')
if tokens and tokens > tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'tokens', ARGV[1]) end
return 1
`;
const PREFIX = 'spawnpoint:panel-budget';

/**
 * The bucket that all processes share, in Redis: each step is one script, so that no two of them take the same call.
 * Rejects where Redis does.
 */
export function createRedisBucket(redis: RedisLink): SharedBucket {
  return {
    async take(key, { capacity, perMs, floor }) {
      const answer = await redis.send('EVAL', [
        TAKE,
        '2',
        `${PREFIX}:${key}`,
        `${PREFIX}:block:${key}`,
        String(capacity),
        String(perMs),
        String(floor),
      ]);
      const [granted, waitMs]: unknown[] = Array.isArray(answer) ? answer : [];
      if (typeof granted !== 'number' || typeof waitMs !== 'number') throw new TypeError('an answer of another kind');
      return { granted: granted === 1, waitMs };
    },
    async lower(key, left) {
      await redis.send('EVAL', [LOWER, '1', `${PREFIX}:${key}`, String(left)]);
    },
    async block(key, ms) {
      await redis.send('SET', [`${PREFIX}:block:${key}`, '1', 'PX', String(Math.max(1, Math.round(ms)))]);
    },
  };
}
