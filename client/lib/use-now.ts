import { useCallback, useSyncExternalStore } from 'react';
import { useShell } from './shell-context.ts';

/**
 * The server's time in UTC ms, updated every `everyMs` (10 s by default): the time that came with the page plus the
 * page's own monotonic clock, so that a wrong or changed device clock does no harm. The first render equals the
 * server's.
 */
export function useNow(everyMs = 10_000): number {
  const { now, elapsedMs } = useShell();
  const subscribe = useCallback(
    (listener: () => void) => {
      const timer = setInterval(listener, everyMs);
      return () => clearInterval(timer);
    },
    [everyMs],
  );
  const passed = (): number => Math.floor(elapsedMs() / everyMs) * everyMs;
  return Date.parse(now) + useSyncExternalStore(subscribe, passed, () => 0);
}
