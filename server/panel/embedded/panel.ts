import type { EmbeddedChange, EmbeddedPanelRepo, EmbeddedServer } from '#server/modules/servers/panel/index.ts';
import type {
  EggKind,
  Panel,
  PanelAnswer,
  PanelServer,
  PanelServerSpec,
  ServerResources,
} from '#server/modules/servers/panel/ports.ts';
import type { Clock, Ids, Log } from '#server/modules/kernel.ts';
import { containerText, recipeOf, scriptOf, specOf, usageOf, type PortRange } from './real.ts';
import type { Runtime, RuntimeServer } from './runtime.ts';
import { SECOND } from '#shared/time.ts';

/** Transactions of the panel's own tables: it is a system of its own, and shares none with the product. */
interface EmbeddedStore {
  run<T>(work: (repo: EmbeddedPanelRepo) => Promise<T>): Promise<T>;
  read<T>(work: (repo: EmbeddedPanelRepo) => Promise<T>): Promise<T>;
}
interface EmbeddedDeps {
  readonly store: EmbeddedStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How long an installation takes, in seconds (setting `embedded_install_seconds`). */
  readonly installSeconds: () => number;
  /** Installations that end in failure; none unless a test says so. */
  readonly fails?: (spec: PanelServerSpec) => boolean;
  /** What runs servers on this machine; absent: all are imitated, and those that ran do not answer. */
  readonly runtime?: MachineRuntime | undefined;
  /** Absent: every server may be made. */
  readonly rules?: MachineRules | undefined;
}
/** A runtime with what the panel gives its servers. */
export interface MachineRuntime {
  readonly calls: Runtime;
  readonly ports: PortRange;
  /** Host name by which this machine is reached; null: that of the location. */
  readonly host: string | null;
}
/** What the operator decided about this machine. */
interface MachineRules {
  /** Why no server of a recipe may be made for somebody with these permissions. */
  refusal(recipe: string, permissions: readonly string[]): 'EGG_UNAVAILABLE' | 'MACHINE_CLOSED' | null;
  /** MB of memory that may be sold; null: as much as is asked for. */
  memoryLimit(): number | null;
}

/** Ports of a node are given from this one up, as Minecraft has it. */
const FIRST_PORT = 25_565;
const PAGE = 50;
/** Size of a node made on demand, in MB: large enough that the slots of its location decide. */
const NODE = { memory: 4_194_304, disk: 41_943_040 };

/** Why the panel does not take a change; null where it does. Zero is no amount here either. */
function refusal(resources: ServerResources): string | null {
  const counts = [resources.databases, resources.backups];
  const amounts = [resources.memory, resources.disk, resources.cpu, resources.ports];
  if (amounts.some((amount) => !Number.isSafeInteger(amount) || amount < 1)) return 'amount';
  return counts.some((count) => !Number.isSafeInteger(count) || count < 0) ? 'count' : null;
}

/** Thrown inside a transaction of the panel to undo it; leaves as the answer. */
class Refused extends Error {}

/** A server of the panel's tables with its ports, where they were asked for. */
interface Row {
  readonly server: EmbeddedServer;
  readonly ports: readonly number[] | null;
}

/** State of a server that is imitated: it follows from the clock. */
const imitated = (server: EmbeddedServer, nowMs: number) =>
  nowMs < server.installedMs ? 'installing' : server.fails ? 'install_failed' : 'ready';
const stateOf = ({ state }: RuntimeServer) => (state === 'installing' || state === 'install_failed' ? state : 'ready');
const MB = 1_048_576;

/** By which a server is reached: what really runs may have a name of the machine's own. */
const hostOf = ({ runtime }: Pick<EmbeddedDeps, 'runtime'>, { recipe, fqdn }: EmbeddedServer): string =>
  (recipe === null ? null : runtime?.host) ?? fqdn;

