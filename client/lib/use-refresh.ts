import { useEffect, useEffectEvent } from 'react';
import { useRevalidator } from 'react-router';

/** Asks the page's loader again every so often while `on` and somebody looks. For what the server has no events for. In: ms. */
export function useRefresh(everyMs: number, on: boolean): void {
  const revalidator = useRevalidator();
  const look = useEffectEvent(() => {
    if (document.visibilityState === 'visible' && revalidator.state === 'idle') void revalidator.revalidate();
  });
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => look(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, on]);
}
