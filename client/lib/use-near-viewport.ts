import { useEffect, useState } from 'react';

/** A picture is loaded when it comes this near, or a tenth of it is in view (specification, section 9). */
const LAZY = { rootMargin: '50px', threshold: 0.1 } as const;

/**
 * Whether an element has come near enough for what it shows to be loaded; it stays so. In: the element, and whether the
 * visitor wants lazy loading: without it everything counts as near.
 */
export function useNearViewport(element: { readonly current: Element | null }, lazy: boolean): boolean {
  const [near, setNear] = useState(false);
  if (!lazy && !near) setNear(true);
  // An effect, because what can be seen is the browser's to tell.
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
