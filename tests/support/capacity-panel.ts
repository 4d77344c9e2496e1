import type {
  Panel,
  PanelAllocation,
  PanelAnswer,
  PanelCatalogue,
  PanelEgg,
  PanelNode,
  PanelServerAllocation,
  PanelServer,
  PanelServerSpec,
  PanelUser,
} from '#server/modules/servers/index.ts';

interface Held {
  id: number;
  spec: PanelServerSpec;
  externalId: string | null;
  userId: string;
  name: string;
  description: string;
  resources: PanelServerSpec['resources'];
  environment: Readonly<Record<string, string>>;
  node: string;
  ports: string[];
  suspended: boolean;
  installedMs: number;
  reinstalls: number;
}
export interface NodeFacts {
  /** Panel location of each node and how many ports it has. */
  readonly nodes: readonly {
    readonly id: string;
    readonly location?: string | null;
    readonly tags?: readonly string[];
    readonly memory?: number;
    readonly disk?: number;
    readonly memoryOver?: number;
    readonly ports?: number;
    readonly maintenance?: boolean;
    readonly public?: boolean;
  }[];
}
const ok = <T>(value: T): PanelAnswer<T> => ({ outcome: 'ok', value });
const NONE = { outcome: 'not_found' } as const;
const refused = (reason: string) => ({ outcome: 'refused', reason }) as const;

/**
 * A real panel as the port shows it, in memory: nodes with ports, servers placed by us, sums over its servers. For
 * tests of placement and of several panels; what the wire does is tested elsewhere. Installations take 8 s of the given
 * clock.
 */
