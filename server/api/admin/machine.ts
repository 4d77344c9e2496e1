import type { Handlers } from '#server/http/implement.types.ts';
import type { Machine } from '#server/modules/machine/index.ts';
import type { adminMachine, MachineView } from '#shared/contract/machine.ts';

type Page = Awaited<ReturnType<Machine['view']>>;

function presentFacts({ uptimeMs, memory, disk, ...facts }: NonNullable<Page['machine']>): MachineView['machine'] {
  return { ...facts, uptime_ms: uptimeMs, memory: { ...memory }, disk: { ...disk } };
}

function presentPage(page: Page): MachineView {
  const { state, lacks, missing, machine, ports, sold, used, memoryShare, recipes, recipesOff, acceptedParts, engine } =
    page;
  return {
    state,
    lacks: [...lacks],
    missing: [...missing],
    machine: machine && presentFacts(machine),
    ports: { ...ports },
    sold,
    used,
    memory_share: memoryShare,
    recipes,
    engine,
    recipes_off: recipesOff,
    accepted_parts: acceptedParts,
    servers: page.servers.map(({ memoryLimit, diskLimit, ...server }) => ({
      ...server,
      memory_limit: memoryLimit,
      disk_limit: diskLimit,
    })),
  };
}

/** The page of this machine. */
export function machineHandlers({ machine }: { machine: Machine }): Handlers<typeof adminMachine> {
  return {
    get: async () => presentPage(await machine.view()),
    stop: (ctx) => machine.maintain(ctx, true),
    start: (ctx) => machine.maintain(ctx, false),
  };
}
