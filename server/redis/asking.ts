import { SECOND } from '#shared/time.ts';
import type { Clock, Log } from '#server/modules/kernel.ts';

/** How long Redis is left alone when it does not answer. */
export const PAUSE_MS = 5 * SECOND;

interface Deps {
  readonly clock: Clock;
  /** Runs a function once, after some ms. Out: cancels that. */
  readonly timer: { after(ms: number, run: () => void): () => void };
  readonly log: Log;
  /** What is not shared while nobody answers, for the log. */
  readonly what: string;
  /** How long an answer may take. */
  readonly limitMs: number;
}

/**
 * Asks what processes share, never for long, and not at all for a while after it failed. Out: a function that gives the
 * answer, or null where there is none. The log hears once that it is away, and once that it is back.
 */
export function createAsking({ clock, timer, log, what, limitMs }: Deps) {
  let awayUntilMs = 0;
  let isAway = false;
  return async function ask<T>(question: () => Promise<T>): Promise<T | null> {
    // A clock that was set back does not keep it away.
    awayUntilMs = Math.min(awayUntilMs, clock.now() + PAUSE_MS);
    if (clock.now() < awayUntilMs) return null;
    let cancel = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = timer.after(limitMs, () => reject(new Error('no answer in time')));
    });
    try {
      const answer = await Promise.race([question(), late]);
      if (isAway) log.info('redis.back', { shared: what });
      isAway = false;
      return answer;
    } catch (error) {
      awayUntilMs = clock.now() + PAUSE_MS;
      if (!isAway) log.warn('redis.away', { shared: what, error: String(error) });
      isAway = true;
      return null;
    } finally {
      cancel();
    }
  };
}
