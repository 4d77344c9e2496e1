import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dir, '../../dist/spawnpoint');

/**
 * Runs a command of the binary on a folder. In: what it may end with, and its standard input. Out: how long it took,
 * the most memory it had, what it said. Throws where it ends otherwise.
 */
export async function runProgram(
  folder: string,
  words: readonly string[],
  { ends = [0], stdin = '' }: { readonly ends?: readonly number[]; readonly stdin?: string | undefined } = {},
) {
  const begunMs = performance.now();
  const child = Bun.spawn([PROGRAM, ...words], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, LOG_LEVEL: 'error' },
    stdin: new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let peakKb = 0;
  // What the system counts of an ended process would hold the memory of this one, from which it was made.
  const looking = setInterval(() => (peakKb = Math.max(peakKb, peakKbOf(child.pid))), 20);
  const [said, faults, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearInterval(looking);
  if (!ends.includes(code)) throw new Error(`${words.join(' ')} ended with ${code}: ${said}${faults}`);
  return {
    said,
    seconds: (performance.now() - begunMs) / 1000,
    peakMb: peakKb / 1024,
  };
}

/** The most memory that a running process had, in KB; 0 for one that has ended. */
function peakKbOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
