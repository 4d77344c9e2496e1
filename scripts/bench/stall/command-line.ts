import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { systemClock } from '#server/kernel.ts';
import { inFolder } from '../folder.ts';
import { writeDump } from '../imports.ts';
import { addPlayers, openWorld } from '../installation.ts';
import { askWhile, percentile, servedAsByHosts, type Answered } from '../polls.ts';
import { runProgram } from '../program.ts';
import { boundFigure, growthFigure, plainFigure, type Figure } from '../report.ts';
import { worldUserId } from '../world/money.ts';
import { ACTIONS, type Action, type Subjects } from './actions.ts';
import { finishTasks, inWorld, worst, type Named } from './figures.ts';
import { waitedMs } from './watch.ts';

const PLAYERS = 60;
/** Users of the dump that is brought, and networks of the list that is loaded. */
const BROUGHT = 5000;
const NETWORKS = 50_000;
/** How long polls are counted without anything beside them. */
const QUIET_MS = 20_000;
/** How long the server is looked at behind the last action. */
const AFTER_MS = 30_000;
/** In which the server has reported its last stall: it does so every 100 ms (served-loop.ts). */
const REPORTED_MS = 150;
/** How much longer the slowest of a hundred session polls may take beside an action. */
const MOST_POLL = 3;
/** The longest that somebody who changes something may wait for an action. */
const MOST_WRITE_MS = 1000;
/** Actions whose polls are too few for a percentile of their own. */
const SHORT_MS = 2000;
const TOKEN = 'a-token-of-the-bench-that-is-long-enough';
const WRITES = {
  path: '/api/account/privacy',
  method: 'PUT',
  perSecond: 10,
  body: JSON.stringify({
    leaderboard: true,
    profile: true,
    fields: [],
    avatar: 'letters',
    background: 'dusk',
    badge: 'none',
  }),
};

interface Beside extends Named {
  readonly polls: readonly Answered[];
  readonly writes: readonly Answered[];
}

/**
 * Figures y, first half: how long session polls, and players who change something, wait over HTTP at a served
 * installation while each action of the command line runs beside it, and the longest time in which its event loop does
 * not turn.
 */
export const commandLineFigures = (): Promise<Figure[]> =>
  inWorld((folder) => inFolder((own) => besideOf(folder, own)));

async function besideOf(folder: string, own: string): Promise<Figure[]> {
  const { cookies, largest } = await prepare(folder);
  const loop = { stallMs: 0, ownMs: 0 };
  const server = await servedAsByHosts(folder, { METRICS_TOKEN: TOKEN }, ({ stallMs, ownMs }) => {
    loop.stallMs = Math.max(loop.stallMs, stallMs);
    loop.ownMs = Math.max(loop.ownMs, ownMs);
  });
  const asked = { url: server.url, cookies, lostMs: () => waitedMs(server.pid) + waitedMs(), loop };
  const subjects: Subjects = {
    largest,
    networks: join(own, 'networks'),
    dump: join(own, 'dump.sql'),
    folder: own,
    url: server.url,
  };
  await Bun.write(subjects.networks, networks());
  await writeDump(subjects.dump, BROUGHT);
  try {
    const quiet = await watched(asked, Bun.sleep(QUIET_MS));
    const said = new Map<string, string>();
    const all: Beside[] = [];
    let loopMs = 0;
    for (const action of ACTIONS) {
      postponeTasks(folder);
      all.push(await besideAction({ folder, asked, subjects, said }, action));
      loopMs = Math.max(loopMs, await longestLoopDelay(server.url));
    }
    all.push({
      name: 'what they leave to the server',
      tookMs: AFTER_MS,
      ...(await watched(asked, Bun.sleep(AFTER_MS))),
    });
    return figuresOf(all, quiet, loopMs);
  } finally {
    await server.stop();
  }
}

function figuresOf(all: readonly Beside[], quiet: Omit<Beside, 'name' | 'tookMs'>, loopMs: number): Figure[] {
  const long = all.filter(({ tookMs }) => tookMs >= SHORT_MS);
  const slowest = all.toSorted((a, b) => most(b.writes) - most(a.writes))[0];
  return [
    ...worst('y', all),
    plainFigure('y.quiet.longest', quiet.stallMs, 'ms'),
    plainFigure('y.poll.longest', most(all.flatMap(({ polls }) => polls)), 'ms'),
    plainFigure('y.loop', loopMs, 'ms'),
    growthFigure('y.poll', p99(all.flatMap(({ polls }) => polls)), p99(quiet.polls), 'ms', MOST_POLL),
    growthFigure('y.poll.own', p99Own(all.flatMap(({ polls }) => polls)), p99Own(quiet.polls), 'ms', MOST_POLL),
    ...long.map(({ name, polls }) => plainFigure(`y.poll ${name}`, p99(polls), 'ms')),
    boundFigure(`y.write ${slowest?.name ?? ''}`, most(slowest?.writes ?? []), 'ms', MOST_WRITE_MS),
    growthFigure('y.write', p99(all.flatMap(({ writes }) => writes)), p99(quiet.writes), 'ms', MOST_POLL),
  ];
}

