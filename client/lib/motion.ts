/** Did the visitor ask for no movement, in the system's settings or in ours? Browser only. */
export function prefersReducedMotion(): boolean {
  if (document.documentElement.dataset['motion'] === 'reduce') return true;
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