/** A server as the port shows it. `running`: what the runtime says of it; null: it is imitated. */
function view(deps: EmbeddedDeps, { server, ports }: Row, running: RuntimeServer | null): PanelServer {
  const host = hostOf(deps, server);
  const { memory, disk, cpu, databases, backups } = server;
  return {
    panelId: String(server.id),
    externalId: server.externalId,
    identifier: running?.id ?? null,
    userId: String(server.userId),
    node: String(server.nodeId),
    egg: server.egg,
    name: server.name,
    description: server.description,
    state: running ? stateOf(running) : imitated(server, deps.clock.now()),
    suspended: server.suspended,
    resources: { memory, disk, cpu, ports: server.allocations, databases, backups },
    address: server.port === null ? null : `${host}:${server.port}`,
    allocations: ports?.map((port) => ({ id: String(port), address: `${host}:${port}` })) ?? null,
    // Of what is only imitated nothing can be in use.
    usage: {
      databases: null,
      backups: running && running.backups,
      disk: running && Math.round(running.disk / MB),
      memory: running && Math.ceil(running.memory / MB),
    },
  };
}
const rowOf = async (repo: EmbeddedPanelRepo, server: EmbeddedServer | null): Promise<Row | null> =>
  server && { server, ports: await repo.ports(server.id) };

/** What a server is, outside of any transaction: one that really runs is asked for, or brought to what it shall be. */
async function answerOf(deps: EmbeddedDeps, row: Row | null): Promise<PanelAnswer<PanelServer>> {
  if (!row) return { outcome: 'not_found' };
  if (row.server.recipe === null) return { outcome: 'ok', value: view(deps, row, null) };
  const answer = await running(deps, row.server);
  return answer.outcome === 'ok' ? { outcome: 'ok', value: view(deps, row, answer.value) } : answer;
}
/** The runtime's word on a server. What it missed is sent again: each change of the tables is the order. */
async function running({ runtime, store }: EmbeddedDeps, server: EmbeddedServer): Promise<PanelAnswer<RuntimeServer>> {
  if (!runtime) return { outcome: 'unavailable' };
  const answer = await runtime.calls.read(server.uuid);
  const isBehind =
    answer.outcome === 'not_found' || (answer.outcome === 'ok' && answer.value.revision < server.revision);
  if (!isBehind || server.deleting) return answer.outcome === 'not_found' ? { outcome: 'unknown' } : answer;
  const { ports, script } = await store.read(async (repo) => {
    const id = scriptOf(server);
    return { ports: await repo.ports(server.id), script: id === null ? null : await repo.installScript(id) };
  });
  const put = await runtime.calls.put(specOf(server, ports, script));
  return put.outcome === 'not_found' ? { outcome: 'unknown' } : put;
}
function byId(repo: EmbeddedPanelRepo, panelId: string): Promise<EmbeddedServer | null> {
  return /^\d{1,15}$/.test(panelId) ? repo.server(Number(panelId)) : Promise.resolve(null);
}

/**
 * Brings the ports of a server to their number: the primary one stays, the last ones go. In: the port that is to be the
 * primary one, where it is among them. Out: that one; null: it stays as it is.
 */
async function fitPorts(
  repo: EmbeddedPanelRepo,
  server: { id: number; nodeId: number; recipe: string | null },
  wanted: { readonly count: number; readonly primary: number | null },
  range: PortRange | undefined,
): Promise<number | null> {
  const ports = await repo.ports(server.id);
  const primary = ports.find((port) => port === wanted.primary) ?? null;
  const has = primary === null ? ports : [primary, ...ports.filter((port) => port !== primary)];
  for (const port of has.slice(wanted.count)) await repo.freePort(server.nodeId, port);
  for (let count = has.length; count < wanted.count; count += 1) {
    const port =
      server.recipe !== null && range
        ? await repo.takeMachinePort(server.nodeId, server.id, range)
        : await repo.takePort(server.nodeId, server.id, FIRST_PORT);
    if (port === null) throw new Refused('no_port');
  }
  return primary;
}

