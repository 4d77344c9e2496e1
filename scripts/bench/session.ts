import { join } from 'node:path';
import type { Host } from '#server/compose/host.ts';
import { TOKEN_SCOPES } from '#shared/token-scopes.ts';
import { inFolder } from './folder.ts';
import { load, type Load } from './load.ts';
import { freePort, startServer } from './processes.ts';
import { ratioFigure, type Figure } from './report.ts';
import { alternatePair } from './rounds.ts';
import { addPlayers, BROWSER, openWorld } from './installation.ts';

const TURNS = 5;
const REQUESTS = 20_000;
const CONNECTIONS = 32;
/** So many players that none comes near the limit of 600 calls a minute. */
const PLAYERS = Math.ceil((REQUESTS * (TURNS + 1)) / 500);
const PATH = '/api/user/session';
const ROOT = join(import.meta.dir, '../..');
const HEADERS = { 'User-Agent': BROWSER, Accept: 'application/json' };

/** Callers by their credentials, all sent in the same header. */
type Callers = Pick<Load, 'credential'> & { readonly cookies: readonly string[] };

/**
 * Figures b: session answers a second over HTTP, beside a bare JSON route of Hono with the same answer, served the same
 * way: of players with their cookies, and of staff with every right of their role, whose scripts have tokens.
 */
export function sessionFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const cookies = await addPlayers(world.host, 2 * PLAYERS, 0);
    const tokens = await addTokens(world.host);
    await world.close();
    const port = await freePort();
    const env = { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info' };
    const ours = await startServer(
      [process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local'],
      env,
      port,
      '/healthz',
    );
    try {
      const players: Callers = { cookies: cookies.slice(0, PLAYERS) };
      const session = await compare(port, players);
      const token = await compare(port, { credential: 'Authorization', cookies: tokens });
      return [
        ratioFigure('b.session', session.a, session.b, 'requests/s', 0.35),
        ratioFigure('b.token', token.a, token.b, 'requests/s', 0.35),
      ];
    } finally {
      await ours.stop();
    }
  });
}

/**
 * Gives the second half of the players the role of admins and a token of every scope. Out: an Authorization header
 * each.
 */
async function addTokens({ services, database }: Host): Promise<string[]> {
  const names = await database.write(async ({ raw }) => {
    await raw.run("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'admin') WHERE username >= ?", [
      `player${String(PLAYERS).padStart(4, '0')}`,
    ]);
    return raw.all<{ username: string }>(
      "SELECT username FROM users WHERE role_id = (SELECT id FROM roles WHERE key = 'admin') ORDER BY username",
    );
  });
  const input = { name: 'Bench', scopes: [...TOKEN_SCOPES], expires_in_days: null, addresses: '' };
  const tokens: string[] = [];
  for (const { username } of names)
    tokens.push(`Bearer ${(await services.apiTokens.operator.create(username, input)).token}`);
  return tokens;
}

/** Our rate (a) and that of a bare route that gives the same answer (b), in requests a second. */
async function compare(port: number, callers: Callers): Promise<{ a: number; b: number }> {
  const { credential = 'Cookie', cookies } = callers;
  const sample = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    headers: { ...HEADERS, [credential]: cookies[0] ?? '' },
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
    load({ port: to, path: PATH, ...callers, headers: HEADERS, requests: REQUESTS, connections: CONNECTIONS, check });
  try {
    return await alternatePair(TURNS, rate(port), rate(barePort));
  } finally {
    await bare.stop();
  }
}
