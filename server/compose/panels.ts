import type { Database } from '../data/open.ts';
import { createPanelRepo } from '../data/repos/embedded-panel.ts';
import type { Config } from '../env.ts';
import type { OutsideClocks } from '../health/outside-clocks.ts';
import type { Bus, Clock, Ids, Log, Sealer } from '../modules/kernel.ts';
import {
  createConnectionRegistry,
  createPanels,
  panelJobs,
  panelTasks,
  type Connector,
} from '../modules/panels/index.ts';
import { createMachine, type Machine } from '../modules/machine/index.ts';
import type { Panel } from '../modules/servers/index.ts';
import { probeMachine } from '../node/probe.ts';
import type { Settings } from '../modules/settings/index.ts';
import type { UnitOfWork } from '../modules/tx.ts';
import type { Outbound } from '../outbound.ts';
import {
  createEmbeddedPanel,
  createHttpPanel,
  createPanelBudgets,
  createRedisBucket,
  detectDialect,
  machineTimer,
  RECIPE_IDS,
  type HttpPanelDeps,
  type MachineRuntime,
  type PanelTimer,
} from '../panel/index.ts';
import { createKindOfHost, createPanelFetch } from '../panel-hosts.ts';
import type { RedisLink } from '../redis/connection.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly bus: Bus;
  readonly sealer: Sealer;
  readonly config: Partial<Pick<Config, 'panelDriver' | 'firstPanel'>>;
  /** What several processes share the budgets through; null: they do not. */
  readonly redis: RedisLink | null;
  readonly database: Pick<Database, 'write' | 'read'>;
  readonly outsideClocks: Pick<OutsideClocks, 'watch'>;
  readonly settings: Pick<Settings, 'current'>;
  /** What runs servers on this machine; absent: they are imitated. */
  readonly machine?: MachineRuntime;
  /** The panel inside the product; the embedded one when absent, where the installation has one. */
  readonly panel?: Panel;
  readonly mailing: Parameters<typeof createPanels>[0]['mailing'];
  readonly panelsOutside?: PanelsOutside | undefined;
}
/** Parts of the way to panels over HTTP that tests replace. */
export interface PanelsOutside {
  readonly fetch?: Outbound;
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly timer?: PanelTimer;
  readonly connector?: Connector;
}

/**
 * Game panels over HTTP (behaviour 6.7): the registry of all panels, and the admin's side of them. One budget a panel
 * address, shared by all its connections.
 */
export async function composePanels(deps: Deps) {
  const { config, clock, log, panelsOutside: outside = {} } = deps;
  const machine = composeMachine(deps);
  const embedded = deps.panel ?? embeddedPanel(deps, machine);
  const kindOfHost = createKindOfHost(outside.resolve);
  const timer = outside.timer ?? machineTimer;
  const budgets = createPanelBudgets({ clock, timer, log, shared: deps.redis && createRedisBucket(deps.redis) });
  const connector =
    outside.connector ??
    httpConnector({
      fetch: deps.outsideClocks.watch(createPanelFetch(outside.resolve, outside.fetch)),
      clock,
      timer,
      random: Math.random,
      log,
      budgets,
    });
  const registry = createConnectionRegistry({
    ...deps,
    connector,
    embedded: embedded && { name: 'embedded', panel: embedded },
  });
  const panels = createPanels({
    ...deps,
    registry,
    connector,
    kindOfHost,
    recipes: RECIPE_IDS,
    parseYaml: (text) => Bun.YAML.parse(text),
    runsImages: () => machine.runsRecipe('container'),
  });
  await registry.load();
  return {
    registry,
    panels,
    jobs: panelJobs(panels),
    tasks: [...panelTasks(panels), ...machine.tasks],
    machine,
    /**
     * Adds the panel that the environment names, when the product starts serving. One that does not answer is no reason
     * not to start.
     */
    async addConfiguredPanel(): Promise<void> {
      const { firstPanel: first, panelDriver: dialect } = config;
      if (!first || dialect === undefined || dialect === 'embedded') return;
      await panels
        .addFirst({ dialect, ...first })
        .catch((error: unknown) => log.error('panels.first_failed', { url: first.url, error: String(error) }));
    },
  };
}

/** The panel inside the product; null where the installation has none. */
function embeddedPanel({ config, database, clock, ids, log, settings, machine }: Deps, rules: Machine): Panel | null {
  if ((config.panelDriver ?? 'embedded') !== 'embedded') return null;
  return createEmbeddedPanel({
    clock,
    ids,
    log,
    runtime: machine,
    rules,
    installSeconds: () => settings.current().embedded_install_seconds,
    store: {
      run: (work) => database.write(({ db }) => work(createPanelRepo(db))),
      read: (work) => database.read(({ db }) => work(createPanelRepo(db))),
    },
  });
}

/** The machine that runs servers of the panel inside. */
function composeMachine({ uow, clock, ids, settings, machine, database }: Deps): Machine {
  return createMachine({
    uow,
    clock,
    ids,
    settings,
    node: machine?.calls ?? null,
    ports: machine?.ports ?? { first: 0, last: 0 },
    recipes: RECIPE_IDS,
    probe: probeMachine,
    sold: () =>
      database.read(async ({ db }) =>
        (await createPanelRepo(db).onMachine()).map(({ uuid, externalId: id, name, allocations: ports, ...rest }) => ({
          uuid,
          id,
          name,
          ports,
          memory: rest.memory,
          disk: rest.disk,
          cpu: rest.cpu,
          port: rest.port,
        })),
      ),
  });
}

/** The adapters as the module's port has them. */
function httpConnector(deps: HttpPanelDeps): Connector {
  return {
    connect: ({ id, dialect, url, publicUrl, key, clientKey }) =>
      createHttpPanel(deps, { id: id ?? 'candidate', dialect, url, publicUrl, key, clientKey }),
    detect: (address) => detectDialect(deps, address),
  };
}
