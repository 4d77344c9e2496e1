import type { Panel } from '#server/modules/servers/index.ts';
import { DomainError } from '#shared/errors.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { Engine } from '#tests/support/db.ts';
import { drawAction, type Action } from './commands.ts';
import { faultsOf } from './proof.ts';
import { createWeather } from './weather.ts';
import { openWorld, type World } from './world.ts';

export interface Plan {
  readonly seed: number;
  readonly commands: number;
  readonly users: number;
  readonly engine?: Engine;
  /** Makes the product's panels worse than they are. */
  readonly spoil?: (panel: Panel) => Panel;
}
export interface Report {
  /** How often each command was done, and refused. */
  readonly tally: ReadonlyMap<string, { done: number; refused: number }>;
  readonly weather: ReadonlyMap<string, number>;
  readonly deaths: number;
  /** Servers by state, in the end. */
  readonly servers: Readonly<Record<string, number>>;
  readonly calls: number;
  /** What does not hold, with all that is needed to see it again. Empty: all is well. */
  readonly faults: readonly string[];
}
/** Commands that are sent at once, at most. */
const AT_ONCE = 12;
/** Boundaries before a death, at most. */
const MORTALITY = 150;
/** How long the product may take to mend everything, once nobody disturbs it. */
const HEALING_MS = 12 * HOUR;
/**
 * From one look at the panels to the next: longer than the longest pause of what repairs (syncPauseMs), and not a whole
 * number of their turns, so that both are of another moment.
 */
const REPAIR_MS = 23 * MINUTE;

/** Sends a command, again where its process died, and writes down what became of it. */
async function perform(
  world: World,
  action: Action,
  tally: Map<string, { done: number; refused: number }>,
): Promise<void> {
  const count = tally.get(action.name) ?? { done: 0, refused: 0 };
  tally.set(action.name, count);
  for (;;) {
    const end = await world.during(({ servers }) =>
      action.run(servers).then(
        () => 'done' as const,
        (error: unknown) => (error instanceof DomainError ? ('refused' as const) : Promise.reject(error as Error)),
      ),
    );
    if (end === 'died') continue;
    count[end] += 1;
    if (end === 'done') action.done?.();
    return;
  }
}

/**
 * Mostly some seconds, at times an hour or three: long enough for what was reserved to run out and for installations to
 * be forgotten.
 */
function pauseOf({ random }: World): number {
  const kind = random.int(100);
  if (kind < 70) return (1 + random.int(30)) * SECOND;
  return kind < 97 ? (1 + random.int(10)) * MINUTE : (1 + random.int(3)) * HOUR;
}

/**
 * Plays commands by many users against two panels in bad weather, with a product that is killed now and then; then lets
 * it heal, and looks.
 */
export async function simulate(
  { seed, commands, users, engine = 'sqlite', spoil = (panel) => panel }: Plan,
  tell: (done: number, world: World) => void = () => {},
): Promise<Report> {
  const world = await openWorld({ engine, seed, users, spoil });
  const { random } = world;
  try {
    const weather = createWeather(world);
    const tally = new Map<string, { done: number; refused: number }>();
    for (let done = 0; done < commands;) {
      await weather.turn();
      const size = Math.min(1 + random.int(AT_ONCE), commands - done);
      const actions: Action[] = [];
      for (let at = 0; at < size; at += 1) actions.push(await drawAction(world, `${seed}-${done + at}`));
      if (random.chance(0.15)) world.life().process.dieIn(1 + random.int(MORTALITY));
      await Promise.all([...actions.map((action) => perform(world, action, tally)), world.during((now) => now.jobs())]);
      await world.pass(pauseOf(world), () => weather.turn());
      done += size;
      tell(done, world);
    }
    await weather.clear();
    world.life().process.dieIn(Infinity);
    await world.pass(HEALING_MS);
    for (const { id, nodes } of world.sites)
      for (const node of nodes) await world.life().servers.refreshCapacity(id, String(node));
    // What a look finds is being repaired when the next one comes; what that one still finds stays.
    await world.life().servers.reconcile();
    await world.pass(REPAIR_MS);
    await world.life().servers.reconcile();
    const faults = await faultsOf(world);
    const states = await world.db.sql<{ state: string; n: number }>(
      'SELECT state, COUNT(*) AS n FROM servers GROUP BY state',
    );
    return {
      tally,
      weather: weather.seen(),
      deaths: world.deaths(),
      faults,
      servers: Object.fromEntries(states.map(({ state, n }) => [state, n])),
      calls: world.sites.reduce((sum, { fake }) => sum + fake.calls.length, 0),
    };
  } finally {
    await world.close();
  }
}
