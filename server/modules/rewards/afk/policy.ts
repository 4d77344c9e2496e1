import { MINUTE, SECOND } from '#shared/time.ts';
import type { AfkRow } from './ports.ts';

/** A stream issues a challenge this often. */
export const CHALLENGE_EVERY_MS = 20 * SECOND;
/** A challenge may be answered for this long: until the next one, and a little for a late timer. */
export const CHALLENGE_LIFETIME_MS = 30 * SECOND;
/** Between two beats at most this much counts as presence: one lost challenge is forgiven, absence is not. */
export const LONGEST_SPAN_MS = 45 * SECOND;
/** A stream whose challenges nobody answers ends after this many (five minutes). */
export const MOST_UNANSWERED = 15;
/** A session without a stream and without beats for this long is over. */
export const SILENCE_MS = 5 * MINUTE;

/**
 * Whether a challenge is the newest one, not yet answered and still alive. A clock that went back behind its issue
 * makes it void.
 */
export function isCurrentChallenge(row: AfkRow, challenge: string, now: number): boolean {
  const { challengeMs } = row;
  return (
    challengeMs !== null &&
    row.challenge === challenge &&
    now >= challengeMs &&
    now <= challengeMs + CHALLENGE_LIFETIME_MS
  );
}

/**
 * Presence after a beat at `now`, by the server's clock. A span that is too long, or negative because the clock went
 * back, is dropped and the started minute begins anew. At most one minute gets full, since a span is shorter than one.
 */
export function countPresence(row: AfkRow, now: number): { countedMs: number; full: boolean } {
  const span = now - row.lastBeatMs;
  const paid = row.minutes * MINUTE;
  if (span < 0 || span > LONGEST_SPAN_MS) return { countedMs: paid, full: false };
  const countedMs = row.countedMs + span;
  return { countedMs, full: countedMs >= paid + MINUTE };
}

/** Presence still missing for the next payout, ms. */
export function msToNextPayout(row: { countedMs: number; minutes: number }): number {
  return Math.max(0, (row.minutes + 1) * MINUTE - row.countedMs);
}
