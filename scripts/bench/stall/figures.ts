import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '#server/compose/host.ts';
import { composeWeb } from '#server/compose/web.ts';
import type { HttpApp, ServerHandle } from '#server/http/app.ts';
import { memoryTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { MINUTE } from '#shared/time.ts';
import { inFolder } from '../folder.ts';
import { addPlayers, BROWSER, openSession, openWorld, type World } from '../installation.ts';
import { boundFigure, growthFigure, plainFigure, type Figure } from '../report.ts';
import { fillWorld } from '../world/fill.ts';
import { worldUserId } from '../world/money.ts';
import { questions, type Ids, type Question } from './inputs.ts';
import { percentile, watch, type Watched } from './watch.ts';

/** The size of a world that is made for this; `BENCH_WORLD` names the folder of another (scripts/bench/world.ts). */
const USERS = 100_000;
const POSTINGS = 1_000_000;
/** The longest that nobody may be answered. */
export const MOST_MS = 50;
/** How much longer the slowest of a hundred session polls may take meanwhile. */
const MOST_POLL = 3;
/** How many of the worst are named. */
const NAMED = 12;
/** Questions after which the clock goes on by more than the longest window of a rate limit. */
const BURST = 8;
const WINDOW_MS = 11 * MINUTE;
const POLL_EVERY_MS = 10;
/** A task that goes on in its next run where the time of one is over; its steps are all alike (part z has all). */
const IN_PARTS = 'ledger.archive';
/** How long it is watched before the clock goes on beyond its time; in a world that was named, for all of its time. */
const PART_MS = process.env['BENCH_WORLD'] === undefined ? 10_000 : 10 * MINUTE;
/** The world's servers stand in no panel: a comparison with one would find every one of them missing. */
const LEFT_OUT: ReadonlySet<string> = new Set(['servers.reconcile']);
const loopback: ServerHandle = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => undefined };

export interface Named extends Watched {
  readonly name: string;
}

/**
 * Figures s: the longest time in which the event loop stands still, among a million people, for every question that can
 * be asked over HTTP with its worst input, and for every scheduled task, with session polls beside them.
 */
export const stallFiguresOfWorld = (): Promise<Figure[]> => inWorld(figuresOf);

/** Runs work in the world that `BENCH_WORLD` names, or in a smaller one that is made for it. */
export async function inWorld<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const given = process.env['BENCH_WORLD'];
  if (given === undefined)
    return inFolder(async (folder) => {
      await (await openWorld(folder)).close();
      const size = { users: USERS, postings: POSTINGS, nowMs: systemClock.now() };
      await fillWorld(join(folder, 'spawnpoint.db'), size, () => undefined);
      return work(folder);
    });
  if (!existsSync(join(given, 'spawnpoint.db'))) throw new Error('BENCH_WORLD names no folder of a world');
  return work(given);
}

/** Writes down that every task has just run: a server that is started then has its visitors to do with. */
export async function finishTasks({ services }: Pick<Host, 'services'>): Promise<void> {
  const now = systemClock.now();
  for (const { name, everyMs } of services.tasks)
    await services.uow.run((tx) => tx.jobs.beginRun(name, now, now + everyMs, null));
}

/** Brings a world into the system's memory, which a host needs for what it is asked (decision 087). */
export async function readThrough(folder: string): Promise<void> {
  for await (const part of Bun.file(join(folder, 'spawnpoint.db')).stream()) void part;
}

async function figuresOf(folder: string): Promise<Figure[]> {
  await readThrough(folder);
  let laterMs = 0;
  const clock = { now: () => systemClock.now() + laterMs };
  const spawnReader = () => new Worker(new URL('../../../server/data/reader/reader.worker.ts', import.meta.url));
  const world = await openWorld(folder, { clock, spawnReader });
  const handle = await composeWeb({
    config: world.config,
    clock,
    ids: systemIds,
    log: world.log,
    local: true,
    pages: false,
    transport: memoryTransport(world.host.api, world.host.ready),
  });
  const people = await visitors(world);
  const asked: Named[] = [];
  const strange = new Map<string, number>();
  const ids = await idsOf(world);
  const list = [
    ...questions(ids.own).filter(({ endpoint }) => !isStaff(endpoint.access)),
    ...questions(ids.all).filter(({ endpoint }) => isStaff(endpoint.access)),
  ];
  for (const [at, { endpoint, path }] of list.entries()) {
    if (at % BURST === 0) laterMs += WINDOW_MS;
    const cookie = isStaff(endpoint.access) ? people.staff : people.player;
    let status = 0;
    const watched = await watch(async () => {
      status = await ask(handle, world, path, cookie);
    });
    if (status >= 500 || status === 429) strange.set(`${status} ${path}`, status);
    asked.push({ name: path, ...watched });
  }
  const polled = await polls(
    async () => Bun.sleep(2000),
    () => ask(handle, world, '/api/user/session', people.player),
  );
  // Half of what the world holds is old enough to be archived.
  await world.host.services.settings.set(null, { ledger_archive_days: 90 });
  const tasks: Named[] = [];
  const beside: number[] = [];
  laterMs = 0;
  for (const { name, run } of world.host.services.tasks.filter((task) => !LEFT_OUT.has(task.name))) {
    let watched: Watched = { stallMs: 0, ownMs: 0, tookMs: 0 };
    const enough = name === IN_PARTS ? setTimeout(() => (laterMs += WINDOW_MS), PART_MS) : undefined;
    const times = await polls(
      async () => void (watched = await watch(run, 1)),
      () => ask(handle, world, '/api/user/session', people.player),
    );
    clearTimeout(enough);
    tasks.push({ name: `task ${name}`, ...watched });
    beside.push(...times);
  }
  await world.close();
  for (const name of strange.keys()) console.error(`not answered: ${name}`);
  return [
    ...worst('s.ask', asked),
    ...worst('s.task', tasks),
    growthFigure('s.poll', percentile(beside, 0.99), percentile(polled, 0.99), 'ms', MOST_POLL),
  ];
}

