/** Changed rows after which the log is copied back into the file: with their indexes 4 to 30 MB of it. */
const ROWS_A_CHECKPOINT = 1000;
/** The longest that whoever writes waits for a copy, in ms: both threads may have questions of visitors before it. */
export const COPY_WAIT_MS = 1000;

interface Log {
  readonly bytes: () => number;
  /** From how many bytes on whoever writes waits for its copy. */
  readonly lateBytes: number;
  /** The longest that it waits, in ms. */
  readonly waitMs: number;
  /** Has commits copy a long log back themselves, or no longer. */
  readonly copyByCommits: (isOn: boolean) => void;
}

/**
 * Asks for a checkpoint after every thousand changed rows, one at a time (decision 087). In: what makes one. What fails
 * is tried again with the next commit, and until it works commits copy a log that is too long themselves.
 */
export function createCheckpoints(checkpoint: () => Promise<void>, { bytes, lateBytes, waitMs, copyByCommits }: Log) {
  let rows = 0;
  let running: Promise<void> | null = null;
  let waitedAt = 0;
  const run = () => (running ??= copy());
  async function copy(): Promise<void> {
    const before = rows;
    try {
      await checkpoint();
      rows -= before;
      copyByCommits(false);
    } catch {
      // The thread is gone: the next commit asks again.
      copyByCommits(true);
    } finally {
      running = null;
    }
  }
  /** Resolves when everything that is committed now has been copied back, as far as nobody reads it. */
  async function copied(): Promise<void> {
    // The one under way may have begun before what came last. That nothing was written here says nothing: another
    // process, the command line beside a server, may have filled the log.
    await running;
    await run();
  }
  return {
    /** Counts what a commit changed. In: rows, 0 or more. */
    committed(changed: number): void {
      rows += changed;
      if (rows >= ROWS_A_CHECKPOINT) void run();
    },
    /**
     * What whoever writes next waits for; null: nothing. The log starts over only where all of it is copied and nobody
     * writes, so who writes without a break waits once the log is late, and again when it has grown by a sixth: a view
     * that is open for long keeps it from starting over.
     */
    wait(): Promise<unknown> | null {
      const size = bytes();
      if (size < lateBytes) waitedAt = 0;
      if (size < Math.max(lateBytes, waitedAt + lateBytes / 6)) return null;
      waitedAt = size;
      return Promise.race([copied(), Bun.sleep(waitMs)]);
    },
  };
}
