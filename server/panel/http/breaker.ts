import { SECOND } from '#shared/time.ts';
import type { Clock } from '#server/modules/kernel.ts';

/** Failures in a row after which a panel is left alone, and for how long: doubled each time, up to the last. */
export const FAILURES = 5;
export const FIRST_PAUSE_MS = 5 * SECOND;
export const LONGEST_PAUSE_MS = 60 * SECOND;

/** A call that was let through. `good` of a panel that answered, whatever it said; `fault` of one that did not. */
type Pass = (result: 'good' | 'fault') => void;
export interface Breaker {
  /** Whether a call would be let through now; asks only. */
  ready(): boolean;
  /**
   * Lets a call through or not. After the pause one is let through to try; the others go on being refused until it is
   * back.
   */
  enter(): Pass | null;
  state(): { readonly circuit: 'closed' | 'open' | 'trying'; readonly opensAgainMs: number | null };
}

/** The circuit breaker of one panel: a panel that is down is not asked by everybody all the time. */
export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let untilMs: number | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let trying = false;

  /** Whether the pause is over. A clock that was set back does not make it longer than it was. */
  function over(): boolean {
    if (untilMs === null) return true;
    untilMs = Math.min(untilMs, clock.now() + pauseMs);
    return clock.now() >= untilMs;
  }
  const passOf =
    (trial: boolean): Pass =>
    (result) => {
      if (trial) trying = false;
      if (result === 'good') {
        failures = 0;
        untilMs = null;
        pauseMs = FIRST_PAUSE_MS;
        return;
      }
      failures += 1;
      if (trial) pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      // Those that were under way when it opened say nothing new.
      if (trial || (untilMs === null && failures >= FAILURES)) untilMs = clock.now() + pauseMs;
    };
  return {
    ready: () => !trying && over(),
    enter() {
      if (untilMs === null) return passOf(false);
      if (trying || !over()) return null;
      trying = true;
      return passOf(true);
    },
    state: () => ({ circuit: trying ? 'trying' : untilMs === null ? 'closed' : 'open', opensAgainMs: untilMs }),
  };
}
