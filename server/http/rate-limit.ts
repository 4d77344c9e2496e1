import { LIMITS, type LimitName } from '#shared/limits.ts';

/** Most keys of each limit in memory; the oldest windows are dropped first (attacks T52: a flood of addresses). */
const MAX_KEYS = 50_000;

interface Window {
  start: number;
  count: number;
}

/**
 * Fixed-window counters in memory. In: a clock, and the calls that a limit allows in a window. `take` counts one call
 * against a limit, by key. Out: 0, or the seconds until the window ends where the limit is used up.
 */
export function createRateLimiter(
  now: () => number,
  maxOf: (name: LimitName) => number,
): { take(name: LimitName, key: string): number } {
  const byName = new Map<LimitName, Map<string, Window>>();
  return {
    take(name, key) {
      let windows = byName.get(name);
      if (!windows) byName.set(name, (windows = new Map()));
      const at = now();
      const length = LIMITS[name].windowS * 1000;
      const window = windows.get(key);
      if (!window || at - window.start >= length || at < window.start) {
        windows.delete(key);
        windows.set(key, { start: at, count: 1 });
        if (windows.size > MAX_KEYS) windows.delete(windows.keys().next().value ?? '');
        return 0;
      }
      window.count += 1;
      return window.count <= maxOf(name) ? 0 : Math.max(1, Math.ceil((window.start + length - at) / 1000));
    },
  };
}
