import { DomainError } from '#shared/errors.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';

/** A counter of failures: its key, and how many cost no pause. */
export interface Bucket {
  readonly key: string;
  readonly free: number;
}

/** First pause after the free failures; each further failure doubles it (behaviour 3.3). */
const FIRST_PAUSE = 10 * SECOND;
const LONGEST_PAUSE = 15 * MINUTE;
/** Failures are forgotten after this many ms without another. */
const FORGET_AFTER = HOUR;

export interface Throttle {
  /**
   * Counts a try at every bucket before its outcome is known, so that fifty at once cannot all slip through. Throws
   * RATE_LIMITED with the seconds to wait, and then counts nothing.
   */
  take(buckets: readonly Bucket[]): Promise<void>;
  /** The highest count of failures among the buckets. */
  mostFailures(buckets: readonly Bucket[]): Promise<number>;
  /** Undoes a counted try that was no failure. The buckets in `forget` are cleared altogether. */
  refund(buckets: readonly Bucket[], forget?: readonly Bucket[]): Promise<void>;
}

/** Slows down guessing, with counters that survive a restart. */
export function createThrottle({ uow, clock }: { uow: UnitOfWork; clock: Clock }): Throttle {
  // Always in the order of the keys, so that two concurrent tries cannot deadlock.
  const ordered = (buckets: readonly Bucket[]) => [...buckets].sort((a, b) => (a.key < b.key ? -1 : 1));

  return {
    take: (buckets) =>
      uow.run(async (tx) => {
        const now = clock.now();
        for (const bucket of ordered(buckets)) {
          const row = await tx.identity.lockAttempts(bucket.key);
          const count = row && now - row.lastMs < FORGET_AFTER ? row.count : 0;
          const until = row && count >= bucket.free ? row.lastMs + pauseAfter(count - bucket.free) : 0;
          if (now < until) throw new DomainError('RATE_LIMITED', { retryAfterS: Math.ceil((until - now) / SECOND) });
          await tx.identity.setAttempts(bucket.key, { count: count + 1, lastMs: now });
        }
      }),
    mostFailures: (buckets) =>
      uow.run(async (tx) => {
        let most = 0;
        for (const bucket of ordered(buckets)) {
          const row = await tx.identity.lockAttempts(bucket.key);
          if (row && clock.now() - row.lastMs < FORGET_AFTER) most = Math.max(most, row.count);
        }
        return most;
      }),
    refund: (buckets, forget = []) =>
      uow.run(async (tx) => {
        for (const bucket of ordered(buckets)) {
          const row = await tx.identity.lockAttempts(bucket.key);
          if (!row || row.count <= 1 || forget.includes(bucket)) await tx.identity.clearAttempts(bucket.key);
          else await tx.identity.setAttempts(bucket.key, { count: row.count - 1, lastMs: row.lastMs });
        }
      }),
  };
}

/** Pause in ms after the n-th failure beyond the free ones, counted from 0. */
function pauseAfter(n: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(n, 20));
}

/**
 * The network that limits count an address under: an IPv4 address, also when written as IPv6, or the /64 of an IPv6
 * address. Text that is not an address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const groups = parseGroups(address.toLowerCase());
  if (!groups) return address;
  const [high = 0, low = 0] = groups.slice(6);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** The network of an address that a session is bound to (behaviour 3.11): the first 24 bits of IPv4, 48 of IPv6. */
export function blockOf(address: string): string {
  const network = networkOf(address);
  return network.includes(':') ? network.split(':').slice(0, 3).join(':') : network.split('.').slice(0, 3).join('.');
}

/** The eight groups of an IPv6 address, its last two perhaps written as IPv4; null when it is not one. */
function parseGroups(address: string): number[] | null {
  const plain = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a, b, c, d) => `${((+a << 8) | +b).toString(16)}:${((+c << 8) | +d).toString(16)}`,
  );
  const [head = '', tail] = plain.split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const between = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(between).fill('0'), ...after].map((group) =>
    /^[0-9a-f]{1,4}$/.test(group) ? Number.parseInt(group, 16) : Number.NaN,
  );
  return groups.length === 8 && !groups.some(Number.isNaN) ? groups : null;
}