/** Makes a server with its node and ports, or says why not. */
async function make(deps: EmbeddedDeps, repo: EmbeddedPanelRepo, spec: PanelServerSpec): Promise<PanelAnswer<Row>> {
  const now = deps.clock.now();
  const { resources, location, egg } = spec;
  const recipe = deps.runtime ? recipeOf(egg) : null;
  const reason = refusal(resources);
  if (reason) return { outcome: 'refused', reason };
  if (!(await repo.userExists(Number(spec.userId)))) return { outcome: 'refused', reason: 'user' };
  const nodeId = await repo.ensureNode({
    locationId: location.id,
    name: location.name,
    fqdn: location.address,
    ...NODE,
    atMs: now,
  });
  const id = await repo.addServer({
    externalId: spec.externalId,
    uuid: deps.ids.uuid(),
    userId: Number(spec.userId),
    nodeId,
    name: spec.name,
    description: spec.description,
    egg: egg.id,
    memory: resources.memory,
    disk: resources.disk,
    cpu: resources.cpu,
    databases: resources.databases,
    allocations: resources.ports,
    backups: resources.backups,
    environment: JSON.stringify(spec.environment),
    configFiles: JSON.stringify(egg.configFiles ?? []),
    container: containerText(egg),
    installMs: now,
    installedMs: now + deps.installSeconds() * SECOND,
    fails: deps.fails?.(spec) ?? false,
    recipe,
  });
  if (id === null) return { outcome: 'conflict' };
  await fitPorts(repo, { id, nodeId, recipe }, { count: resources.ports, primary: null }, deps.runtime?.ports);
  const most = recipe === null ? null : (deps.rules?.memoryLimit() ?? null);
  // After its port was taken: who takes one waits for whoever took the last.
  if (most !== null && (await repo.onMachine()).reduce((sum, each) => sum + each.memory, 0) > most)
    throw new Refused('no_memory');
  const made = await rowOf(repo, await repo.server(id));
  return made ? { outcome: 'ok', value: made } : { outcome: 'unknown' };
}

/** The port never throws: a fault of the database is an answer that never came. */
async function guarded<T>(deps: EmbeddedDeps, work: () => Promise<PanelAnswer<T>>): Promise<PanelAnswer<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return { outcome: 'refused', reason: error.message };
    deps.log.error('panel.embedded_failed', { error: String(error) });
    return { outcome: 'unknown' };
  }
}

/** Many servers: what really runs is asked for once. */
async function views(deps: EmbeddedDeps, servers: readonly EmbeddedServer[]): Promise<PanelAnswer<PanelServer[]>> {
  const isReal = servers.some((server) => server.recipe !== null);
  const list: PanelAnswer<readonly RuntimeServer[]> = !isReal
    ? { outcome: 'ok', value: [] }
    : ((await deps.runtime?.calls.list()) ?? { outcome: 'unavailable' });
  if (list.outcome !== 'ok') return list;
  const byUuid = new Map(list.value.map((each) => [each.id, each]));
  const shown: PanelServer[] = [];
  for (const server of servers) {
    const found = byUuid.get(server.uuid);
    const answer: PanelAnswer<RuntimeServer | null> =
      server.recipe === null
        ? { outcome: 'ok', value: null }
        : found && found.revision >= server.revision
          ? { outcome: 'ok', value: found }
          : await running(deps, server);
    if (answer.outcome !== 'ok') return { outcome: 'unknown' };
    shown.push(view(deps, { server, ports: null }, answer.value));
  }
  return { outcome: 'ok', value: shown };
}

