import { LIMITS, type LimitName } from '#shared/limits.ts';

/** Most keys of each limit in memory; the oldest windows are dropped first (attacks T52: a flood of addresses). */
const MAX_KEYS = 50_000;

interface Window {
  start: number;
  count: number;
}

/** Counts calls of all processes. */
export interface SharedCounter {
  /**
   * Counts one call of a key in its window. Out: the calls of that window with this one, and how long it lasts yet;
   * null where nobody can be asked just now.
   */
  count(
    name: LimitName,
    key: string,
    windowMs: number,
  ): Promise<{ readonly count: number; readonly leftMs: number } | null>;
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/**
 * Fixed-window counters in memory and, where several processes share one, in that. In: a clock, the calls that a limit
 * allows in a window, and what is shared. `take` counts one call against a limit, by key. Out: 0, or the seconds until
 * the window ends where the limit is used up. What this process counted holds by itself: for as long as nobody can be
 * asked, and without asking where it is used up here alone.
 */
export function createRateLimiter(
  now: () => number,
  maxOf: (name: LimitName) => number,
  shared: SharedCounter | null = null,
): { take(name: LimitName, key: string): number | Promise<number> } {
  const byName = new Map<LimitName, Map<string, Window>>();
  function takeOwn(name: LimitName, key: string, length: number): number {
    let windows = byName.get(name);
    if (!windows) byName.set(name, (windows = new Map()));
    const at = now();
    const window = windows.get(key);
    if (!window || at - window.start >= length || at < window.start) {
      windows.delete(key);
      windows.set(key, { start: at, count: 1 });
      if (windows.size > MAX_KEYS) windows.delete(windows.keys().next().value ?? '');
      return 0;
    }
    window.count += 1;
    return window.count <= maxOf(name) ? 0 : secondsOf(window.start + length - at);
  }
  async function takeShared(counter: SharedCounter, name: LimitName, key: string, length: number): Promise<number> {
    const answer = await counter.count(name, key, length);
    return answer === null || answer.count <= maxOf(name) ? 0 : secondsOf(answer.leftMs);
  }
  return {
    take(name, key) {
      const length = LIMITS[name].windowS * 1000;
      const wait = takeOwn(name, key, length);
      return shared === null || wait > 0 ? wait : takeShared(shared, name, key, length);
    },
  };
}
