import { readFileSync } from 'node:fs';

/**
 * How long the event loop stood still at most (ms) while something ran, and how long that took. `stallMs` is by the
 * clock; `ownMs` leaves out for how long the core was given to other programs meanwhile, where the system tells.
 */
export interface Watched {
  readonly stallMs: number;
  readonly ownMs: number;
  readonly tookMs: number;
}

/** Of some runs the shortest stall: others' work on the machine counts as little as it can. */
const TURNS = 3;
/** A stall below this is that of the machine. */
const PLAIN_MS = 20;

/** How long the first thread of a process has waited for a core so far, in ms; 0 where the system does not tell. */
export function waitedMs(pid = process.pid): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The longest stall since it was taken last: by the clock, and without the time of other programs. */
export type Stall = Pick<Watched, 'stallMs' | 'ownMs'>;

/** Watches the event loop of this process, once a millisecond, until it is stopped. */
export function watchLoop(): { take(): Stall; stop(): void } {
  let longest = { stallMs: 0, ownMs: 0 };
  let last = { ms: performance.now(), waitedMs: waitedMs() };
  const measure = () => {
    const now = { ms: performance.now(), waitedMs: waitedMs() };
    const stallMs = now.ms - last.ms;
    longest = {
      stallMs: Math.max(longest.stallMs, stallMs),
      ownMs: Math.max(longest.ownMs, stallMs - (now.waitedMs - last.waitedMs)),
    };
    last = now;
  };
  const timer = setInterval(measure, 1);
  timer.unref();
  return {
    take() {
      measure();
      const taken = longest;
      longest = { stallMs: 0, ownMs: 0 };
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}

/** Watches the event loop once. */
async function watchOnce(run: () => unknown): Promise<Watched> {
  const loop = watchLoop();
  await Bun.sleep(3);
  loop.take();
  const begunMs = performance.now();
  await run();
  const tookMs = performance.now() - begunMs;
  await Bun.sleep(2);
  loop.stop();
  return { ...loop.take(), tookMs };
}

/** Watches something that can be repeated, in the thread or beside it; what stalls is asked again. */
export async function watch(run: () => unknown, turns = TURNS): Promise<Watched> {
  let best = await watchOnce(run);
  for (let turn = 1; turn < turns && best.stallMs > PLAIN_MS; turn += 1) {
    const again = await watchOnce(run);
    best = { ...(again.stallMs < best.stallMs ? again : best), ownMs: Math.min(again.ownMs, best.ownMs) };
  }
  return best;
}

/** The time (ms) below which a share of some times is. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