/** The calls that only read. */
function questions(
  deps: EmbeddedDeps,
): Pick<Panel, 'findServerByExternalId' | 'readServer' | 'newestServers' | 'listServers'> {
  const one = (find: (repo: EmbeddedPanelRepo) => Promise<EmbeddedServer | null>) =>
    guarded(deps, async () => answerOf(deps, await deps.store.read(async (repo) => rowOf(repo, await find(repo)))));
  return {
    findServerByExternalId: (externalId) => one((repo) => repo.serverByExternalId(externalId)),
    readServer: (panelId) => one((repo) => byId(repo, panelId)),
    newestServers: () => guarded(deps, async () => views(deps, await deps.store.read((repo) => repo.newest(PAGE)))),
    listServers: (page) =>
      guarded(deps, async () => {
        const rows = await deps.store.read((repo) => repo.servers((page - 1) * PAGE, PAGE + 1));
        const servers = await views(deps, rows.slice(0, PAGE));
        const next = rows.length > PAGE ? page + 1 : null;
        return servers.outcome === 'ok' ? { outcome: 'ok', value: { servers: servers.value, next } } : servers;
      }),
  };
}

/** Changes a server that is there in a transaction of the panel's own. */
function changed(
  deps: EmbeddedDeps,
  panelId: string,
  change: (repo: EmbeddedPanelRepo, server: EmbeddedServer) => Promise<EmbeddedChange>,
): Promise<PanelAnswer<PanelServer>> {
  return guarded<PanelServer>(deps, async () =>
    answerOf(
      deps,
      await deps.store.run(async (repo) => {
        const server = await byId(repo, panelId);
        if (!server) return null;
        await repo.change(server.id, await change(repo, server), deps.clock.now());
        return rowOf(repo, await repo.server(server.id));
      }),
    ),
  ).then((answer) => (answer.outcome === 'unavailable' ? { outcome: 'unknown' } : answer));
}
const silent = (answer: PanelAnswer<unknown>): PanelAnswer<null> =>
  answer.outcome === 'ok' ? { outcome: 'ok', value: null } : answer;

/** The calls that change limits, names, variables and owner of a server. */
function edits(deps: EmbeddedDeps): Pick<Panel, 'setBuild' | 'setDetails' | 'setStartup'> {
  return {
    setBuild: async (panelId, { resources, primaryPort = null }) => {
      const reason = refusal(resources);
      if (reason) return { outcome: 'refused', reason };
      const { memory, disk, cpu, ports, databases, backups } = resources;
      return changed(deps, panelId, async (repo, server) => {
        const primary = await fitPorts(repo, server, { count: ports, primary: primaryPort }, deps.runtime?.ports);
        const limits = { memory, disk, cpu, databases, backups, allocations: ports };
        return primary === null ? limits : { ...limits, primaryPort: primary };
      });
    },
    setDetails: async (panelId, { name, description, externalId, userId }) => {
      let taken = false;
      const answer = await changed(deps, panelId, async (repo, server) => {
        if (!(await repo.userExists(Number(userId)))) throw new Refused('user');
        const holder = await repo.serverByExternalId(externalId);
        taken = holder !== null && holder.id !== server.id;
        return taken ? {} : { name, description, externalId, userId: Number(userId) };
      });
      return taken ? { outcome: 'conflict' } : answer;
    },
    setStartup: (panelId, startup) =>
      changed(deps, panelId, async (_repo, server) => {
        // Files of one kind of server are nothing to another.
        if (server.recipe !== null && recipeOf(startup) !== server.recipe) throw new Refused('recipe');
        return {
          egg: startup.egg,
          environment: JSON.stringify(startup.environment),
          configFiles: JSON.stringify(startup.configFiles ?? []),
          container: containerText(startup),
        };
      }),
  };
}

