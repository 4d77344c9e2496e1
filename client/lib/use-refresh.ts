import { useEffect, useEffectEvent } from 'react';
import { useRevalidator } from 'react-router';

/**
 * Reruns the page's loader periodically while `on` and the page is visible, and at once when it becomes visible again.
 * For what the server has no events for. In: the interval in ms. Skipped while a load is running.
 */
export function useRefresh(everyMs: number, on: boolean): void {
  const revalidator = useRevalidator();
  const refresh = useEffectEvent(() => {
    if (document.visibilityState === 'visible' && revalidator.state === 'idle') void revalidator.revalidate();
  });
  useEffect(() => {
    if (!on) return;
    const run = () => refresh();
    const timer = setInterval(run, everyMs);
    document.addEventListener('visibilitychange', run);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [everyMs, on]);
}
