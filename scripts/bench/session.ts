import { join } from 'node:path';
import { inFolder } from './folder.ts';
import { load } from './load.ts';
import { freePort, startServer } from './processes.ts';
import { ratioFigure, type Figure } from './report.ts';
import { alternatePair } from './rounds.ts';
import { addPlayers, BROWSER, openWorld } from './world.ts';

const TURNS = 5;
const REQUESTS = 20_000;
const CONNECTIONS = 32;
/** So many players that none comes near the limit of 600 calls a minute. */
const PLAYERS = Math.ceil((REQUESTS * (TURNS + 1)) / 500);
const PATH = '/api/user/session';
const ROOT = join(import.meta.dir, '../..');

/**
 * Figure b: session answers a second over HTTP, beside a bare JSON route of Hono with the same answer, served the same
 * way.
 */
export function sessionFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const cookies = await addPlayers(world.host, PLAYERS, 0);
    await world.close();
    const port = await freePort();
    const env = { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info' };
    const ours = await startServer(
      [process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local'],
      env,
      port,
      '/healthz',
    );
    const headers = { 'User-Agent': BROWSER, Accept: 'application/json' };
    const sample = await fetch(`http://127.0.0.1:${port}${PATH}`, {
      headers: { ...headers, Cookie: cookies[0] ?? '' },
    });
    const answer = await sample.text();
    if (!answer.includes('"success":true')) throw new Error(`the session answered ${answer}`);
    const barePort = await freePort();
    const bare = await startServer(
      [process.execPath, join(import.meta.dir, 'hono.ts'), answer, String(barePort)],
      {},
      barePort,
      PATH,
    );
    // Names are of one width, so every player's answer is as long as the first one's.
    const check = (text: string) => {
      if (
        !text.startsWith('HTTP/1.1 200') ||
        !text.includes('"success":true') ||
        text.length - text.indexOf('\r\n\r\n') - 4 !== answer.length
      )
        throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
    };
    const rate = (to: number) => () =>
      load({ port: to, path: PATH, cookies, headers, requests: REQUESTS, connections: CONNECTIONS, check });
    try {
      const rates = await alternatePair(TURNS, rate(port), rate(barePort));
      return [ratioFigure('b.session', rates.a, rates.b, 'requests/s', 0.35)];
    } finally {
      await Promise.all([ours.stop(), bare.stop()]);
    }
  });
}
