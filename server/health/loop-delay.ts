/** How late the event loop was within the last minute, in ms. */
export interface LoopDelay {
  read(): { readonly p99: number; readonly max: number };
  /** Begins to measure; a process that serves does. */
  start(): void;
  stop(): void;
}

/** How often it is measured, and how many measurements are kept: a minute. */
const EVERY_MS = 100;
const KEPT = 600;

/**
 * Measures how late a timer fires. In: a clock that only goes forward (ms). The kept measurements are a ring, so that
 * it costs the same for ever.
 */
export function createLoopDelay(now: () => number = () => performance.now()): LoopDelay {
  const delays = new Float64Array(KEPT);
  let at = 0;
  let filled = 0;
  let timer: ReturnType<typeof setInterval> | null = null;
  let lastMs = 0;
  function note(): void {
    const nowMs = now();
    delays[at] = Math.max(0, nowMs - lastMs - EVERY_MS);
    at = (at + 1) % KEPT;
    filled = Math.min(KEPT, filled + 1);
    lastMs = nowMs;
  }
  return {
    read() {
      const sorted = delays.slice(0, filled).toSorted();
      return { p99: sorted[Math.floor(filled * 0.99)] ?? 0, max: sorted.at(-1) ?? 0 };
    },
    start() {
      if (timer) return;
      lastMs = now();
      timer = setInterval(note, EVERY_MS);
      timer.unref();
    },
    stop() {
      if (timer) clearInterval(timer);
      timer = null;
    },
  };
}