const most = (answers: readonly Answered[]) => answers.reduce((all, { tookMs }) => Math.max(all, tookMs), 0);
const p99 = (answers: readonly Answered[]) =>
  percentile(
    answers.map(({ tookMs }) => tookMs),
    0.99,
  );
const p99Own = (answers: readonly Answered[]) =>
  percentile(
    answers.map(({ ownMs }) => ownMs),
    0.99,
  );

interface Place {
  readonly folder: string;
  readonly asked: Asked;
  readonly subjects: Subjects;
  readonly said: Map<string, string>;
}
type Asked = Parameters<typeof askWhile>[0] & {
  /** The longest stall of the server, as it tells it. */
  readonly loop: { stallMs: number; ownMs: number };
};

/** Runs an action beside the server. */
async function besideAction(place: Place, { words, ends, stdin }: Action): Promise<Beside> {
  const { folder, asked, subjects, said } = place;
  const given = words(subjects, said);
  const begunMs = performance.now();
  const run = runProgram(folder, given, { ends, stdin }).then(({ said: text }) => {
    said.set(given.join(' '), text);
    return performance.now() - begunMs;
  });
  const beside = await watched(asked, run);
  const tookMs = await run;
  const name = given
    .slice(0, 3)
    .filter((word) => !word.includes('/'))
    .join(' ');
  console.error(
    [
      `${name}: ${Math.round(tookMs)} ms`,
      `stall ${Math.round(beside.stallMs)} (own ${Math.round(beside.ownMs)}) ms`,
      `polls p99 ${p99(beside.polls).toFixed(1)} ms`,
      `longest change ${Math.round(most(beside.writes))} ms`,
    ].join(', '),
  );
  return { name, tookMs, ...beside };
}

async function watched(asked: Asked, run: Promise<unknown>) {
  Object.assign(asked.loop, { stallMs: 0, ownMs: 0 });
  const [polls, writes] = await Promise.all([askWhile(asked, run), askWhile(asked, run, WRITES)]);
  // It tells of the last moment a moment later.
  await Bun.sleep(REPORTED_MS);
  return { ...asked.loop, polls, writes };
}

/** Adds players who are signed in. Out: their cookies, and the name of the user with the longest wallet. */
async function prepare(folder: string): Promise<{ cookies: string[]; largest: string }> {
  const { host, close } = await openWorld(folder);
  await host.database.write(({ raw }) =>
    raw.run(
      "UPDATE users SET username = id, username_key = id, email = id, email_key = id WHERE username LIKE 'player____'",
    ),
  );
  const cookies = await addPlayers(host, PLAYERS, 0);
  const found = await host.database.read(({ raw }) =>
    raw.one<{ username: string }>('SELECT username FROM users WHERE id = ?', [worldUserId(0)]),
  );
  await finishTasks(host);
  await close();
  return { cookies, largest: found?.username ?? '' };
}

/**
 * Every task that comes round once in five minutes or less often waits for its whole time again: it is measured by
 * itself.
 */
function postponeTasks(folder: string): void {
  const database = new Database(join(folder, 'spawnpoint.db'));
  database.run('PRAGMA busy_timeout=5000');
  database.run('UPDATE schedules SET next_ms = next_ms + ? - last_ms WHERE next_ms - last_ms >= 300000', [
    systemClock.now(),
  ]);
  database.run('UPDATE schedules SET last_ms = ? WHERE next_ms - last_ms >= 300000', [systemClock.now()]);
  database.close();
}

/** How late the event loop of the server was at most within the last minute, as it says itself. */
async function longestLoopDelay(url: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  const seconds = /event_loop_delay_seconds\{quantile="1"\} (\S+)/.exec(await answer.text())?.[1];
  if (seconds === undefined) throw new Error('the server says nothing of its event loop');
  return Number(seconds) * 1000;
}

const networks = (): string =>
  Array.from({ length: NETWORKS }, (_, at) => `${20 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}.0/24`).join('\n');
