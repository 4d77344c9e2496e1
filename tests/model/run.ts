import { RESOURCE_KINDS, type Resources } from '#shared/constants.ts';
import { DomainError } from '#shared/errors.ts';
import { Crash } from '#tests/support/crash.ts';
import type { Engine } from '#tests/support/db.ts';
import { seeded, type Random } from '#tests/support/random.ts';
import type { Fate } from './breaking.ts';
import type { Command, Action, Step, Story } from './command.ts';
import { GUILDS } from './commands/joining.ts';
import { compareAll, compareTouched } from './compare.ts';
import { plainModel, TERMS } from './plain.ts';
import { openWorld, type World } from './world.ts';

/**
 * Statements after which a command is broken off, at most: for commands of every length, up to more than the longest
 * makes.
 */
const LENGTHS = [4, 12, 40];
/** After so many steps everything is compared and the ledger proves itself. */
const PROVE_EVERY = 1000;
const PLAYERS = 4;

export interface Tally {
  /** How often each command went well, was refused, or broke off. */
  readonly [command: string]: { done: number; refused: number; broken: number };
}
export interface Outcome {
  readonly steps: readonly Step[];
  /** What the two sides disagreed about, at the last of the steps; null where they agree to the end. */
  readonly fault: string | null;
  readonly tally: Tally;
}

/** Runs some operations, drawn by a seed, on a fresh product and a fresh model. */
export async function runStory(
  engine: Engine,
  commands: readonly Command[],
  seed: number,
  operations: number,
): Promise<Outcome> {
  const random = seeded(seed);
  let count = 0;
  return play(engine, commands, (story) => {
    if (count >= operations) return [];
    const batch = drawBatch(
      commands,
      story,
      random,
      count + 1,
      Math.min(operations - count, random.chance(0.12) ? 2 + random.int(5) : 1),
    );
    count += batch.length;
    return batch;
  });
}

/** Runs a list of steps on a fresh product and a fresh model. */
export function replay(engine: Engine, commands: readonly Command[], steps: readonly Step[]): Promise<Outcome> {
  let at = 0;
  return play(engine, commands, () => {
    const from = at;
    while (at < steps.length && steps[at]?.batch === steps[from]?.batch) at += 1;
    return steps.slice(from, at);
  });
}

function drawBatch(
  commands: readonly Command[],
  { plain }: Story,
  random: Random,
  first: number,
  size: number,
): Step[] {
  const fitting = size === 1 ? commands : commands.filter(({ together }) => together);
  const total = fitting.reduce((sum, { weight }) => sum + weight, 0);
  const steps: Step[] = [];
  while (steps.length < size) {
    let ticket = (random.int(1_000_000) / 1_000_000) * total;
    const drawn = fitting.find(({ weight }) => (ticket -= weight) < 0);
    const args = drawn?.draw(plain, random);
    if (!drawn || !args) continue;
    const crash = drawn.never !== 'broken' && random.chance(0.3) ? 1 + random.int(random.pick(LENGTHS)) : null;
    steps.push({ step: first + steps.length, command: drawn.name, args, batch: first, crash });
  }
  return steps;
}

async function play(
  engine: Engine,
  commands: readonly Command[],
  next: (story: Story) => readonly Step[],
): Promise<Outcome> {
  const world = await openWorld(engine);
  const story: Story = { world, plain: plainModel(world.clock.now()), names: new Map(), answers: new Map() };
  const byName = new Map(commands.map((each) => [each.name, each]));
  const steps: Step[] = [];
  const tally: Record<string, { done: number; refused: number; broken: number }> = {};
  const find = (name: string): Command => {
    const found = byName.get(name);
    if (!found) throw new Error(`no command ${name}`);
    tally[name] ??= { done: 0, refused: 0, broken: 0 };
    return found;
  };
  try {
    await begin(story);
    for (let batch = next(story); batch.length > 0; batch = next(story)) {
      const before = steps.length;
      steps.push(...batch);
      const fault = await act(
        story,
        batch,
        (step) => find(step.command),
        (step, how) => void ((tally[step.command] ?? { [how]: 0 })[how] += 1),
      );
      if (fault !== null) return { steps, fault, tally };
      if (Math.floor(before / PROVE_EVERY) === Math.floor(steps.length / PROVE_EVERY)) continue;
      const faults = await compareAll(story);
      if (faults !== null) return { steps, fault: faults, tally };
    }
    return { steps, fault: await compareAll(story), tally };
  } finally {
    await world.close();
  }
}

