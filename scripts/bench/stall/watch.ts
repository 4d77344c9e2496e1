/** How long the event loop stood still at most (ms) while something ran, and how long that took. */
export interface Watched {
  readonly stallMs: number;
  readonly tookMs: number;
}

/** Of some runs the shortest stall: others' work on the machine counts as little as it can. */
const TURNS = 3;
/** A stall below this is that of the machine. */
const PLAIN_MS = 20;

/** Watches the event loop once. */
async function watchOnce(run: () => unknown): Promise<Watched> {
  let longest = 0;
  let last = performance.now();
  const measure = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measure, 1);
  await Bun.sleep(3);
  longest = 0;
  const begunMs = performance.now();
  await run();
  const tookMs = performance.now() - begunMs;
  await Bun.sleep(2);
  measure();
  clearInterval(timer);
  return { stallMs: longest, tookMs };
}

/** Watches something that can be repeated, in the thread or beside it; what stalls is asked again. */
export async function watch(run: () => unknown, turns = TURNS): Promise<Watched> {
  let best = await watchOnce(run);
  for (let turn = 1; turn < turns && best.stallMs > PLAIN_MS; turn += 1) {
    const again = await watchOnce(run);
    if (again.stallMs < best.stallMs) best = again;
  }
  return best;
}

/** The time (ms) below which a share of some times is. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
