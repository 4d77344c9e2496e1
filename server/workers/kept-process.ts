import type { Log } from '#server/modules/kernel.ts';

/** A process that was begun. */
export interface StartedProcess {
  /** What it says when it serves; never settles where it does not come to that. */
  readonly ready: Promise<string>;
  /** Its exit code; null after a signal. */
  readonly exited: Promise<number | null>;
  /** Asks it to end. */
  stop(): void;
  kill(): void;
}
/** A process that is begun again whenever it ends by itself. */
export interface KeptProcess {
  /** The first one serves. Rejects with EndedEarly where it ended instead. */
  readonly ready: Promise<string>;
  /** Puts a new one in its place. */
  replace(): Promise<void>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** The first process ended before it served. */
export class EndedEarly extends Error {
  readonly code: number;
  /** In: its exit code. */
  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

interface Options {
  /** Its name in the log. */
  readonly name: string;
  /** Begins a process. In: whether it is the first one. */
  readonly start: (first: boolean) => StartedProcess;
  /**
   * Two of them may serve at the same time: the new one takes over before the old one ends, and where it does not come
   * to serve the old one stays. Otherwise the old one ends first.
   */
  readonly overlaps: boolean;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now: () => number;
  /** Calls back after some ms. Out: what keeps it from doing so. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/** A process that lived so long did not fail at its start: the next one is begun at once. */
const STEADY_MS = 30_000;
/** Pause before one that failed is begun again: doubled each time, up to the longest. */
const PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Most ms until a new process serves, and until one that was asked to end has done so. */
const START_MS = 60_000;
const STOP_MS = 30_000;

/** Begins a process and keeps it running. */
export function keepProcess({ name, start, overlaps, log, now, after }: Options): KeptProcess {
  let current: StartedProcess | null = null;
  let failures = 0;
  let ended = false;
  let endPause: () => void = () => undefined;
  /** Whether something comes to be within some ms. */
  async function within(ms: number, work: Promise<boolean>): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const cancel = after(ms, () => late.resolve(false));
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      cancel();
    }
  }
  /** Begins a process again that ends by itself while it is the current one. */
  async function beginAgain(child: StartedProcess): Promise<void> {
    const begunMs = now();
    const code = await child.exited;
    if (child !== current) return;
    failures = now() - begunMs >= STEADY_MS ? 0 : failures + 1;
    log.warn('workers.ended', { process: name, code });
    endPause = after(failures <= 1 ? 0 : Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** failures), () => {
      if (child === current) current = watch(start(false));
    });
  }
  function watch(child: StartedProcess): StartedProcess {
    void beginAgain(child);
    return child;
  }
  async function end(child: StartedProcess): Promise<void> {
    child.stop();
    if (
      await within(
        STOP_MS,
        child.exited.then(() => true),
      )
    )
      return;
    log.warn('workers.killed', { process: name });
    child.kill();
    await child.exited;
  }
  /** Whether a process comes to serve. */
  const serves = (child: StartedProcess): Promise<boolean> =>
    within(START_MS, Promise.race([child.ready.then(() => true), child.exited.then(() => false)]));

  const first = start(true);
  current = watch(first);
  /** Waits for the first one; where that ends instead, nothing is begun again. */
  async function untilReady(): Promise<string> {
    const lines = await Promise.race([first.ready, first.exited.then(() => null)]);
    if (lines !== null) return lines;
    current = null;
    endPause();
    throw new EndedEarly((await first.exited) ?? 1);
  }
  return {
    ready: untilReady(),
    async replace() {
      const old = current;
      if (ended || old === null) return;
      if (!overlaps) {
        current = null;
        await end(old);
      }
      if (ended) return;
      const next = start(false);
      if (!overlaps) current = watch(next);
      const good = await serves(next);
      log.info('workers.replaced', { process: name, good });
      if (!overlaps) return;
      if (!good || ended) {
        next.kill();
        await next.exited;
        return;
      }
      current = watch(next);
      await end(old);
    },
    async stop() {
      ended = true;
      endPause();
      const last = current;
      current = null;
      if (last) await end(last);
    },
  };
}