async function begin({ world, plain, names }: Story): Promise<void> {
  for (const item of await world.services.uow.read((tx) => tx.store.items())) names.set(`item:${item.kind}`, item.id);
  for (const [guild, credits] of GUILDS.entries()) names.set(`guild:${guild}`, await world.addGuild(guild, credits));
  for (let index = 0; index < PLAYERS; index += 1) {
    const { userId } = await world.addPlayer();
    const [limits, used] = await world.services.uow.read(
      async (tx) => [await tx.limits.of(userId), await tx.limits.used(userId)] as const,
    );
    plain.addUser(pickKinds(limits), pickKinds(used), plain.now() + TERMS.days * 86_400_000);
  }
}

function pickKinds(from: Resources): Resources {
  return Object.fromEntries(RESOURCE_KINDS.map((kind) => [kind, from[kind]])) as Resources;
}

type Doing = { readonly step: Step; readonly action: Action };
type End = { readonly code: string | null; readonly answer: unknown; readonly fate: Fate };

/** Does a batch to both sides and compares what it touched. Gives the difference, or null. */
async function act(
  story: Story,
  batch: readonly Step[],
  find: (step: Step) => Command,
  tell: (step: Step, how: 'done' | 'refused' | 'broken') => void,
): Promise<string | null> {
  const actions = batch.flatMap((step) => {
    const action = find(step).bind(story, step.args, step.step);
    return action ? [{ step, action }] : [];
  });
  const ends = await endsOf(story.world, actions, ({ step }) => find(step).breaks);
  for (const [index, { step, action }] of actions.entries()) {
    const end = ends[index];
    if (!end) throw new Error('an end is missing');
    const fault = applyToModel(story, step, action, end);
    if (fault !== null) return `step ${step.step} (${step.command}): ${fault}`;
    tell(step, end.fate.broken ? 'broken' : end.code === null ? 'done' : 'refused');
  }
  return compareTouched(
    story,
    batch.flatMap(({ args }) => [args.user, args.other]).filter((index) => typeof index === 'number'),
  );
}

/**
 * Does actions together. SQLite's one writer does them in their order, as the model does; on PostgreSQL each is done
 * when the one before has ended, because which of them comes first there is a matter of chance.
 */
async function endsOf(
  world: World,
  actions: readonly Doing[],
  breaks: (doing: Doing) => number | undefined,
): Promise<End[]> {
  const start = (doing: Doing) => endOf(world, doing.action, doing.step.crash, breaks(doing));
  if (world.database.dialect === 'sqlite') return Promise.all(actions.map(start));
  const ends: End[] = [];
  for (const doing of actions) ends.push(await start(doing));
  return ends;
}

async function endOf(world: World, action: Action, crash: number | null, until?: number): Promise<End> {
  const fate: Fate = { left: crash, until, broken: false, commits: 0 };
  try {
    return { code: null, answer: await world.database.under(fate, () => action.run()), fate };
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code, answer: undefined, fate };
    return {
      code:
        error instanceof Crash
          ? 'CRASH'
          : `a fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      answer: undefined,
      fate,
    };
  }
}

/** Applies to the model what was done to the product. Out: how they differ, or null. */
function applyToModel(
  { plain, answers }: Story,
  { step }: Step,
  action: Action,
  { code, answer, fate }: End,
): string | null {
  if (fate.broken) {
    if (code !== 'CRASH') return `it broke off, and yet it ended with ${code ?? 'an answer'}`;
    action.broken?.(fate.commits);
    return null;
  }
  const ruled = action.rule();
  if (ruled !== code) return `the product says ${code ?? 'yes'}, the model says ${ruled ?? 'yes'}`;
  if (code !== null) return null;
  if (action.keyed) {
    plain.keyed.push(step);
    answers.set(step, { text: JSON.stringify(answer), run: action.run });
  }
  return action.keep?.(answer) ?? null;
}
