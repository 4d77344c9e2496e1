import type { PackageReader } from '#server/modules/plugins/engine-ports.ts';
import { contentOf, type ReadOutcome } from './package.ts';

/** Starts a thread that reads a package. Named by the main entry, because in the binary its file is found from there. */
export type SpawnPackageReading = () => Worker;
/** How long a thread may take for a package. */
const READ_MS = 10_000;

/**
 * Reads packages on a thread of their own, one at a time, so that neither answers nor memory suffer from a large or a
 * bad one; a thread that fails or takes too long is given up. Without `spawn` they are read on this thread.
 */
export function createPackageReader(spawn?: SpawnPackageReading, limitMs = READ_MS): PackageReader {
  if (!spawn) return { read: async (bytes) => contentOf(bytes) };
  let last: Promise<unknown> = Promise.resolve();
  return {
    read(bytes) {
      const read = last.then(() => readOn(spawn(), bytes, limitMs));
      last = read;
      return read;
    },
  };
}

function readOn(worker: Worker, bytes: Uint8Array<ArrayBuffer>, limitMs: number): Promise<ReadOutcome> {
  return new Promise((resolve) => {
    const end = (outcome: ReadOutcome): void => {
      clearTimeout(late);
      worker.terminate();
      resolve(outcome);
    };
    const refuse = (): void => end({ fault: 'NOT_A_PACKAGE' });
    const late = setTimeout(refuse, limitMs);
    worker.addEventListener('message', ({ data }: MessageEvent<{ outcome: ReadOutcome }>) => end(data.outcome));
    worker.addEventListener('error', refuse);
    worker.addEventListener('close', refuse);
    worker.postMessage({ bytes });
  });
}
