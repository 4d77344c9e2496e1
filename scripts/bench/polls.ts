import { join } from 'node:path';
import { freePort } from './processes.ts';
import { BROWSER } from './installation.ts';

const ROOT = join(import.meta.dir, '../..');
/** How often all players together poll their session, in Hz. */
const POLLS_PER_SECOND = 250;

/**
 * Starts the server on a data folder; it has the whole machine, as a host has it. In: more of its environment. Out: its
 * address once it answers.
 */
export async function servedAsByHosts(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const server = Bun.spawn([process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local'], {
    env: { ...process.env, NODE_ENV: 'production', DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info', ...env },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await answering(url);
  return {
    url,
    async stop() {
      server.kill();
      await server.exited;
    },
  };
}

async function answering(url: string): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const health = await fetch(`${url}/healthz`).catch(() => null);
    if (health?.status === 200) return;
    if (performance.now() - begun > 30_000) throw new Error('the server does not answer');
    await Bun.sleep(20);
  }
}

/** Polls sessions at a fixed pace until something is over. Out: how long each answer took, in ms. */
export async function pollWhile(url: string, cookies: readonly string[], over: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const state = { isOver: false };
  const ended = over.finally(() => (state.isOver = true));
  const poll = async (which: number): Promise<void> => {
    const begun = performance.now();
    const response = await fetch(`${url}/api/user/session`, {
      headers: { Cookie: cookies[which % cookies.length] ?? '', 'User-Agent': BROWSER },
    });
    await response.text();
    if (response.status !== 200) throw new Error(`the session answered ${response.status}`);
    times.push(performance.now() - begun);
  };
  const begun = performance.now();
  for (let sent = 0; !state.isOver; sent += 1) {
    pending.push(poll(sent));
    await Bun.sleep(Math.max(0, begun + ((sent + 1) * 1000) / POLLS_PER_SECOND - performance.now()));
  }
  await Promise.all([ended, ...pending]);
  return times;
}

/** The value that a share of all stays below. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
