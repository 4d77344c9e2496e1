import type { SharedCounter } from '#server/http/rate-limit.ts';
import type { Keyed } from '#server/modules/abuse/index.ts';
import type { Clock, Log } from '#server/modules/kernel.ts';
import { createAsking } from './asking.ts';
import type { RedisLink } from './connection.ts';

/** How long a visitor waits for Redis at most. */
const LIMIT_MS = 150;
/** KEYS: window. ARGV: its length in ms. A window begins with its first call, by the clock of Redis. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {count, left}
`;

interface Deps {
  readonly redis: RedisLink;
  readonly keyed: Keyed;
  readonly clock: Clock;
  readonly timer: { after(ms: number, run: () => void): () => void };
  readonly log: Log;
}

/**
 * Counts the calls of visitors for all processes of an installation, in Redis. Whose they are stands there as a hash
 * under the installation's key: no address and no user can be read from it, and two installations do not meet.
 */
export function createSharedCounter({ redis, keyed, ...deps }: Deps): SharedCounter {
  const ask = createAsking({ ...deps, what: 'rate limits', limitMs: LIMIT_MS });
  return {
    count: (name, key, windowMs) =>
      ask(async () => {
        const window = `spawnpoint:limit:${name}:${keyed.mac('rate limits', key)}`;
        const answer = await redis.send('EVAL', [COUNT, '1', window, String(windowMs)]);
        const [count, leftMs]: unknown[] = Array.isArray(answer) ? answer : [];
        if (typeof count !== 'number' || typeof leftMs !== 'number') throw new TypeError('an answer of another kind');
        return { count, leftMs };
      }),
  };
}
