/**
 * Changed rows after which the log is copied back into the file: with their indexes 4 to 30 MB of it, so that a thread
 * is done long before a commit would have to do it itself (sqlite-connection.ts).
 */
const ROWS_A_CHECKPOINT = 1000;

/**
 * Asks for a checkpoint after every thousand changed rows, one at a time (decision 087). In: what makes one. What fails
 * is tried again with the next commit; a commit that finds the log too long makes one itself.
 */
export function createCheckpoints(checkpoint: () => Promise<void>) {
  let rows = 0;
  let running: Promise<void> | null = null;
  const run = () => (running ??= copy());
  async function copy(): Promise<void> {
    const before = rows;
    try {
      await checkpoint();
      rows -= before;
    } catch {
      // The thread is gone or too many wait: the next commit asks again.
    } finally {
      running = null;
    }
  }
  return {
    /** Counts what a commit changed. In: rows, 0 or more. */
    committed(changed: number): void {
      rows += changed;
      if (rows >= ROWS_A_CHECKPOINT) void run();
    },
    /** Resolves when everything that is committed now has been copied back, as far as nobody reads it. */
    async copied(): Promise<void> {
      // The one under way may have begun before what came last.
      await running;
      if (rows > 0) await run();
    },
  };
}
