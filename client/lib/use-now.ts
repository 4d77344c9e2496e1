import { useCallback, useSyncExternalStore } from 'react';
import { useShell } from './shell-context.ts';

/**
 * The server's time in UTC ms, renewed every `everyMs` (10 s unless told otherwise). The page was born with it; since then the page's own
 * steady clock counts, so that a device whose clock is wrong, or is changed, shows the right time. The first render is the server's.
 */
export function useNow(everyMs = 10_000): number {
  const born = Date.parse(useShell().now);
  const subscribe = useCallback(
    (listener: () => void) => {
      const timer = setInterval(listener, everyMs);
      return () => clearInterval(timer);
    },
    [everyMs],
  );
  const passed = (): number => Math.floor(performance.now() / everyMs) * everyMs;
  return born + useSyncExternalStore(subscribe, passed, () => 0);
}
