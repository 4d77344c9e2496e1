import { statfs } from 'node:fs/promises';
import { Refused } from './places.ts';

/** A count older than this is made again: before something is written, and in the background where it is shown. */
const FRESH_MS = 5000;
/** So long a list waits for it. */
const WAIT_MS = 300;
/** What the machine's disk keeps free of uploads and saved texts, in bytes. */
const RESERVE = 268_435_456;

export type Usage = ReturnType<typeof openUsage>;

/** Bytes that the files of a server take: counted by `du`, and what was written since added to it. */
export function openUsage(home: string) {
  let used: number | null = null;
  let countedMs = -Infinity;
  let counting: Promise<void> | null = null;

  async function count(): Promise<void> {
    // Folders that are closed to their own user cannot be counted by anybody but root.
    const du = Bun.spawn(['du', '-sx', '-B1', '.'], { cwd: home, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
    const text = await new Response(du.stdout).text();
    used = /^\d+/.test(text) ? Number.parseInt(text, 10) : used;
    countedMs = performance.now();
  }
  const refresh = (): Promise<void> => {
    counting ??= count().finally(() => {
      counting = null;
    });
    return counting;
  };
  return {
    /** What is known without making anybody wait. */
    async shown(): Promise<number | null> {
      if (performance.now() - countedMs > FRESH_MS) await Promise.race([refresh(), Bun.sleep(WAIT_MS)]);
      return used;
    },
    /** Something else than a write changed the files: the next look counts. */
    forget(): void {
      countedMs = -Infinity;
    },
    /**
     * Counts so many bytes as written. `room`: what has to fit, as more of it is to come. Throws `disk_full`, and then
     * counts nothing.
     */
    async take(bytes: number, limit: number, room = bytes): Promise<void> {
      if (performance.now() - countedMs > FRESH_MS || used === null) await refresh();
      const disk = await statfs(home);
      if ((used ?? limit) + room > limit || disk.bavail * disk.bsize < room + RESERVE) throw new Refused('disk_full');
      used = (used ?? 0) + bytes;
    },
  };
}
