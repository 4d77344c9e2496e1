import type { Connection, Connector, PanelAddress } from '#server/modules/panels/index.ts';
import type {
  Panel,
  PanelAllocation,
  PanelAnswer,
  PanelCatalogue,
  PanelCheck,
  PanelEgg,
  PanelHealth,
  PanelNode,
  PanelAccountDetails,
  PanelRight,
} from '#server/modules/servers/index.ts';

type Refusal = Exclude<PanelAnswer<never>, { outcome: 'ok' }>;
type Part = 'people' | 'bind' | 'detect' | 'check' | 'locations' | 'nodes' | 'eggs' | `allocations:${string}`;

/** A panel's catalogue in memory, for tests of what is made of it: the test changes it and says which questions fail. */
export interface StandInPanel {
  dialect: 'pterodactyl' | 'pelican';
  key: string;
  locations: { id: string; name: string; description: string }[];
  nodes: PanelNode[];
  eggs: PanelEgg[];
  allocations: Record<string, PanelAllocation[]>;
  /** Accounts that others made. */
  people: PanelAccountDetails[];
  /** Accounts that were given our id: the account, our id, whether a password was set. */
  readonly bound: [account: string, externalId: string, password: boolean][];
  missing: { right: PanelRight; level: 'read' | 'write' }[];
  readonly faults: Map<Part, Refusal>;
  health: PanelHealth;
  /** Runs before each question; a test changes things under way with it. */
  before: (part: Part) => Promise<void> | void;
  /** Questions that were asked. */
  readonly asked: string[];
}

export const HEALTHY: PanelHealth = {
  circuit: 'closed',
  opensAgainMs: null,
  budget: { limit: 240, left: 231, resetsMs: 0 },
  lastAnswerMs: null,
  lastFailure: null,
};

export function aNode(id: string, more: Partial<PanelNode> = {}): PanelNode {
  return {
    id,
    name: `node-${id}`,
    fqdn: `node${id}.example.com`,
    location: '1',
    tags: [],
    public: true,
    maintenance: false,
    memory: 65_536,
    disk: 512_000,
    memoryOverallocate: 0,
    diskOverallocate: 0,
    memoryUsed: 12_288,
    diskUsed: 64_000,
    ...more,
  };
}
export function somePorts(node: string, from: number, count: number, assigned = 0): PanelAllocation[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `${node}${from + at}`,
    node,
    ip: '203.0.113.5',
    alias: null,
    port: from + at,
    assigned: at < assigned,
  }));
}
export function anEgg(id: string, name: string, more: Partial<PanelEgg> = {}): PanelEgg {
  return {
    id,
    nest: { id: '1', name: 'Minecraft' },
    uuid: `00000000-0000-4000-8000-${id.padStart(12, '0')}`,
    name,
    description: `${name} for players`,
    dockerImages: [
      { label: 'Java 21', image: 'ghcr.io/pterodactyl/yolks:java_21' },
      { label: 'Java 17', image: 'ghcr.io/pterodactyl/yolks:java_17' },
    ],
    startup: 'java -jar {{SERVER_JARFILE}}',
    variables: [
      {
        env: 'SERVER_JARFILE',
        name: 'Server file',
        description: '',
        defaultValue: 'server.jar',
        rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/',
        viewable: true,
        editable: true,
      },
      {
        env: 'BUILD_NUMBER',
        name: 'Build',
        description: '',
        defaultValue: 'latest',
        rules: 'required|string|max:20',
        viewable: true,
        editable: false,
      },
    ],
    ...more,
  };
}

/** A panel with a location, a node, ports and two eggs, unless told otherwise. */
export function standInPanel(more: Partial<StandInPanel> = {}): StandInPanel {
  return {
    dialect: 'pterodactyl',
    key: 'ptla_standin0000000000000000000000000000000000000',
    locations: [{ id: '1', name: 'de-fra', description: 'Frankfurt' }],
    nodes: [aNode('1')],
    allocations: { 1: somePorts('1', 25_565, 4, 1) },
    eggs: [anEgg('1', 'Paper'), anEgg('2', 'Forge')],
    people: [],
    bound: [],
    missing: [],
    faults: new Map(),
    health: HEALTHY,
    before: () => undefined,
    asked: [],
    ...more,
  };
}

