import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Bytes that must be free in memory for the databases of a run. */
const ROOM = 4 * 2 ** 30;

/**
 * Where the databases of tests lie: in memory where there is plenty, so that no test waits for a disk to flush, else in
 * the temporary folder. What survives the kill of a process survives it there, too.
 */
export function roomyFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM ? MEMORY : tmpdir();
}
