import { join } from 'node:path';
import { freePort } from './processes.ts';
import { BROWSER } from './installation.ts';
import type { Stall } from './stall/watch.ts';

const ROOT = join(import.meta.dir, '../..');
/** What is asked for again and again, and how often by all players together, in Hz. */
interface Poll {
  readonly path: string;
  readonly perSecond: number;
  readonly method?: string;
  readonly body?: string;
}
const SESSION: Poll = { path: '/api/user/session', perSecond: 250 };

/**
 * Starts the server on a data folder; it has the whole machine, as a host has it. In: more of its environment, and who
 * hears how long its event loop stands still. Out: its address once it answers.
 */
export async function servedAsByHosts(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  onStall?: (stall: Stall) => void,
): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const port = await freePort();
  const preload = onStall ? ['--preload', join(ROOT, 'scripts/bench/stall/served-loop.ts')] : [];
  const server = Bun.spawn([process.execPath, ...preload, join(ROOT, 'server/main.ts'), 'serve', '--local'], {
    ...(onStall ? { ipc: onStall } : {}),
    env: { ...process.env, NODE_ENV: 'production', DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info', ...env },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await answering(url);
  return {
    url,
    pid: server.pid,
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
    if (performance.now() - begun > 60_000) throw new Error('the server does not answer');
    await Bun.sleep(20);
  }
}

/** How long an answer took (ms), and how long without the time in which other programs had the core. */
export interface Answered {
  readonly tookMs: number;
  readonly ownMs: number;
}

/** Polls sessions at a fixed pace until something is over. Out: how long each answer took, in ms. */
export async function pollWhile(url: string, cookies: readonly string[], over: Promise<unknown>): Promise<number[]> {
  return (await askWhile({ url, cookies }, over)).map(({ tookMs }) => tookMs);
}

/**
 * Asks for something (for the session when absent) at a fixed pace until something is over. In: who asks whom; for how
 * long those two have waited for a core so far (`lostMs`). Throws where an answer is none.
 */
export async function askWhile(
  { url, cookies, lostMs = () => 0 }: { url: string; cookies: readonly string[]; lostMs?: () => number },
  over: Promise<unknown>,
  { path, perSecond, ...init }: Poll = SESSION,
): Promise<Answered[]> {
  const times: Answered[] = [];
  const pending: Promise<void>[] = [];
  const state = { isOver: false };
  const ended = over.finally(() => (state.isOver = true));
  const poll = async (which: number): Promise<void> => {
    const [begun, lost] = [performance.now(), lostMs()];
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: {
        Cookie: cookies[which % cookies.length] ?? '',
        'User-Agent': BROWSER,
        ...(init.body === undefined ? {} : { Origin: url, 'Content-Type': 'application/json' }),
      },
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 200)}`);
    const tookMs = performance.now() - begun;
    times.push({ tookMs, ownMs: tookMs - (lostMs() - lost) });
  };
  const begun = performance.now();
  for (let sent = 0; !state.isOver; sent += 1) {
    pending.push(poll(sent));
    await Bun.sleep(Math.max(0, begun + ((sent + 1) * 1000) / perSecond - performance.now()));
  }
  await Promise.all([ended, ...pending]);
  return times;
}

/** The value that a share of all stays below. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