/** The calls that take a server out of use, bring it back, reinstall it or delete it. */
function stateCalls(deps: EmbeddedDeps): Pick<Panel, 'suspend' | 'unsuspend' | 'reinstall' | 'deleteServer'> {
  return {
    suspend: async (panelId) => silent(await changed(deps, panelId, async () => ({ suspended: true }))),
    unsuspend: async (panelId) => silent(await changed(deps, panelId, async () => ({ suspended: false }))),
    // Like the real ones it forgets a suspension over this.
    reinstall: async (panelId) => {
      const now = deps.clock.now();
      return silent(
        await changed(deps, panelId, async (_repo, server) => ({
          suspended: false,
          // Names the installation, so a second one in the same millisecond is another.
          installMs: Math.max(now, server.installMs + 1),
          installedMs: now + deps.installSeconds() * SECOND,
        })),
      );
    },
    deleteServer: (panelId) =>
      guarded<null>(deps, async () => {
        const server = await deps.store.run(async (repo) => {
          const found = await byId(repo, panelId);
          // Nobody makes it anew at the runtime while it is being deleted there.
          if (found?.recipe != null) await repo.change(found.id, { deleting: true }, deps.clock.now());
          return found;
        });
        if (!server) return { outcome: 'not_found' };
        if (server.recipe !== null) {
          const gone = (await deps.runtime?.calls.remove(server.uuid)) ?? { outcome: 'unavailable' as const };
          if (gone.outcome !== 'ok') return gone;
        }
        return (await deps.store.run((repo) => repo.remove(server.id)))
          ? { outcome: 'ok', value: null }
          : { outcome: 'not_found' };
      }),
  };
}

/**
 * The embedded panel (behaviour 6.7): nodes, ports, accounts and servers in tables of their own, with installation
 * times and states by the clock, so that everything can be tried without a panel. Where there is a runtime, servers of
 * the kinds it knows really run on this machine; the others are imitated. Nodes are made on demand, one a location.
 */
export function createEmbeddedPanel(deps: EmbeddedDeps): Panel {
  const { runtime } = deps;
  return {
    driver: 'embedded',
    ...(runtime
      ? {
          runsHere: (egg: EggKind) => recipeOf(egg) !== null,
          refusal: (egg: EggKind, permissions: readonly string[]) => {
            const recipe = recipeOf(egg);
            return recipe === null ? null : (deps.rules?.refusal(recipe, permissions) ?? null);
          },
          acceptLicence: async (panelId: string) =>
            silent(
              await changed(deps, panelId, async (_repo, { licenceMs }) => ({
                licenceMs: licenceMs ?? deps.clock.now(),
              })),
            ),
          console: { read: runtime.calls.console, send: runtime.calls.command },
          files: runtime.calls.files,
          backups: runtime.calls.backups,
        }
      : {}),
    typicalInstallMs: () => (runtime ? null : deps.installSeconds() * SECOND),
    ensureUser: (user) =>
      guarded<string>(deps, () =>
        deps.store.run(async (repo) => {
          const id =
            (await repo.userByExternalId(user.externalId)) ?? (await repo.addUser({ ...user, atMs: deps.clock.now() }));
          return id === null ? { outcome: 'conflict' } : { outcome: 'ok', value: String(id) };
        }),
      ),
    updateUser: (panelUserId, { username, email }) =>
      guarded<null>(deps, () =>
        deps.store.run(async (repo) =>
          (await repo.changeUser(Number(panelUserId), { username, email }))
            ? { outcome: 'ok', value: null }
            : { outcome: 'not_found' },
        ),
      ),
    createServer: (spec) =>
      guarded<PanelServer>(deps, async () => {
        const made = await deps.store.run((repo) => make(deps, repo, spec));
        if (made.outcome !== 'ok') return made;
        const answer = await answerOf(deps, made.value);
        // It is there, whatever became of telling the runtime.
        return answer.outcome === 'ok' ? answer : { outcome: 'unknown' };
      }),
    ...questions(deps),
    addresses: async (panelId) => {
      const row = await deps.store.read(async (repo) => rowOf(repo, await byId(repo, panelId)));
      return row?.ports?.map((port) => `${hostOf(deps, row.server)}:${port}`) ?? [];
    },
    ...edits(deps),
    ...stateCalls(deps),
    // What is imitated has no identifier, and nothing to measure or to start.
    usage: async (identifier) =>
      runtime ? usageOf(await runtime.calls.read(identifier)) : { outcome: 'refused', reason: 'embedded' },
    power: async (identifier, signal) =>
      runtime ? runtime.calls.power(identifier, signal) : { outcome: 'refused', reason: 'embedded' },
    links: () => null,
  };
}