const RIGHTS: PanelCheck['rights'] = (
  ['servers', 'users', 'nodes', 'allocations', 'locations', 'nests', 'eggs'] as const
).map((right) => ({
  right,
  level: right === 'servers' || right === 'users' ? 'write' : 'read',
  granted: true,
}));

/** The way to panels in memory, by their origins; an address without one is a machine that does not answer. */
export function standInConnector(
  panels: Readonly<Record<string, StandInPanel>>,
): Connector & { readonly connected: PanelAddress[] } {
  const connected: PanelAddress[] = [];
  const silent = { outcome: 'unavailable' } as const;
  async function ask<T>(
    url: string,
    key: string,
    part: Part,
    value: (panel: StandInPanel) => T,
  ): Promise<PanelAnswer<T>> {
    const panel = panels[url];
    if (!panel) return silent;
    panel.asked.push(part);
    await panel.before(part);
    if (panel.key !== key) return { outcome: 'refused', reason: 'key' };
    return panel.faults.get(part) ?? { outcome: 'ok', value: value(panel) };
  }
  const connect = (address: PanelAddress): Connection => {
    connected.push(address);
    const { url, key, clientKey, dialect } = address;
    const catalogue: PanelCatalogue = {
      check: () =>
        ask(url, key, 'check', ({ missing }) => ({
          dialect,
          rights: RIGHTS.map((each) => ({
            ...each,
            granted: !missing.some(({ right, level }) => right === each.right && level === each.level),
          })),
          clientKey:
            clientKey === null
              ? ('absent' as const)
              : clientKey.startsWith('ptlc_bad')
                ? ('refused' as const)
                : ('ok' as const),
        })),
      locations: () => ask(url, key, 'locations', ({ locations }) => [...locations]),
      nodes: () => ask(url, key, 'nodes', ({ nodes }) => [...nodes]),
      eggs: () => ask(url, key, 'eggs', ({ eggs }) => [...eggs]),
      allocations: (node) => ask(url, key, `allocations:${node}`, ({ allocations }) => allocations[node] ?? []),
      accounts: () => ask(url, key, 'people', ({ people }) => [...people]),
      accountByEmail: (email) =>
        ask(
          url,
          key,
          'people',
          ({ people }) => people.find((each) => each.email.toLowerCase() === email.toLowerCase()) ?? null,
        ),
      async bindAccount(id, user, password) {
        const asked = await ask(url, key, 'bind', (panel) => {
          panel.people = panel.people.map((each) => (each.id === id ? { ...each, externalId: user.externalId } : each));
          panel.bound.push([id, user.externalId, password !== null]);
          return null;
        });
        return asked;
      },
      health: () => panels[url]?.health ?? { ...HEALTHY, lastFailure: 'refused' },
    };
    return { catalogue, panel: serverless(dialect) };
  };
  return {
    connected,
    connect,
    async detect({ url, key }) {
      const answer = await ask(url, key, 'detect', ({ dialect }) => dialect);
      return { answer, failure: answer.outcome === 'ok' ? null : panels[url] ? 'timeout' : 'refused' };
    },
  };
}

/** The servers' side, which these tests do not ask. */
function serverless(driver: Panel['driver']): Panel {
  const none = (): Promise<Refusal> => Promise.resolve({ outcome: 'unavailable' });
  return {
    driver,
    typicalInstallMs: () => null,
    ensureUser: none,
    updateUser: none,
    createServer: none,
    findServerByExternalId: none,
    readServer: none,
    newestServers: none,
    listServers: none,
    setBuild: none,
    setDetails: none,
    setStartup: none,
    suspend: none,
    unsuspend: none,
    reinstall: none,
    deleteServer: none,
    usage: none,
    power: none,
    links: () => null,
  };
}
