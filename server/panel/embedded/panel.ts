import type { EmbeddedChange, EmbeddedPanelRepo, EmbeddedServer } from '#server/modules/servers/panel/index.ts';
import type {
  Panel,
  PanelAnswer,
  PanelServerAllocation,
  PanelServer,
  PanelServerSpec,
  ServerResources,
} from '#server/modules/servers/panel/ports.ts';
import type { Clock, Ids, Log } from '#server/modules/kernel.ts';
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

/** A server as the port shows it; its state follows from the clock. */
function view(server: EmbeddedServer, nowMs: number, ports: readonly PanelServerAllocation[] | null): PanelServer {
  const { memory, disk, cpu, databases, backups } = server;
  return {
    panelId: String(server.id),
    externalId: server.externalId,
    identifier: null,
    userId: String(server.userId),
    node: String(server.nodeId),
    egg: server.egg,
    name: server.name,
    description: server.description,
    state: nowMs < server.installedMs ? 'installing' : server.fails ? 'install_failed' : 'ready',
    suspended: server.suspended,
    resources: { memory, disk, cpu, ports: server.allocations, databases, backups },
    address: server.port === null ? null : `${server.fqdn}:${server.port}`,
    allocations: ports,
    // Nothing runs here, so nothing of it can be in use.
    usage: { databases: null, backups: null, disk: null },
  };
}
async function answerOf(
  repo: EmbeddedPanelRepo,
  server: EmbeddedServer | null,
  nowMs: number,
): Promise<PanelAnswer<PanelServer>> {
  if (!server) return { outcome: 'not_found' };
  const ports = (await repo.ports(server.id)).map((port) => ({ id: String(port), address: `${server.fqdn}:${port}` }));
  return { outcome: 'ok', value: view(server, nowMs, ports) };
}
function byId(repo: EmbeddedPanelRepo, panelId: string): Promise<EmbeddedServer | null> {
  return /^\d{1,15}$/.test(panelId) ? repo.server(Number(panelId)) : Promise.resolve(null);
}

/** Brings the ports of a server to their number: the first one stays, the last ones go. */
async function fitPorts(
  repo: EmbeddedPanelRepo,
  server: { id: number; nodeId: number },
  wanted: number,
): Promise<void> {
  const has = await repo.ports(server.id);
  for (const port of has.slice(wanted)) await repo.freePort(server.nodeId, port);
  for (let count = has.length; count < wanted; count += 1) {
    if ((await repo.takePort(server.nodeId, server.id, FIRST_PORT)) === null) throw new Refused('no_port');
  }
}

/** Makes a server with its node and ports, or says why not. */
async function make(
  deps: EmbeddedDeps,
  repo: EmbeddedPanelRepo,
  spec: PanelServerSpec,
): Promise<PanelAnswer<PanelServer>> {
  const now = deps.clock.now();
  const { resources, location, egg } = spec;
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
    installMs: now,
    installedMs: now + deps.installSeconds() * SECOND,
    fails: deps.fails?.(spec) ?? false,
  });
  if (id === null) return { outcome: 'conflict' };
  await fitPorts(repo, { id, nodeId }, resources.ports);
  return answerOf(repo, await repo.server(id), now);
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

/** The calls that only read. */
function questions(
  deps: EmbeddedDeps,
): Pick<Panel, 'findServerByExternalId' | 'readServer' | 'newestServers' | 'listServers'> {
  const ask = <T>(work: (repo: EmbeddedPanelRepo, nowMs: number) => Promise<PanelAnswer<T>>) =>
    guarded(deps, () => deps.store.read((repo) => work(repo, deps.clock.now())));
  return {
    findServerByExternalId: (externalId) =>
      ask(async (repo, now) => answerOf(repo, await repo.serverByExternalId(externalId), now)),
    readServer: (panelId) => ask(async (repo, now) => answerOf(repo, await byId(repo, panelId), now)),
    newestServers: () =>
      ask(async (repo, now) => ({
        outcome: 'ok',
        value: (await repo.newest(PAGE)).map((row) => view(row, now, null)),
      })),
    listServers: (page) =>
      ask(async (repo, now) => {
        const rows = await repo.servers((page - 1) * PAGE, PAGE + 1);
        const servers = rows.slice(0, PAGE).map((row) => view(row, now, null));
        return { outcome: 'ok', value: { servers, next: rows.length > PAGE ? page + 1 : null } };
      }),
  };
}

/** Changes a server that is there in a transaction of the panel's own. */
function changed(
  deps: EmbeddedDeps,
  panelId: string,
  change: (repo: EmbeddedPanelRepo, server: EmbeddedServer) => Promise<EmbeddedChange>,
): Promise<PanelAnswer<PanelServer>> {
  return guarded<PanelServer>(deps, () =>
    deps.store.run(async (repo) => {
      const server = await byId(repo, panelId);
      if (!server) return { outcome: 'not_found' };
      await repo.change(server.id, await change(repo, server), deps.clock.now());
      return answerOf(repo, await repo.server(server.id), deps.clock.now());
    }),
  );
}
const silent = (answer: PanelAnswer<unknown>): PanelAnswer<null> =>
  answer.outcome === 'ok' ? { outcome: 'ok', value: null } : answer;

/** The calls that change limits, names, variables and owner of a server. */
function edits(deps: EmbeddedDeps): Pick<Panel, 'setBuild' | 'setDetails' | 'setStartup'> {
  return {
    setBuild: async (panelId, { resources }) => {
      const reason = refusal(resources);
      if (reason) return { outcome: 'refused', reason };
      const { memory, disk, cpu, ports, databases, backups } = resources;
      return changed(deps, panelId, async (repo, server) => {
        await fitPorts(repo, server, ports);
        return { memory, disk, cpu, databases, backups, allocations: ports };
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
      changed(deps, panelId, async () => ({ egg: startup.egg, environment: JSON.stringify(startup.environment) })),
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
        await changed(deps, panelId, async () => ({
          suspended: false,
          installMs: now,
          installedMs: now + deps.installSeconds() * SECOND,
        })),
      );
    },
    deleteServer: (panelId) =>
      guarded(deps, () =>
        deps.store.run(async (repo) => {
          const server = await byId(repo, panelId);
          return server && (await repo.remove(server.id)) ? { outcome: 'ok', value: null } : { outcome: 'not_found' };
        }),
      ),
  };
}

/**
 * The embedded panel (behaviour 6.7): nodes, ports, accounts and servers in tables of their own, with installation
 * times and states by the clock, so that everything can be tried without a panel. No game process runs. Nodes are made
 * on demand, one for each location.
 */
export function createEmbeddedPanel(deps: EmbeddedDeps): Panel {
  return {
    driver: 'embedded',
    typicalInstallMs: () => deps.installSeconds() * SECOND,
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
    createServer: (spec) => guarded(deps, () => deps.store.run((repo) => make(deps, repo, spec))),
    ...questions(deps),
    ...edits(deps),
    ...stateCalls(deps),
    // No game process runs here, so there is nothing to measure or to start.
    usage: () => Promise.resolve({ outcome: 'refused', reason: 'embedded' }),
    power: () => Promise.resolve({ outcome: 'refused', reason: 'embedded' }),
    links: () => null,
  };
}
