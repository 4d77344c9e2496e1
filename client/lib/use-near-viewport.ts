import { useEffect, useState } from 'react';

/** An image is loaded when it is this close to the viewport, or a tenth of it is in view (specification, section 9). */
const LAZY = { rootMargin: '50px', threshold: 0.1 } as const;

/**
 * Whether an element is, or has been, near enough to the viewport to load its content. In: the element, and whether
 * lazy loading is on: without it everything counts as near.
 */
export function useNearViewport(element: { readonly current: Element | null }, lazy: boolean): boolean {
  const [near, setNear] = useState(false);
  if (!lazy && !near) setNear(true);
  // An effect, because only the browser knows what is visible.
  useEffect(() => {
    const seen = element.current;
    if (!seen || near) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      setNear(true);
    }, LAZY);
    observer.observe(seen);
    return () => observer.disconnect();
  }, [element, near]);
  return near;
}
