import { createHash } from 'node:crypto';
import type { Clock, Ids } from '#server/modules/kernel.ts';

/** A day in the middle of nowhere: no month end, no change of summer time. UTC. */
export const TEST_START = Date.UTC(2026, 2, 10, 12, 0, 0);

export interface FakeClock extends Clock {
  /** Moves on by some ms. Out: the new time. */
  advance(ms: number): number;
  /** Jumps to a time, back as well. */
  set(ms: number): void;
}

/** A clock that stands still until it is moved. */
export function fakeClock(startMs: number = TEST_START): FakeClock {
  let now = startMs;
  return {
    now: () => now,
    advance: (ms) => (now += ms),
    set: (ms) => {
      now = ms;
    },
  };
}

/**
 * Identifiers that are the same in every run: UUIDs of version 7 whose time part counts up, tokens numbered. In: a
 * number that keeps two makers apart (0 to 255).
 */
export function testIds(maker = 0): Ids {
  let count = 0;
  const own = maker.toString(16).padStart(2, '0');
  return {
    uuid() {
      count += 1;
      const hex = count.toString(16).padStart(12, '0');
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-0000000000${own}`;
    },
    token() {
      count += 1;
      return `token-${own}-${count}`.padEnd(43, '_');
    },
    hash: (text) => createHash('sha256').update(text).digest('hex'),
  };
}
