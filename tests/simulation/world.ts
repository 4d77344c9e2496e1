import { createRunner } from '#server/jobs/runner.ts';
import { createScheduler } from '#server/jobs/scheduler.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { serverJobs, serverTasks, type Panel, type Servers } from '#server/modules/servers/index.ts';
import type { HttpPanel } from '#server/panel/index.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { archiveBefore } from '#tests/support/archive.ts';
import type { Engine } from '#tests/support/db.ts';
import { furnish, httpPanelOver, shortTimer } from '#tests/support/http-panel.ts';
import { mortalProcess, type MortalProcess } from '#tests/support/kill.ts';
import { openFakePanel, type Dialect, type FakePanel } from '#tests/support/panels/index.ts';
import { seeded } from '#tests/support/random.ts';
import { serversWorld } from '#tests/support/servers.ts';
import { createBooks, TERMS } from './books.ts';

const VARIABLES = [
  {
    env: 'SERVER_JARFILE',
    name: 'Jar',
    description: '',
    default_value: 'server.jar',
    rules: 'required|string',
    user_editable: true,
  },
  {
    env: 'MOTD',
    name: 'Message',
    description: '',
    default_value: '',
    rules: 'nullable|string|max:20',
    user_editable: true,
  },
];
/** Longest time between two turns of the scheduler. */
const STRIDE_MS = 10 * MINUTE;

/** Jobs at once. */
const LANES = 3;

export interface Site {
  /** Id of the panel's row. */
  readonly id: string;
  readonly location: string;
  readonly fake: FakePanel;
  readonly nodes: readonly number[];
}
/** A process of the product: it lives until it is killed, and nothing of it goes on after that. */
export interface Life {
  readonly process: MortalProcess;
  readonly servers: Servers;
  /** Jobs that are due now, some at once. */
  jobs(): Promise<unknown>;
  /** What is due now: jobs, the scheduler's turns, and the jobs they made. */
  work(): Promise<void>;
}
export type World = Awaited<ReturnType<typeof openWorld>>;

/** Two panels over HTTP, one of each dialect, with users and a product that can be killed. */
export async function openWorld({
  engine,
  seed,
  users,
  spoil,
}: {
  engine: Engine;
  seed: number;
  users: number;
  spoil: (panel: Panel) => Panel;
}) {
  const base = await serversWorld(engine);
  const { clock, db, log } = base;
  const random = seeded(seed);
  const timer = shortTimer();
  await base.settings.set(null, {
    server_renew_cost: TERMS.cost,
    server_renew_days: TERMS.days,
    renew_max_days: TERMS.maxDays,
    renew_grace_days: TERMS.graceDays,
  });
  await db.sql('UPDATE eggs SET variables = ?', [JSON.stringify(VARIABLES)]);
  const adapter = (fake: FakePanel): HttpPanel => httpPanelOver(fake, { clock, timer, log });

  async function addSite(dialect: Dialect, at: number): Promise<Site> {
    const limits = { application: 1_000_000_000, client: 1_000_000_000 };
    const fake = await openFakePanel({
      dialect,
      clock,
      seed: seed + at,
      installMs: 8000,
      rateLimits: limits,
      installFails: () => random.chance(0.02),
    });
    const { location, node, egg } = furnish(fake, { ports: Math.ceil(users / 2) });
    const pelican = dialect === 'pelican';
    const second = fake.addNode({
      locationId: location,
      tags: pelican ? ['fra'] : [],
      memory: 4_194_304,
      disk: 41_943_040,
    }).id;
    fake.addAllocations(second, {
      ip: '192.0.2.11',
      ports: Array.from({ length: Math.ceil(users / 2) }, (_, port) => 30_000 + port),
    });
    const nodes = [node, second];
    const http = adapter(fake);
    const place = { panelLocation: pelican ? 'fra' : String(location) };
    const joined = await base.joinPanel(
      { panel: http.panel, catalogue: http.catalogue, nodes: nodes.map(String), panelEgg: String(egg) },
      place,
    );
    return { id: joined.id, location: joined.location, fake, nodes };
  }
  const sites: readonly [Site, Site] = [await addSite('pterodactyl', 1), await addSite('pelican', 2)];

  const people: SignedIn[] = [];
  const books = createBooks(db, clock);
  for (let at = 0; at < users; at += 1) {
    const credits = 20 + random.int(100);
    const person = await base.person({ credits, limits: { slots: 3, ports: 6 } });
    books.gave(person.actor.userId, credits);
    people.push(person);
  }
  const staff = await base.person({ permissions: ['admin.root'] });

  function begin(): Life {
    const process = mortalProcess();
    const uow = process.uow(base.uow);
    const mine = sites.map(({ id, fake }) => {
      const { panel, catalogue } = adapter(fake);
      return { id, name: id, panel: process.panel(spoil(panel)), catalogue };
    });
    const { servers } = base.instance(uow, base.inner, mine);
    const runner = createRunner({
      uow,
      clock,
      ids: base.ids,
      log,
      bus: base.bus,
      handlers: serverJobs(servers),
      random: () => 0.5,
    });
    // What is hours old may be in the archive of the ledger, and nobody notices.
    const archive = { name: 'ledger.archive', everyMs: HOUR, run: () => archiveBefore(uow, clock.now()) };
    const scheduler = createScheduler({ uow, clock, ids: base.ids, log, tasks: [...serverTasks(servers), archive] });
    const jobs = () => Promise.all(Array.from({ length: LANES }, () => runner.runDue()));
    const work = async () => {
      await jobs();
      await scheduler.tick();
      await jobs();
    };
    return { process, servers, jobs, work };
  }
  let life = begin();
  let deaths = 0;

  /** Starts the product anew after its death, once, whoever of those that were at it asks. */
  async function restart(dead: Life): Promise<void> {
    await dead.process.whenEnded();
    if (life !== dead) return;
    deaths += 1;
    life = begin();
  }
  /** Does something in a process; where that dies, a new one is started. Out: what it gave, or `died`. */
  async function during<T>(work: (now: Life) => Promise<T>): Promise<T | 'died'> {
    const now = life;
    const end = await Promise.race([work(now), now.process.died.then(() => 'died' as const)]);
    if (end === 'died') await restart(now);
    return end;
  }
  /** Lets time pass, with everything that is due done on the way. */
  async function pass(ms: number, each: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    for (let left = ms; left > 0;) {
      const stride = Math.min(left, STRIDE_MS);
      left -= stride;
      clock.advance(stride);
      await each();
      await books.around(async () => void (await during((now) => now.work())));
    }
  }

  return {
    ...base,
    random,
    timer,
    sites,
    people,
    staff,
    books,
    pass,
    during,
    life: () => life,
    deaths: () => deaths,
    async close(): Promise<void> {
      for (const { fake } of sites) await fake.close();
      await db.close();
    },
  };
}
