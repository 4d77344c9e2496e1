import { useCallback, useSyncExternalStore } from 'react';
import { useShell } from './shell-context.ts';

/**
 * The server's time in UTC ms, renewed every `everyMs` (10 s by default). The page was born with it; since then the
 * page's own steady clock counts, so that a device whose clock is wrong, or is changed, shows the right time. The first
 * render is the server's.
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
