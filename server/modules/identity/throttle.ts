import { DomainError } from '#shared/errors.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';

/** A count of failures: the key, and how many are free before the pauses begin. */
export interface Bucket {
  readonly key: string;
  readonly free: number;
}

/** First pause after the free failures; each further failure doubles it (behaviour 3.3). */
const FIRST_PAUSE = 10 * SECOND;
const LONGEST_PAUSE = 15 * MINUTE;
/** Failures are forgotten after so long without another. */
const FORGET_AFTER = HOUR;

export interface Throttle {
  /**
   * Counts a try at every gate before its outcome is known, so that fifty at once cannot all slip through. Throws
   * RATE_LIMITED with the seconds to wait, and then counts nothing.
   */
  take(gates: readonly Bucket[]): Promise<void>;
  /** The most failures that any of the gates counts now. */
  failures(gates: readonly Bucket[]): Promise<number>;
  /** Takes the counted try back: it was no failure. The failures of the gates in `forget` are forgotten altogether. */
  refund(gates: readonly Bucket[], forget?: readonly Bucket[]): Promise<void>;
}

/** Slows down guessing, with counts that outlive a restart. */
export function createThrottle({ uow, clock }: { uow: UnitOfWork; clock: Clock }): Throttle {
  // Always in the order of the keys, so that two tries at once cannot wait for each other.
  const ordered = (gates: readonly Bucket[]) => [...gates].sort((a, b) => (a.key < b.key ? -1 : 1));

  return {
    take: (gates) =>
      uow.run(async (tx) => {
        const now = clock.now();
        for (const gate of ordered(gates)) {
          const row = await tx.identity.attempts(gate.key);
          const count = row && now - row.lastMs < FORGET_AFTER ? row.count : 0;
          const until = row && count >= gate.free ? row.lastMs + pauseAfter(count - gate.free) : 0;
          if (now < until) throw new DomainError('RATE_LIMITED', { retryAfterS: Math.ceil((until - now) / SECOND) });
          await tx.identity.setAttempts(gate.key, { count: count + 1, lastMs: now });
        }
      }),
    failures: (gates) =>
      uow.run(async (tx) => {
        let most = 0;
        for (const gate of ordered(gates)) {
          const row = await tx.identity.attempts(gate.key);
          if (row && clock.now() - row.lastMs < FORGET_AFTER) most = Math.max(most, row.count);
        }
        return most;
      }),
    refund: (gates, forget = []) =>
      uow.run(async (tx) => {
        for (const gate of ordered(gates)) {
          const row = await tx.identity.attempts(gate.key);
          if (!row || row.count <= 1 || forget.includes(gate)) await tx.identity.clearAttempts(gate.key);
          else await tx.identity.setAttempts(gate.key, { count: row.count - 1, lastMs: row.lastMs });
        }
      }),
  };
}

/** Pause in ms after the n-th failure beyond the free ones, counted from 0. */
function pauseAfter(n: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(n, 20));
}

/**
 * What counts as one place: an IPv4 address, also where it is written as IPv6, or the /64 of an IPv6 address. What is
 * no address stays as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address.toLowerCase());
  if (!groups) return address;
  const [high = 0, low = 0] = groups.slice(6);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** The eight numbers of an IPv6 address, its last two perhaps written as IPv4; null where it is none. */
function groupsOf(address: string): number[] | null {
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
