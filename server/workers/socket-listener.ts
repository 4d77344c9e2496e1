import { rmSync } from 'node:fs';
import type { ServerHandle } from '#server/http/app.ts';

/** Who was told to end may still have connections that nobody took from the queue: they come in this time. */
const QUEUE_MS = 100;

/** Web processes have their own time limits. The types know this of ports alone; without it a call ends after 10 s. */
const PATIENCE: object = { idleTimeout: 0 };

/**
 * Listens on a socket that only this user may open. In: its path, where one that was killed may have left a file, and
 * what answers. Out: `stop`, which takes no new connection and ends with the last answer, or after some ms.
 */
export function listenOnSocket(
  path: string,
  answer: (request: Request, server: Pick<ServerHandle, 'timeout'>) => Promise<Response>,
): { stop(drainMs: number): Promise<void> } {
  rmSync(path, { force: true });
  // Its mode is right from the beginning: nobody can come between.
  const mask = process.umask(0o177);
  let server: ReturnType<typeof Bun.serve>;
  try {
    server = Bun.serve({
      unix: path,
      ...PATIENCE,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, own) => answer(request, own),
      error: () => new Response('error\n', { status: 500 }),
    });
  } finally {
    process.umask(mask);
  }
  return {
    async stop(drainMs) {
      // Without its file nobody can connect: who comes now waits for the next process.
      rmSync(path, { force: true });
      await Bun.sleep(QUEUE_MS);
      const force = setTimeout(() => void server.stop(true), drainMs);
      await server.stop();
      clearTimeout(force);
    },
  };
}
