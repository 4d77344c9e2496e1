import { join } from 'node:path';
import type { Host } from '#server/compose/host.ts';
import { inFolder } from './folder.ts';
import { freePort } from './processes.ts';
import { growthFigure, plainFigure, type Figure } from './report.ts';
import { addPlayers, BROWSER, openWorld } from './world.ts';

const ROUNDS = 12;
/** Log-ins that come at once. */
const LOGINS = 50;
/** Players who poll their session, and how often all of them together do, in Hz. */
const POLLERS = 60;
const POLLS_PER_SECOND = 250;
/** How long a quiet round polls, in ms; one of a storm polls until all are logged in. */
const QUIET_MS = 1500;
/** The slowest of a hundred polls may take this many times as long during a storm. */
const MOST = 3;
const PASSWORD = 'plough lantern meadow seven';
const ROOT = join(import.meta.dir, '../..');

/**
 * Figure k: how long the slowest of a hundred session polls takes while fifty people log in at once, against without
 * them. The server has the whole machine, as a host has it: passwords are hashed on threads beside the one that
 * answers.
 */
export function stormFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const cookies = await addPlayers(world.host, POLLERS + LOGINS, 0);
    await setPasswords(world.host);
    // All come from this machine: its address is not slowed.
    await world.host.services.settings.set(null, { limit_login: 100_000, limit_login_failures: 100_000 });
    await world.close();
    const port = await freePort();
    const server = Bun.spawn([process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local'], {
      env: { ...process.env, NODE_ENV: 'production', DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info' },
      stdout: 'ignore',
      stderr: 'ignore',
    });
    const url = `http://127.0.0.1:${port}`;
    try {
      await answering(url);
      const polled = cookies.slice(0, POLLERS);
      const quiet: number[] = [];
      const stormy: number[] = [];
      const storms: number[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const calm = await pollWhile(url, polled, Bun.sleep(QUIET_MS));
        const begun = performance.now();
        const rough = await pollWhile(url, polled, logInAll(url));
        // The first round of each warms up.
        if (round === 0) continue;
        storms.push(performance.now() - begun);
        quiet.push(...calm);
        stormy.push(...rough);
      }
      return [
        growthFigure('k.poll_in_storm', percentile(stormy, 0.99), percentile(quiet, 0.99), 'ms', MOST),
        plainFigure('k.polls_in_storms', stormy.length, 'polls'),
        plainFigure('k.storm', percentile(storms, 0.5), 'ms'),
      ];
    } finally {
      server.kill();
      await server.exited;
    }
  });
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

/** Gives the players beyond those who poll a password. */
async function setPasswords({ database }: Host): Promise<void> {
  const hash = await Bun.password.hash(PASSWORD, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 });
  await database.write(({ raw }) =>
    raw.run('UPDATE users SET password_hash = ? WHERE username >= ?', [hash, nameOf(0)]),
  );
}

const nameOf = (which: number): string => `player${String(POLLERS + which).padStart(4, '0')}`;

/** Logs fifty people in at once. Rejects where one is refused. */
async function logInAll(url: string): Promise<void> {
  const logIn = async (which: number): Promise<void> => {
    const response = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: {
        Origin: url,
        'Content-Type': 'application/json',
        'User-Agent': BROWSER,
      },
      body: JSON.stringify({ login: nameOf(which), password: PASSWORD }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`a log-in answered ${response.status} ${text.slice(0, 300)}`);
  };
  await Promise.all(Array.from({ length: LOGINS }, (_, which) => logIn(which)));
}

/** Polls sessions at a fixed pace until something is over. Out: how long each answer took, in ms. */
async function pollWhile(url: string, cookies: readonly string[], over: Promise<void>): Promise<number[]> {
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

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
