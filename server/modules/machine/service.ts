import { isStaff } from '#shared/can.ts';
import { DomainError } from '#shared/errors.ts';
import { gradeOf, MACHINE_PARTS, openParts } from '#shared/machine.ts';
import type { SettingValues } from '#shared/settings.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import type { MachineFacts, MachineNode, MachineProbe, MachineServer, SoldServer } from './ports.ts';
import { createUsageRecorder, MEASURE_MS } from './usage.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: { current(): SettingValues };
  /** The node; null where servers are imitated, or other panels run them. */
  readonly node: MachineNode | null;
  /** Ports that servers get, both ends among them. */
  readonly ports: { readonly first: number; readonly last: number };
  /** Kinds of servers that can run here. */
  readonly recipes: readonly string[];
  readonly sold: () => Promise<readonly SoldServer[]>;
  /** Finds out what this machine lacks to run servers; asked only where none run. */
  readonly probe: () => MachineProbe;
}
export type Machine = ReturnType<typeof createMachine>;

const MB = 1_048_576;
/** Servers on the page: those that use most. */
const SHOWN = 100;

/** The machine that runs servers of the built-in panel: what it is fit for, what is sold of it, and its maintenance. */
export function createMachine(deps: Deps) {
  const { uow, clock, ids, settings, node } = deps;
  /** What the node said last; null before it has. */
  let last: MachineFacts | null = null;

  const words = (text: string) => text.split(' ').filter(Boolean);
  async function refreshFacts(): Promise<MachineFacts | null> {
    const answer = await node?.machine(settings.current().machine_disk_reserve * MB);
    if (answer?.outcome !== 'ok') return null;
    last = answer.value;
    return last;
  }

  /** What a server of a kind is refused for; null where it may be made. In: the kind, and the owner's permissions. */
  function refusal(recipe: string, permissions: readonly string[]): 'EGG_UNAVAILABLE' | 'MACHINE_CLOSED' | null {
    if (!last) return null;
    const { machine_recipes_off: off, machine_accepted_parts: accepted } = settings.current();
    if (words(off).includes(recipe) || last.lacking.some((each) => each.recipe === recipe)) return 'EGG_UNAVAILABLE';
    // Staff are no strangers: they could do worse without a server.
    return !isStaff(permissions) && openParts(last.parts, accepted).length > 0 ? 'MACHINE_CLOSED' : null;
  }

  /** Whether servers of a kind can run here, as far as is known. */
  const runsRecipe = (recipe: string): boolean =>
    last !== null &&
    !last.lacking.some((each) => each.recipe === recipe) &&
    !words(settings.current().machine_recipes_off).includes(recipe);

  /** MB of memory that may be sold; null while it is not known. */
  const memoryLimit = (): number | null =>
    last && Math.floor(((last.memory.total / MB) * settings.current().machine_memory_share) / 100);

  async function maintain(ctx: SignedIn, isOn: boolean): Promise<void> {
    assertMay(ctx, 'admin.settings.edit');
    const answer = await node?.maintain(isOn);
    if (answer?.outcome !== 'ok') throw new DomainError('MACHINE_UNREACHABLE');
    await uow.run((tx) =>
      writeAudit(tx, { clock, ids }, ctx, {
        action: isOn ? 'machine.stop' : 'machine.start',
      }),
    );
  }

  const tasks = [
    { name: 'machine.inspect', everyMs: MINUTE, run: async () => void (await refreshFacts()) },
    { name: 'machine.usage', everyMs: MEASURE_MS, run: createUsageRecorder(deps) },
  ];
  return {
    refusal,
    runsRecipe,
    memoryLimit,
    tasks,
    refreshFacts,
    maintain,
    /** Everything that the page shows, as it is now. */
    async view() {
      const facts = await refreshFacts();
      const [sold, running] = await Promise.all([deps.sold(), facts ? node?.list() : undefined]);
      const list = running?.outcome === 'ok' ? running.value : [];
      const current = settings.current();
      return {
        state: !node ? ('simulated' as const) : facts ? ('running' as const) : ('absent' as const),
        ...(node ? { lacks: [], missing: [] } : deps.probe()),
        machine: facts && machineView(facts, current.machine_accepted_parts),
        ports: deps.ports,
        sold: { ...sumOf(sold), servers: sold.length },
        used: {
          memory: sum(list, 'memory'),
          disk: sum(list, 'disk'),
          cpu: Math.round(sum(list, 'cpu')),
          running: list.filter(({ state }) => state === 'running').length,
        },
        memoryShare: current.machine_memory_share,
        recipes: deps.recipes.map((id) => {
          const lack = facts?.lacking.find(({ recipe }) => recipe === id);
          return {
            id,
            on: !words(current.machine_recipes_off).includes(id),
            lacking: lack !== undefined,
            needs: lack?.needs ?? null,
          };
        }),
        engine: facts?.engine ?? null,
        recipesOff: current.machine_recipes_off,
        acceptedParts: current.machine_accepted_parts,
        servers: serversView(sold, list),
      };
    },
  };
}

const sum = (list: readonly MachineServer[], key: 'memory' | 'disk' | 'cpu') =>
  list.reduce((total, each) => total + each[key], 0);
const sumOf = (sold: readonly SoldServer[]) => ({
  memory: sold.reduce((total, each) => total + each.memory, 0),
  disk: sold.reduce((total, each) => total + each.disk, 0),
  cpu: sold.reduce((total, each) => total + each.cpu, 0),
  ports: sold.reduce((total, each) => total + each.ports, 0),
});

function machineView(facts: MachineFacts, accepted: string) {
  const open = openParts(facts.parts, accepted);
  return {
    grade: gradeOf(facts.parts),
    parts: MACHINE_PARTS.map((part) => ({
      part,
      state: facts.parts[part],
      accepted: facts.parts[part] !== 'enforced' && !open.includes(part),
    })),
    open: open.length > 0,
    groups: facts.groups,
    system: facts.system,
    kernel: facts.kernel,
    processor: facts.processor,
    cores: facts.cores,
    uptimeMs: facts.uptimeMs,
    memory: facts.memory,
    disk: facts.disk,
    folder: facts.folder,
    maintenance: facts.maintenance,
    reserve: facts.reserve,
  };
}

/** The servers of the machine, those first that use most memory. */
function serversView(sold: readonly SoldServer[], list: readonly MachineServer[]) {
  const found = new Map(list.map((each) => [each.id, each]));
  return sold
    .map((each) => ({ each, is: found.get(each.uuid) }))
    .sort((a, b) => (b.is?.memory ?? 0) - (a.is?.memory ?? 0) || a.each.name.localeCompare(b.each.name))
    .slice(0, SHOWN)
    .map(({ each: { id, name, memory, disk, port }, is }) => ({
      id,
      name,
      state: is?.state ?? null,
      halt: is?.halt?.reason ?? null,
      cpu: is?.cpu ?? 0,
      memory: is?.memory ?? 0,
      memoryLimit: memory,
      disk: is?.disk ?? 0,
      diskLimit: disk,
      port,
    }));
}
