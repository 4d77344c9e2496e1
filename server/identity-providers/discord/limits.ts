import type { Clock } from '#server/modules/kernel.ts';
import { MINUTE, SECOND } from '#shared/time.ts';

/** Answers of 401, 403 and 429 in ten minutes after which we fall silent: Discord bars an address at 10,000. */
const REFUSALS_MAX = 5000;
const REFUSALS_WINDOW = 10 * MINUTE;
/** Failures in a row after which calls are not even tried for a while. */
const FAILURES_MAX = 5;
const FAILURES_PAUSE = 30 * SECOND;
/** Most buckets that are remembered. */
const BUCKETS_MAX = 10_000;

/** What an answer says of limits. */
interface LimitFacts {
  readonly status: number;
  readonly headers: Headers;
  /** `retry_after` of the body, in seconds. */
  readonly bodyRetryS: number | null;
}
export type Limits = ReturnType<typeof createLimits>;

/**
 * Rate limits as Discord tells them, never known beforehand: by bucket and what it is counted for, and for everything
 * at once. A second guard counts refusals, a third failures. In: the clock. Times in UTC ms.
 */
export function createLimits(clock: Clock) {
  /** Route and what it is counted for → the name of its bucket. */
  const buckets = new Map<string, string>();
  const closed = new Map<string, number>();
  let allClosed = 0;
  let refusals = { since: 0, count: 0 };
  let failures = 0;

  /** Seconds until a call of a route may be made; 0: now. `key`: route and what it is counted for. */
  function wait(key: string): number {
    const until = Math.max(allClosed, closed.get(buckets.get(key) ?? key) ?? 0);
    return Math.max(0, Math.ceil((until - clock.now()) / SECOND));
  }

  /** Learns from an answer. Gives the seconds to wait where it was a 429. */
  function note(key: string, major: string, { status, headers, bodyRetryS }: LimitFacts): number | null {
    failures = status >= 500 ? failures + 1 : 0;
    if (failures >= FAILURES_MAX) pauseAll(FAILURES_PAUSE);
    const bucket = headers.get('x-ratelimit-bucket');
    if (bucket) remember(buckets, key, `${bucket} ${major}`);
    const name = buckets.get(key) ?? key;
    countRefusal(status, headers.get('x-ratelimit-scope'));
    if (status === 429) {
      const seconds = Math.max(
        numberOf(headers.get('retry-after')) ?? 0,
        bodyRetryS ?? 0,
        numberOf(headers.get('x-ratelimit-reset-after')) ?? 0,
        1,
      );
      const global = headers.get('x-ratelimit-global') !== null || headers.get('x-ratelimit-scope') === 'global';
      if (global) pauseAll(seconds * SECOND);
      else remember(closed, name, clock.now() + seconds * SECOND);
      return Math.ceil(seconds);
    }
    const after = numberOf(headers.get('x-ratelimit-reset-after'));
    if (headers.get('x-ratelimit-remaining') === '0' && after !== null)
      remember(closed, name, clock.now() + after * SECOND);
    return null;
  }

  function countRefusal(status: number, scope: string | null): void {
    if (status !== 401 && status !== 403 && (status !== 429 || scope === 'shared')) return;
    const now = clock.now();
    if (now - refusals.since >= REFUSALS_WINDOW || now < refusals.since) refusals = { since: now, count: 0 };
    refusals.count += 1;
    if (refusals.count >= REFUSALS_MAX) pauseAll(refusals.since + REFUSALS_WINDOW - now);
  }

  function pauseAll(ms: number): void {
    allClosed = Math.max(allClosed, clock.now() + ms);
  }

  return {
    wait,
    note,
    /** Nothing came back at all. */
    failed(): void {
      failures += 1;
      if (failures >= FAILURES_MAX) pauseAll(FAILURES_PAUSE);
    },
  };
}

/** Seconds as Discord writes them, fractions included; at most a day. */
function numberOf(text: string | null): number | null {
  const value = text === null ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? Math.min(value, 86_400) : null;
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= BUCKETS_MAX) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
