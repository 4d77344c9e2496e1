import { readFileSync } from 'node:fs';
import type { Subprocess } from 'bun';
import { pinned, SERVER_CORE } from './pin.ts';

export interface Serving {
  readonly port: number;
  readonly process: Subprocess;
  stop(): Promise<void>;
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') });
  const { port } = server;
  await server.stop(true);
  return port ?? 0;
}

/**
 * Starts a server on its core (null: on all of them) and waits until it answers. Out: its process, and how long that
 * took from the spawn on, in ms.
 */
export async function startServer(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  port: number,
  path: string,
  core: number | null = SERVER_CORE,
): Promise<Serving & { ms: number }> {
  const begun = performance.now();
  const process_ = Bun.spawn(core === null ? [...command] : pinned(core, command), {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
    stdout: 'ignore',
    stderr: 'ignore',
    stdin: 'ignore',
  });
  while (!(await answers(port, path))) {
    if (process_.exitCode !== null) throw new Error(`${command.join(' ')} ended with ${process_.exitCode}`);
    if (performance.now() - begun > 20_000) throw new Error(`${command.join(' ')} does not answer`);
    await Bun.sleep(1);
  }
  return {
    port,
    process: process_,
    ms: performance.now() - begun,
    async stop() {
      process_.kill();
      await process_.exited;
    },
  };
}

async function answers(port: number, path: string): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}${path}`, { keepalive: false })).status === 200;
  } catch {
    return false;
  }
}

/**
 * Memory of a process in MB (1000 * 1000 bytes), or null where the system does not tell. In: `VmRSS` now, `VmHWM` at
 * its most.
 */
export function memoryOf(pid: number, what: 'VmRSS' | 'VmHWM'): number | null {
  try {
    const kib = new RegExp(`${what}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? null : (Number(kib) * 1024) / 1_000_000;
  } catch {
    return null;
  }
}
