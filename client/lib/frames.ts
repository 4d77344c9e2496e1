import { pagePerformance } from './page-performance.ts';

/** A screen's own beat is never exact: a frame that is this much early counts. */
const EARLY_MS = 1;

/**
 * May this frame be drawn? In: milliseconds since the last one that was, frames a second. Out: yes, or wait for the
 * next.
 */
export function isFrameDue(sinceMs: number, perSecond: number): boolean {
  return sinceMs >= 1000 / perSecond - EARLY_MS;
}

/**
 * Runs an animation that scripts draw, at most as often as the visitor's frame rate limit allows. In: a step, told the
 * time of the frame in milliseconds, which says whether it wants another. Out: a function that stops it. Browser only.
 */
export function animate(step: (nowMs: number) => boolean): () => void {
  let last = -Infinity;
  let frame = requestAnimationFrame(function tick(now) {
    if (isFrameDue(now - last, pagePerformance().frameRateLimit)) {
      last = now;
      if (!step(now)) return;
    }
    frame = requestAnimationFrame(tick);
  });
  return () => cancelAnimationFrame(frame);
}
