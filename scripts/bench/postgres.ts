import { SQL } from 'bun';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresServer } from '#tests/support/postgres-server.ts';
import { prepare, prove } from './commands.ts';
import { inFolder } from './folder.ts';
import { openWorld, type World } from './installation.ts';
import { openDashboard } from './page.ts';
import { growthFigure, ratioFigure, type Figure } from './report.ts';
import { alternatePair, secondsOf } from './rounds.ts';

const TURNS = 5;
const PAGE_TURNS = 3;
/** Commands a turn, one of each player, and how many are under way at once. */
const REQUESTS = 400;
const CONNECTIONS = 32;
/** Dashboards a turn, and how many are under way at once. */
const PAGES = 200;
const READERS = 16;
/** The least share of SQLite's commands, and the most of its time for a dashboard. */
const LEAST = 0.5;
const MOST = 1.3;

type Commands = Awaited<ReturnType<typeof prepare>>;
/** The n-th call of a turn; the warm-up is turn 0. */
type Call = (commands: Commands, turn: number, number: number) => Promise<unknown>;
/** Makes an empty database and gives its address. */
type MakeDatabase = (name: string) => Promise<string>;

/** Behind the codes that all players share in a turn comes one for each call. */
const ownCode = (turn: number, number: number): number => TURNS + 1 + turn * REQUESTS + number;
const CODES = ownCode(TURNS + 1, 0);
const CALLS: Readonly<Record<string, Call>> = {
  buy: ({ buy }, turn, number) => buy.serve(turn, number),
  gift: ({ gift }, turn, number) => gift.serve(turn, number),
  redeem: ({ redeem }, turn, number) => redeem.serve(ownCode(turn, number), number),
  // As when somebody with many watchers shows a code: everybody writes its row.
  'redeem.one_code': ({ redeem }, turn, number) => redeem.serve(turn, number),
};

/**
 * Figures x: commands on credits by their services, 32 at once, and dashboards, on PostgreSQL with a server of its own
 * beside SQLite, in turns, on the same cores. Both bring every commit to the disk, and prove their ledgers at the end.
 */
export function postgresFigures(): Promise<Figure[]> {
  return inFolder((folder) =>
    withServer(async (makeDatabase) => [
      ...(await inBoth(folder, makeDatabase, 'commands', compareCommands)),
      ...(await inBoth(folder, makeDatabase, 'dashboards', compareDashboards)),
    ]),
  );
}

/** Runs work with a PostgreSQL server that begins and ends with it. */
async function withServer<T>(work: (makeDatabase: MakeDatabase) => Promise<T>): Promise<T> {
  const server = new PostgresServer({ durable: true });
  try {
    await server.start();
    return await work(async (name) => {
      await using admin = new SQL(server.url, { max: 1 });
      await admin.unsafe(`CREATE DATABASE ${name}`);
      const url = new URL(server.url);
      url.pathname = name;
      return url.href;
    });
  } finally {
    await server.remove();
  }
}

/** Measures with an installation on PostgreSQL and one on SQLite. */
async function inBoth(
  folder: string,
  makeDatabase: MakeDatabase,
  name: string,
  measure: (postgres: World, sqlite: World) => Promise<Figure[]>,
): Promise<Figure[]> {
  const worldIn = (engine: string, url?: string): Promise<World> => {
    const place = join(folder, `${name}-${engine}`);
    mkdirSync(place);
    return openWorld(place, { url });
  };
  const postgres = await worldIn('postgres', await makeDatabase(name));
  const sqlite = await worldIn('sqlite');
  const figures = await measure(postgres, sqlite);
  for (const { host, close } of [postgres, sqlite]) {
    await prove(host);
    await close();
  }
  return figures;
}

async function compareCommands(postgres: World, sqlite: World): Promise<Figure[]> {
  const size = { players: REQUESTS, staff: 1, codes: CODES };
  const ours = await prepare(postgres.host, size);
  const theirs = await prepare(sqlite.host, size);
  const figures: Figure[] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    const rateOf = (commands: Commands) => async (turn: number) =>
      REQUESTS / (await secondsOf(REQUESTS, CONNECTIONS, (number) => call(commands, turn, number)));
    const { a, b } = await alternatePair(TURNS, rateOf(ours), rateOf(theirs));
    figures.push(ratioFigure(`x.${name}`, a, b, 'commands/s', LEAST));
  }
  return figures;
}

async function compareDashboards(postgres: World, sqlite: World): Promise<Figure[]> {
  const msOf = (page: Awaited<ReturnType<typeof openDashboard>>) => async () =>
    ((await secondsOf(PAGES, READERS, page)) * 1000) / PAGES;
  const { a, b } = await alternatePair(
    PAGE_TURNS,
    msOf(await openDashboard(postgres)),
    msOf(await openDashboard(sqlite)),
  );
  return [growthFigure('x.dashboard', a, b, 'ms', MOST)];
}
