import { createEvents, type Events } from '#server/modules/events/index.ts';
import { createPanelRepo } from '#server/data/repos/embedded-panel.ts';
import { createRunner, type Runner } from '#server/jobs/runner.ts';
import { createScheduler } from '#server/jobs/scheduler.ts';
import type { Ids, SignedIn } from '#server/modules/kernel.ts';
import { createLedger } from '#server/modules/ledger/index.ts';
import { createLimits } from '#server/modules/limits/index.ts';
import { createMailing } from '#server/modules/mailing/index.ts';
import {
  createServers,
  createFixedRegistry,
  SERVER_JOBS,
  serverJobs,
  serverTasks,
  type CreateInput,
  type Panel,
  type PanelCatalogue,
  type PanelRegistry,
  type PanelServer,
  type PanelServerSpec,
  type PlayerCount,
  type Servers,
  type ServersDeps,
} from '#server/modules/servers/index.ts';
import { nextTime } from '#server/jobs/next-time.ts';
import { createSettings } from '#server/modules/settings/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { createUptime } from '#server/modules/uptime/index.ts';
import { createEmbeddedPanel, type MachineRuntime } from '#server/panel/index.ts';
import { toCredits } from '#shared/credits.ts';
import type { Resources } from '#shared/constants.ts';
import { DAY, HOUR } from '#shared/time.ts';
import mailTexts from '#locales/en/mail.json';
import { fakeClock, testIds, TEST_START, type FakeClock } from './clock.ts';
import { openTestDb, proveLedger, type Engine, type TestDb } from './db.ts';
import { testNotifications } from './events.ts';
import { faultyPanel } from './faulty-panel.ts';
import { capacityPanel, type NodeFacts } from './capacity-panel.ts';
import { testSealer } from './sealing.ts';

/** An embedded panel over a test's database. */
export function panelOver(
  db: TestDb,
  clock: { now(): number },
  options: {
    installSeconds?: () => number;
    fails?: (spec: PanelServerSpec) => boolean;
    runtime?: MachineRuntime;
  } = {},
): Panel {
  return createEmbeddedPanel({
    store: {
      run: (work) => db.database.write((session) => work(createPanelRepo(session.db))),
      read: (work) => db.database.read((session) => work(createPanelRepo(session.db))),
    },
    clock,
    ids: testIds(9),
    log: db.log,
    installSeconds: options.installSeconds ?? (() => 8),
    ...(options.fails ? { fails: options.fails } : {}),
    runtime: options.runtime,
  });
}

/** Every server the panel has. */
export async function panelServers(panel: Panel): Promise<PanelServer[]> {
  const all: PanelServer[] = [];
  for (let page: number | null = 1; page !== null;) {
    const answer = await panel.listServers(page);
    if (answer.outcome !== 'ok') throw new Error(`the panel answered ${answer.outcome}`);
    all.push(...answer.value.servers);
    page = answer.value.next;
  }
  return all;
}

export interface LocationFacts {
  readonly slots?: number;
  readonly online?: boolean;
  readonly vipOnly?: boolean;
  readonly panel?: string;
  readonly panelLocation?: string;
  readonly placement?: 'spread' | 'pack';
}
export interface EggFacts {
  readonly enabled?: boolean;
  readonly vipOnly?: boolean;
  readonly minMemory?: number;
  readonly categoryId?: string;
  readonly variables?: readonly Record<string, unknown>[];
}
/** Makers of catalogue rows. */
async function catalogueOf(db: TestDb, ids: Ids) {
  async function addCategory(enabled: boolean): Promise<string> {
    const id = ids.uuid();
    await db.sql(
      'INSERT INTO egg_categories (id, name, description, enabled, position, created_ms, updated_ms) VALUES (?, ?, ?, ?, 0, 0, 0)',
      [id, 'Java', '', enabled ? 1 : 0],
    );
    return id;
  }
  async function addEgg(facts: EggFacts = {}): Promise<string> {
    const id = ids.uuid();
    await db.sql(
      `INSERT INTO eggs (id, category_id, name, description, docker_image, startup, shape, hue, min_memory, min_disk, min_cpu, enabled, vip_only, variables, position, created_ms, updated_ms)
       VALUES (?, ?, 'Paper', '', 'ghcr.io/x/java:21', 'java -jar {{SERVER_JARFILE}}', 'cube', 3, ?, 256, 5, ?, ?, ?, 0, 0, 0)`,
      [
        id,
        facts.categoryId ?? category,
        facts.minMemory ?? 256,
        facts.enabled === false ? 0 : 1,
        facts.vipOnly ? 1 : 0,
        JSON.stringify(facts.variables ?? []),
      ],
    );
    return id;
  }
  async function addLocation(facts: LocationFacts = {}): Promise<string> {
    const id = ids.uuid();
    await db.sql(
      `INSERT INTO locations (id, name, description, code, address, slots, online, vip_only, position, created_ms, updated_ms, panel_id, panel_location, placement)
       VALUES (?, 'Frankfurt', '', 'DE', 'fra1.example.test', ?, ?, ?, 0, 0, 0, ?, ?, ?)`,
      [
        id,
        facts.slots ?? 1000,
        facts.online === false ? 0 : 1,
        facts.vipOnly ? 1 : 0,
        facts.panel ?? null,
        facts.panelLocation ?? null,
        facts.placement ?? 'spread',
      ],
    );
    return id;
  }
  const category = await addCategory(true);
  const egg = await addEgg();
  const location = await addLocation();
  return { category, egg, location, addCategory, addEgg, addLocation };
}

