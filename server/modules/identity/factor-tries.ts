import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { networkOf } from './throttle.ts';

/** A limit of wrong codes: at most `tries` within `lengthMs`, counted under `key` (behaviour 3.5). */
export interface TryWindow {
  readonly key: string;
  readonly tries: number;
  readonly lengthMs: number;
}
/** For one session, and for one address or one browser: five tries in fifteen minutes. */
const NARROW_WINDOW = { tries: 5, lengthMs: 15 * MINUTE };
/**
 * For an account over all unknown browsers: stops guessing by somebody who knows the password, without locking out the
 * owner (see `tryWindows`).
 */
const ACCOUNT_WINDOW = { tries: 20, lengthMs: HOUR };

/**
 * The windows in which a wrong code counts. A trusted browser, in which the user has passed the factor before, has
 * counters of its own: strangers who know the password and send wrong codes cannot lock it out. In: the hash of the
 * browser's device token, and whether it is trusted.
 */
export function tryWindows({ actor, address }: SignedIn, device: string, trusted: boolean): TryWindow[] {
  const own = { key: `factor:session:${actor.sessionId}`, ...NARROW_WINDOW };
  if (trusted) return [own, { key: `factor:device:${actor.userId}:${device}`, ...NARROW_WINDOW }];
  return [
    own,
    { key: `factor:from:${actor.userId}:${networkOf(address)}`, ...NARROW_WINDOW },
    { key: `factor:account:${actor.userId}`, ...ACCOUNT_WINDOW },
  ];
}

/** Seconds until the next try is allowed; 0: now. */
export async function secondsToWait(tx: Tx, windows: readonly TryWindow[], nowMs: number): Promise<number> {
  let wait = 0;
  for (const { key, tries, lengthMs } of windows) {
    const row = await tx.identity.lockAttempts(key);
    const until = row && row.count >= tries ? row.lastMs + lengthMs : 0;
    if (until > nowMs) wait = Math.max(wait, Math.ceil((until - nowMs) / SECOND));
  }
  return wait;
}

/** Counts a wrong code in every window. */
export async function countWrongCode(tx: Tx, windows: readonly TryWindow[], nowMs: number): Promise<void> {
  for (const { key, lengthMs } of windows) {
    const row = await tx.identity.lockAttempts(key);
    const count = row && nowMs - row.lastMs < lengthMs ? row.count : 0;
    await tx.identity.setAttempts(key, { count: count + 1, lastMs: nowMs });
  }
}

/** Clears the wrong codes of these windows after a right one. */
export async function clearTries(tx: Tx, windows: readonly TryWindow[]): Promise<void> {
  for (const { key } of windows) await tx.identity.clearAttempts(key);
}
