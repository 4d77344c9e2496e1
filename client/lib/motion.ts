/** Whether the visitor prefers reduced motion, by the system's settings or by ours. Browser only. */
export function prefersReducedMotion(): boolean {
  if (document.documentElement.dataset['motion'] === 'reduce') return true;
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
