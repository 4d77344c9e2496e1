import { pagePerformance } from './page-performance.ts';

/** Frames are never exactly on time: one that is this early still counts. */
const EARLY_MS = 1;

/** Whether this frame may be drawn. In: milliseconds since the last drawn frame, and the limit in frames per second. */
export function isFrameDue(sinceMs: number, perSecond: number): boolean {
  return sinceMs >= 1000 / perSecond - EARLY_MS;
}

/**
 * Runs a scripted animation within the visitor's frame rate limit. In: a step that gets the frame's time in ms and
 * returns whether to continue. Out: a function that stops it. Browser only.
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
