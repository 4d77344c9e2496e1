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
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    const before = rows;
    try {
      await checkpoint();
      rows -= before;
    } catch {
      // The thread is gone or too many wait: the next commit asks again.
    } finally {
      isRunning = false;
    }
  }
  return {
    /** Counts what a commit changed. In: rows, 0 or more. */
    committed(changed: number): void {
      rows += changed;
      if (rows >= ROWS_A_CHECKPOINT && !isRunning) void run();
    },
  };
}
