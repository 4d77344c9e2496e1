import { useEffect, useEffectEvent } from 'react';
import { useRevalidator } from 'react-router';

/**
 * Asks the page's loader again every so often while `on` and somebody looks, and at once when somebody looks again. For
 * what the server has no events for. In: ms. A reading that is under way is enough: what it misses comes with the next
 * round.
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
