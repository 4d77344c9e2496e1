import type { Host } from '#server/compose/host.ts';
import { inFolder } from './folder.ts';
import { percentile, pollWhile, servedAsByHosts } from './polls.ts';
import { growthFigure, plainFigure, type Figure } from './report.ts';
import { addPlayers, BROWSER, openWorld } from './installation.ts';

const ROUNDS = 8;
/** Log-ins that come at once. */
const LOGINS = 50;
/** Players who poll their session. */
const POLLERS = 60;
/** How long a quiet round polls, in ms; one of a storm polls until all are logged in. */
const QUIET_MS = 1500;
/** The slowest of a hundred polls may take this many times as long during a storm. */
const MOST = 3;
const PASSWORD = 'plough lantern meadow seven';

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
    const { url, stop } = await servedAsByHosts(folder);
    try {
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
      await stop();
    }
  });
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