/** Ways to let time pass. */
function clockwork({ db, clock, runner, servers }: { db: TestDb; clock: FakeClock; runner: Runner; servers: Servers }) {
  /** The next moment at which a job may run, or what is away may be tried; what is due now waits for something else. */
  async function nextDue(): Promise<number | null> {
    const [row] = await db.sql<{ at: number | null }>(
      `SELECT MIN(at) AS at FROM (
        SELECT CASE WHEN lease_until_ms > run_at_ms THEN lease_until_ms ELSE run_at_ms END AS at FROM jobs WHERE state = 'ready'
        UNION ALL SELECT next_ms FROM panel_outages
      ) moments WHERE at > ?`,
      [clock.now()],
    );
    return row?.at ?? null;
  }
  /** Runs every job that is due within the time, at its time, and then lets the rest of the time pass. */
  async function pass(ms: number): Promise<void> {
    const end = clock.now() + ms;
    for (;;) {
      await runner.runDue();
      const due = await nextDue();
      if (due === null || due > end) break;
      clock.set(due);
    }
    clock.set(end);
  }
  /** Lets time pass in steps, with the scheduler's work done after each. */
  async function live(ms: number, stepMs: number): Promise<void> {
    const end = clock.now() + ms;
    while (clock.now() < end) {
      await pass(Math.min(stepMs, end - clock.now()));
      await servers.syncOwners();
      await servers.processExpiry();
    }
    await servers.reconcile();
    await servers.requeueStale(HOUR);
    await runner.runDue();
  }
  return { pass, live };
}

export type ServersWorld = Awaited<ReturnType<typeof serversWorld>>;

/**
 * Everything that servers need over a fresh database: catalogue, panel with faults, jobs, scheduler and a clock that
 * the test moves.
 */
