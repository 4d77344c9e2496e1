import { useEffect, useState } from 'react';
import { measurePage, type PageMetrics } from './page-facts.ts';

type Kind = 'largest-contentful-paint' | 'layout-shift' | 'longtask';

/** The page's metrics, updated while they are shown. What a browser does not measure stays null. */
export function usePageMetrics(): PageMetrics {
  const [figures, setFigures] = useState<PageMetrics>(() => measurePage({ paints: [], shifts: [], tasks: null }));
  // An effect, because the browser measures by itself and notifies its observers.
  useEffect(() => {
    const seen: Record<Kind, PerformanceEntry[]> = { 'largest-contentful-paint': [], 'layout-shift': [], longtask: [] };
    const known = typeof PerformanceObserver === 'function' ? (PerformanceObserver.supportedEntryTypes ?? []) : [];
    const update = () =>
      setFigures(
        measurePage({
          paints: seen['largest-contentful-paint'],
          shifts: seen['layout-shift'],
          tasks: known.includes('longtask') ? seen.longtask : null,
        }),
      );
    update();
    const observers = (Object.keys(seen) as Kind[])
      .filter((type) => known.includes(type))
      .map((type) => {
        const observer = new PerformanceObserver((list) => {
          seen[type].push(...list.getEntries());
          update();
        });
        observer.observe({ type, buffered: true });
        return observer;
      });
    return () => observers.forEach((observer) => observer.disconnect());
  }, []);
  return figures;
}
