import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';

/**
 * The log could not be brought to the disk: what was committed may be lost with the power, and the file serves nobody
 * until it is opened anew.
 */
export class FlushError extends Error {
  override readonly name = 'FlushError';
}

/** Brings a file's data to the disk, beside the running code. */
export type Sync = () => Promise<void>;

/** The write-ahead log of a SQLite file as it is brought to the disk; opened at the first time, when SQLite has made it. */
export function logOf(path: string): { sync: Sync; bytes(): number; close(): void } {
  let file: number | null = null;
  return {
    sync: () =>
      new Promise((resolve, reject) => {
        file ??= openSync(`${path}-wal`, 'r+');
        fdatasync(file, (error) => (error ? reject(error) : resolve()));
      }),
    /** How long it is: that is what it holds since it last started over, once that is more than it is cut back to then. */
    bytes: () => (file === null ? 0 : fstatSync(file).size),
    close() {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

/**
 * Flushes one after the other: what is committed while one runs is not surely in it and waits for the next, which all
 * of them share (decision 016). After one that failed there is no other: it might find nothing left to write, and
 * succeed.
 */
export function createFlusher(sync: Sync) {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let failed: FlushError | null = null;

  async function begin(): Promise<void> {
    next = null;
    if (failed) throw failed;
    const flush = sync().catch((error: unknown) => {
      failed = new FlushError('the log could not be flushed', { cause: error });
      throw failed;
    });
    running = flush;
    try {
      await flush;
    } finally {
      running = null;
    }
  }
  return {
    /**
     * Out: resolves when all that was committed before this call is on the disk, in the order of the calls. Rejects
     * where the disk has failed.
     */
    flush(): Promise<void> {
      if (!running) return begin();
      next ??= running.then(begin);
      return next;
    },
    /** Resolves when all that was to be flushed until now is on the disk. */
    flushed: () => next ?? running ?? Promise.resolve(),
    /** The flush that runs now, if any. */
    running: () => running,
    /** The fault after which nothing is flushed any more. */
    failed: () => failed,
  };
}