export async function serversWorld(engine: Engine = 'sqlite', over: (uow: UnitOfWork) => UnitOfWork = (uow) => uow) {
  const db = await openTestDb(engine);
  const clock = fakeClock();
  const ids = testIds();
  const uow = over(db.uow);
  const { bus, log } = db;
  const failing = new Set<string>();
  /** Who plays on the game servers that answer, by protocol and address: `minecraft 203.0.113.7:25565`. */
  const players = new Map<string, PlayerCount>();
  const settings = createSettings({ uow: db.uow, clock, ids, bus, sealer: testSealer });
  const inner = panelOver(db, clock, {
    installSeconds: () => settings.current().embedded_install_seconds,
    fails: (spec) => failing.has(spec.name),
  });
  const panel = faultyPanel(inner);
  const ledger = createLedger({ clock, ids });
  const limits = createLimits({ settings });
  const mailing = createMailing({
    bus,
    clock,
    ids,
    settings,
    texts: () => mailTexts,
    appUrl: () => 'https://play.example.test',
    mailServer: () => null,
  });

  /** The servers with a worker of their own over the same data, as another process would have them. */
  const others: { id: string; name: string; panel: Panel; catalogue: PanelCatalogue }[] = [];
  function instance(
    own: UnitOfWork,
    ownPanel: Panel,
    mine: readonly { id: string; name: string; panel: Panel; catalogue: PanelCatalogue }[] = others,
    random = () => 0.5,
  ) {
    const notifications = testNotifications({ uow: own, clock, ids, settings, mailing });
    const registry = () => createFixedRegistry([{ id: null, name: 'embedded', panel: ownPanel }, ...mine]);
    const panels: PanelRegistry = {
      find: (id) => registry().find(id),
      findCatalogue: (id) => registry().findCatalogue(id),
      list: () => registry().list(),
    };
    const deps: ServersDeps & { readonly events: Events } = {
      uow: own,
      long: { read: (work) => own.read(work) },
      clock,
      ids,
      log,
      random,
      panels,
      settings,
      ledger,
      limits,
      events: createEvents({ clock, ids, notifications, mailing }),
      nextTime,
      queryPlayers: async (protocol, { host, port }) => players.get(`${protocol} ${host}:${port}`) ?? null,
    };
    const made = createServers(deps);
    deps.events.subscribe(made.subscriptions);
    const makeRunner = () =>
      createRunner({ uow: own, clock, ids, log, bus, handlers: serverJobs(made), random: () => 0.5 });
    return { servers: made, makeRunner, runner: makeRunner(), deps };
  }
  const { servers, makeRunner, runner, deps: serversDeps } = instance(uow, panel);
  const scheduler = createScheduler({ uow, clock, ids, log, tasks: serverTasks(servers) });

  const role = {
    id: ids.uuid(),
    key: null,
    name: 'Member',
    color: '#888888',
    rank: 1,
    isDefault: false,
    createdMs: TEST_START,
  };
  await db.uow.run(async (tx) => void (await tx.access.add(role, [])));
  const catalogue = await catalogueOf(db, ids);
  const { category, egg, location } = catalogue;

  /** A user with limits of their own (default: limits for ten small servers) and some credits. */
  async function person(
    facts: { credits?: number; permissions?: string[]; limits?: Partial<Resources> } = {},
  ): Promise<SignedIn> {
    const userId = ids.uuid();
    const username = `user${userId.slice(0, 13)}`;
    const limits = {
      memory: 10_240,
      disk: 10_240,
      cpu: 1000,
      slots: 10,
      ports: 20,
      databases: 10,
      backups: 10,
      ...facts.limits,
    };
    await db.uow.run(async (tx) => {
      await tx.identity.addUser({
        id: userId,
        username,
        email: `${username}@example.test`,
        passwordHash: '-',
        firstName: 'Ada',
        lastName: 'B',
        roleId: role.id,
        locale: 'en',
        verifiedMs: TEST_START,
        createdMs: clock.now() - 30 * DAY,
      });
      await tx.limits.create(userId, limits);
      const postings = [
        { source: 'system:adjustment', destination: `user:${userId}`, amount: toCredits(facts.credits ?? 0) },
      ] as const;
      if (facts.credits) await ledger.transfer(tx, { kind: 'adjustment', reference: `grant:${userId}`, postings });
    });
    const actor = { userId, sessionId: ids.uuid(), username, permissions: facts.permissions ?? [], verified: true };
    return { actor, requestId: 'r', locale: 'en', address: '203.0.113.1', userAgent: 'test', idempotency: null };
  }

  /** What a player asks for: a small server, unless overridden. */
  function serverInput(facts: Partial<CreateInput> = {}): CreateInput {
    return {
      name: 'Lanternwood',
      description: '',
      locationId: location,
      categoryId: category,
      eggId: egg,
      resources: { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 },
      variables: {},
      autoRenew: false,
      ...facts,
    };
  }

  /**
   * A real panel with nodes and ports, of which faults may be asked, the location of it and the binding of the egg; the
   * catalogue has been read. `remove` takes it out of the registry, as disabling it does.
   */
  async function addPanel(facts: NodeFacts, place: Omit<LocationFacts, 'panel'> = {}) {
    const capacity = capacityPanel(clock, facts);
    const faulty = faultyPanel(capacity.panel);
    const joined = await joinPanel(
      { panel: faulty, catalogue: capacity.catalogue, nodes: capacity.nodeIds, panelEgg: '5' },
      { panelLocation: '1', ...place },
    );
    return { ...capacity, inner: capacity.panel, panel: faulty, ...joined };
  }

  const setStatus = (ctx: SignedIn, status: 'active' | 'banned') =>
    db.uow.run((tx) => tx.identity.setStatus(ctx.actor.userId, status, { reason: null, untilMs: null }, clock.now()));

  /** Makes a panel known: its row, its nodes and ports in our capacity, a location of it and the egg bound to its. */
  async function joinPanel(
    facts: { panel: Panel; catalogue: PanelCatalogue; nodes: readonly string[]; panelEgg: string },
    place: Omit<LocationFacts, 'panel'> = {},
  ) {
    const id = ids.uuid();
    await db.sql(
      `INSERT INTO panels (id, name, dialect, url, key_sealed, client_key_sealed, enabled, checked, checked_ms, synced, synced_ms, created_ms, updated_ms)
       VALUES (?, ?, 'pterodactyl', ?, '-', NULL, 1, NULL, NULL, NULL, NULL, 0, 0)`,
      [id, `panel ${id}`, `https://${id}.panel.example.test`],
    );
    const entry = { id, name: `panel ${id}`, panel: facts.panel, catalogue: facts.catalogue };
    others.push(entry);
    const bind = (eggId: string) =>
      db.sql('INSERT INTO egg_bindings (egg_id, panel_id, panel_egg, created_ms) VALUES (?, ?, ?, 0)', [
        eggId,
        id,
        facts.panelEgg,
      ]);
    await bind(egg);
    for (const node of [null, ...facts.nodes]) await servers.refreshCapacity(id, node);
    const remove = () => void others.splice(others.indexOf(entry), 1);
    const at = await catalogue.addLocation({ ...place, panel: id });
    return {
      id,
      location: at,
      bind,
      remove,
      restore: () => void others.push(entry),
      read: (node: string | null = null) => servers.refreshCapacity(id, node),
    };
  }

  /** One attempt at the build that is next; false where none may be begun. */
  const buildStep = async () => (await runner.runDue({ kind: SERVER_JOBS.build, most: 1 })) > 0;
  /** All attempts at builds that are due. Out: how many they were. */
  const buildAll = () => runner.runDue({ kind: SERVER_JOBS.build });
  const { pass, live } = clockwork({ db, clock, runner, servers });
  const row = async (id: string) => {
    const found = await db.uow.read((tx) => tx.servers.find(id));
    if (!found) throw new Error('no such server');
    return found;
  };
  /** A server that is up. */
  async function upServer(ctx: SignedIn, facts: Partial<CreateInput> = {}): Promise<string> {
    const { id } = await servers.create(ctx, serverInput(facts));
    await pass(60_000);
    if ((await row(id)).state !== 'active') throw new Error(`the server is ${(await row(id)).state}`);
    return id;
  }

  return {
    deps: serversDeps,
    uptime: createUptime({ uow, clock, events: serversDeps.events }),
    db,
    clock,
    ids,
    uow: db.uow,
    bus,
    log,
    settings,
    ledger,
    limits,
    panel,
    inner,
    servers,
    runner,
    makeRunner,
    buildStep,
    buildAll,
    scheduler,
    instance,
    failing,
    players,
    ...catalogue,
    addPanel,
    joinPanel,
    others,
    person,
    serverInput,
    pass,
    live,
    row,
    upServer,
    /** Suspends somebody's servers as a ban does, though they are in good standing. */
    async suspendForBan(ctx: SignedIn): Promise<void> {
      await setStatus(ctx, 'banned');
      await servers.syncWithOwnerStatus(ctx.actor.userId);
      await setStatus(ctx, 'active');
    },
    /** Brings them back. */
    resumeAfterBan: (ctx: SignedIn) => servers.syncWithOwnerStatus(ctx.actor.userId),
    setStatus,
    grant: (ctx: SignedIn, credits: number) =>
      db.uow.run(async (tx) => {
        const postings = [
          { source: 'system:adjustment', destination: `user:${ctx.actor.userId}`, amount: toCredits(credits) },
        ] as const;
        await ledger.transfer(tx, { kind: 'adjustment', reference: `grant:${ids.uuid()}`, postings });
      }),
    balance: (ctx: SignedIn) => db.uow.read((tx) => ledger.balance(tx, `user:${ctx.actor.userId}`)),
    used: (ctx: SignedIn) => db.uow.read((tx) => tx.limits.used(ctx.actor.userId)),
    slotsUsed: () => db.uow.read((tx) => tx.catalog.locationUse(location)),
    inPanel: () => panelServers(inner),
    mails: async (ctx: SignedIn) =>
      (
        await db.sql<{ template: string }>('SELECT template FROM mails WHERE user_id = ? ORDER BY created_ms, id', [
          ctx.actor.userId,
        ])
      ).map((mail) => mail.template),
    notices: async (ctx: SignedIn) =>
      (
        await db.sql<{ kind: string }>('SELECT kind FROM notifications WHERE user_id = ? ORDER BY created_ms, id', [
          ctx.actor.userId,
        ])
      ).map((each) => each.kind),
    steps: async (serverId: string) =>
      (
        await db.sql<{ code: string }>('SELECT code FROM server_queue_log WHERE server_id = ? ORDER BY at_ms, id', [
          serverId,
        ])
      ).map((step) => step.code),
    /** Proves the ledger and closes. */
    async close(): Promise<void> {
      await proveLedger(db.uow);
      await db.close();
    },
  };
}