export function capacityPanel(clock: { now(): number }, facts: NodeFacts) {
  const users = new Map<string, PanelUser & { id: string }>();
  const servers = new Map<number, Held>();
  const taken = new Map<string, number>();
  const maintenance = new Set(facts.nodes.filter((node) => node.maintenance).map((node) => node.id));
  let nextServer = 1;
  let nextUser = 100;
  /** Makes a reading of the list no page longer than this. */
  let pageSize = 50;

  const allocationsOf = (node: string): PanelAllocation[] =>
    Array.from({ length: facts.nodes.find((each) => each.id === node)?.ports ?? 0 }, (_, at) => {
      const id = `${node}-${25_565 + at}`;
      return {
        id,
        node,
        ip: `10.0.0.${node.length}`,
        alias: `${node}.example.test`,
        port: 25_565 + at,
        assigned: taken.has(id),
      };
    });
  const portOf = (id: string): PanelServerAllocation => ({
    id,
    address: `${id.slice(0, id.lastIndexOf('-'))}.example.test:${id.slice(id.lastIndexOf('-') + 1)}`,
  });
  const view = (it: Held, ports: boolean): PanelServer => ({
    panelId: String(it.id),
    externalId: it.externalId,
    identifier: `id${it.id}`,
    userId: it.userId,
    node: it.node,
    egg: it.spec.egg.id,
    name: it.name,
    description: it.description,
    state: clock.now() < it.installedMs ? 'installing' : 'ready',
    suspended: it.suspended,
    resources: { ...it.resources, ports: it.ports.length },
    address: it.ports[0] ? portOf(it.ports[0]).address : null,
    allocations: ports ? it.ports.map(portOf) : null,
    usage: { databases: null, backups: null, disk: null },
  });
  const by = (panelId: string) => servers.get(Number(panelId));
  const change = (panelId: string, work: (it: Held) => PanelAnswer<null> | void): PanelAnswer<PanelServer> => {
    const it = by(panelId);
    if (!it) return NONE;
    const answer = work(it);
    return answer && answer.outcome !== 'ok' ? answer : ok(view(it, true));
  };
  const silent = (answer: PanelAnswer<unknown>): PanelAnswer<null> => (answer.outcome === 'ok' ? ok(null) : answer);
  const exists = (allocation: string) =>
    facts.nodes.some((node) => allocationsOf(node.id).some((each) => each.id === allocation));

  const panel: Panel = {
    driver: 'pterodactyl',
    typicalInstallMs: () => null,
    ensureUser: async (user) => {
      const found = [...users.values()].find((each) => each.externalId === user.externalId);
      if (found) return ok(found.id);
      if ([...users.values()].some((each) => each.email === user.email)) return refused('address_taken');
      nextUser += 1;
      users.set(String(nextUser), { ...user, id: String(nextUser) });
      return ok(String(nextUser));
    },
    updateUser: async (id, user) => {
      if (!users.has(id)) return NONE;
      users.set(id, { ...user, id });
      return ok(null);
    },
    createServer: async (spec) => {
      if (!spec.placement) return refused('place');
      if ([...servers.values()].some((each) => each.externalId === spec.externalId)) return { outcome: 'conflict' };
      if (!users.has(spec.userId)) return refused('user');
      const ports = [spec.placement.allocation, ...spec.placement.additional];
      if (ports.some((port) => taken.has(port) || !exists(port))) return refused('port_taken');
      const id = nextServer;
      nextServer += 1;
      const { externalId, userId, name, description, resources, environment, placement: place } = spec;
      servers.set(id, {
        id,
        spec,
        externalId,
        userId,
        name,
        description,
        resources,
        environment,
        node: place.node,
        ports,
        suspended: false,
        installedMs: clock.now() + 8000,
        reinstalls: 0,
      });
      for (const port of ports) taken.set(port, id);
      const made = servers.get(id);
      return made ? ok(view(made, true)) : NONE;
    },
    findServerByExternalId: async (externalId) => {
      const found = [...servers.values()].find((each) => each.externalId === externalId);
      return found ? ok(view(found, true)) : NONE;
    },
    readServer: async (panelId) => {
      const it = by(panelId);
      return it ? ok(view(it, true)) : NONE;
    },
    newestServers: async () =>
      ok(
        [...servers.values()]
          .toSorted((a, b) => b.id - a.id)
          .slice(0, pageSize)
          .map((each) => view(each, true)),
      ),
    listServers: async (page) => {
      const all = [...servers.values()].sort((a, b) => a.id - b.id);
      return ok({
        servers: all.slice((page - 1) * pageSize, page * pageSize).map((each) => view(each, true)),
        next: page * pageSize < all.length ? page + 1 : null,
      });
    },
    setBuild: async (panelId, build) =>
      change(panelId, (it) => {
        // A port in use is left out without a word, as real ones do.
        const add = build.addAllocations.filter((port) => !taken.has(port) && exists(port));
        for (const port of add) taken.set(port, it.id);
        for (const port of build.removeAllocations) if (it.ports.includes(port)) taken.delete(port);
        it.ports = [...it.ports.filter((port) => !build.removeAllocations.includes(port)), ...add];
        it.resources = build.resources;
      }),
    setDetails: async (panelId, { name, description, externalId, userId }) =>
      change(panelId, (it) => {
        if (!users.has(userId)) return refused('user');
        if ([...servers.values()].some((each) => each !== it && each.externalId === externalId))
          return { outcome: 'conflict' };
        Object.assign(it, { name, description, externalId, userId });
        return ok(null);
      }),
    setStartup: async (panelId, { environment }) => change(panelId, (it) => void (it.environment = environment)),
    suspend: async (panelId) => silent(change(panelId, (it) => void (it.suspended = true))),
    unsuspend: async (panelId) => silent(change(panelId, (it) => void (it.suspended = false))),
    reinstall: async (panelId) =>
      silent(
        change(
          panelId,
          (it) =>
            void Object.assign(it, {
              suspended: false,
              installedMs: clock.now() + 8000,
              reinstalls: it.reinstalls + 1,
            }),
        ),
      ),
    deleteServer: async (panelId) => {
      const it = by(panelId);
      if (!it) return NONE;
      servers.delete(it.id);
      for (const port of it.ports) taken.delete(port);
      return ok(null);
    },
    usage: async () => refused('no_client_key'),
    power: async () => refused('no_client_key'),
    links: (identifier) => ({
      server: `https://panel.example.test/server/${identifier}`,
      password: 'https://panel.example.test/auth/password',
    }),
  };

  const catalogue: PanelCatalogue = {
    check: async () => ({ outcome: 'unavailable' }),
    accounts: async () => ok([]),
    accountByEmail: async () => ok(null),
    bindAccount: async () => refused('id'),
    locations: async () => ok([]),
    nodes: async () =>
      ok(
        facts.nodes.map((node): PanelNode => {
          const here = [...servers.values()].filter((each) => each.node === node.id);
          const sum = (kind: 'memory' | 'disk') => here.reduce((total, each) => total + each.resources[kind], 0);
          return {
            id: node.id,
            name: node.id,
            fqdn: `${node.id}.example.test`,
            location: node.location === undefined ? '1' : node.location,
            tags: node.tags ?? [],
            public: node.public ?? true,
            maintenance: maintenance.has(node.id),
            memory: node.memory ?? 8192,
            disk: node.disk ?? 81_920,
            memoryOverallocate: node.memoryOver ?? 0,
            diskOverallocate: 0,
            memoryUsed: sum('memory'),
            diskUsed: sum('disk'),
          };
        }),
      ),
    allocations: async (node) => ok(allocationsOf(node)),
    eggs: async () => ok<PanelEgg[]>([]),
    health: () => ({
      circuit: 'closed',
      opensAgainMs: null,
      budget: { limit: 240, left: 240, resetsMs: 0 },
      lastAnswerMs: null,
      lastFailure: null,
    }),
  };

  return {
    panel,
    catalogue,
    users,
    servers,
    /** Who has which port; 0 is somebody else. */
    taken,
    maintenance,
    nodeIds: facts.nodes.map((node) => node.id),
    /** Somebody else takes a port at the panel. */
    occupy: (port: string) => void taken.set(port, 0),
    pages: (size: number) => {
      pageSize = size;
    },
  };
}
export type CapacityPanel = ReturnType<typeof capacityPanel>;
