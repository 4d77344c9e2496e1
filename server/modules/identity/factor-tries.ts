import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { networkOf } from './throttle.ts';

/** So many wrong codes within so long (behaviour 3.5). */
export interface Window {
  readonly key: string;
  readonly tries: number;
  readonly lengthMs: number;
}
/** For one session, and for one address or one browser: five tries in fifteen minutes. */
const CLOSE = { tries: 5, lengthMs: 15 * MINUTE };
/**
 * For an account altogether, over all strangers: enough against guessing with a known password, and nothing that stops
 * its owner (see `windowsOf`).
 */
const WIDE = { tries: 20, lengthMs: HOUR };

/**
 * The counters of a wrong code. A browser in which the user has passed the factor before answers for itself alone:
 * strangers who know the password and send wrong codes, from wherever, do not stop it. In: hash of the browser, and
 * whether it is such a one.
 */
export function windowsOf({ actor, address }: SignedIn, device: string, trusted: boolean): Window[] {
  const own = { key: `factor:session:${actor.sessionId}`, ...CLOSE };
  if (trusted) return [own, { key: `factor:device:${actor.userId}:${device}`, ...CLOSE }];
  return [
    own,
    { key: `factor:from:${actor.userId}:${networkOf(address)}`, ...CLOSE },
    { key: `factor:account:${actor.userId}`, ...WIDE },
  ];
}

/** Seconds until the next try; 0: now. */
export async function waitFor(tx: Tx, windows: readonly Window[], nowMs: number): Promise<number> {
  let wait = 0;
  for (const { key, tries, lengthMs } of windows) {
    const row = await tx.identity.attempts(key);
    const until = row && row.count >= tries ? row.lastMs + lengthMs : 0;
    if (until > nowMs) wait = Math.max(wait, Math.ceil((until - nowMs) / SECOND));
  }
  return wait;
}

/** Counts a wrong code. */
export async function countWrong(tx: Tx, windows: readonly Window[], nowMs: number): Promise<void> {
  for (const { key, lengthMs } of windows) {
    const row = await tx.identity.attempts(key);
    const count = row && nowMs - row.lastMs < lengthMs ? row.count : 0;
    await tx.identity.setAttempts(key, { count: count + 1, lastMs: nowMs });
  }
}

/** Forgets the wrong codes: the right one came. */
export async function resetTries(tx: Tx, windows: readonly Window[]): Promise<void> {
  for (const { key } of windows) await tx.identity.clearAttempts(key);
}