const isStaff = (access: Question['endpoint']['access']) => access.startsWith('admin.');

/** Figures of some that were watched: how many, the longest stall by the clock and its own, and the worst by name. */
export function worst(id: string, all: readonly Named[]): Figure[] {
  const sorted = all.toSorted((a, b) => b.stallMs - a.stallMs);
  return [
    plainFigure(`${id}.count`, all.length, ''),
    boundFigure(`${id}.longest`, sorted[0]?.stallMs ?? 0, 'ms', MOST_MS),
    boundFigure(`${id}.longest.own`, Math.max(0, ...all.map(({ ownMs }) => ownMs)), 'ms', MOST_MS),
    ...sorted
      .slice(0, NAMED)
      .map(({ name, stallMs, ownMs, tookMs }) =>
        plainFigure(`${id} ${name} (own ${Math.round(ownMs)}, ${Math.round(tookMs)} ms in all)`, stallMs, 'ms'),
      ),
  ];
}

async function ask(handle: HttpApp, { config }: World, path: string, cookie: string): Promise<number> {
  const headers = { cookie, 'user-agent': BROWSER };
  const response = await handle(new Request(`${config.appUrl}${path}`, { headers }), loopback);
  for await (const part of response.body ?? []) void part;
  return response.status;
}

/** How long session polls took (ms) while something ran. */
async function polls(run: () => Promise<unknown>, poll: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const state = { running: true };
  const done = run().finally(() => (state.running = false));
  while (state.running) {
    const begunMs = performance.now();
    await poll();
    times.push(performance.now() - begunMs);
    await Bun.sleep(POLL_EVERY_MS);
  }
  await done;
  return times;
}

/** An owner, and the player with the longest wallet, most servers, tickets and images; signed in. */
async function visitors({ host }: World): Promise<{ staff: string; player: string }> {
  // The name that the next one gets, where another run had it.
  await host.database.write(({ raw }) =>
    raw.run(
      "UPDATE users SET username = id, username_key = id, email = id, email_key = id WHERE username = 'player0000'",
    ),
  );
  const [staff = ''] = await addPlayers(host, 1, 0);
  await host.database.write(({ raw }) =>
    raw.run("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'owner') WHERE username = 'player0000'"),
  );
  return { staff, player: await host.database.uow.run((tx) => openSession(tx, worldUserId(0))) };
}

/** What paths are asked about: the largest of each. */
async function idsOf({ host }: World): Promise<{ own: Ids; all: Ids }> {
  const me = worldUserId(0);
  const one = async (sql: string) =>
    (await host.database.read(({ raw }) => raw.one<{ id: string }>(sql)))?.id ?? 'none';
  const mine = (table: string) => one(`SELECT id FROM ${table} WHERE user_id = '${me}' LIMIT 1`);
  const first = (table: string) => one(`SELECT id FROM ${table} ORDER BY id LIMIT 1`);
  const [server, ticket, image, code] = await Promise.all([
    mine('servers'),
    mine('tickets'),
    mine('images'),
    first('redeem_codes'),
  ]);
  const [announcement, location, department, egg, role] = await Promise.all([
    first('announcements'),
    first('locations'),
    first('departments'),
    first('eggs'),
    one('SELECT id FROM roles WHERE is_default = 1'),
  ]);
  return {
    own: {
      '/api/servers': server,
      '/api/tickets': ticket,
      '/api/images': image,
      '/api/announcements': announcement,
      '/api/news': announcement,
      '/api/profiles': worldUserId(3),
    },
    all: {
      '/api/admin/users': me,
      '/api/admin/tickets': ticket,
      '/api/admin/images': image,
      '/api/admin/servers': server,
      '/api/admin/redeem-codes': code,
      '/api/admin/announcements': announcement,
      '/api/admin/locations': location,
      '/api/admin/departments': department,
      '/api/admin/eggs': egg,
      '/api/admin/roles': role,
    },
  };
}
