import type { Command } from './command.ts';
import { AFK } from './commands/afk.ts';
import { JOINING } from './commands/joining.ts';
import { LINKS } from './commands/links.ts';
import { PAYMENTS } from './commands/payments.ts';
import { REFERRALS } from './commands/referrals.ts';
import { HELD } from './commands/held.ts';
import { PEOPLE } from './commands/people.ts';
import { REDEEM } from './commands/redeem.ts';
import { SPENDING } from './commands/store.ts';
import { TIME } from './commands/time.ts';
import { WALLET } from './commands/wallet.ts';
import type { Engine } from '#tests/support/db.ts';
import { replay, runStory, type Outcome } from './run.ts';
import { shrink, formatSteps } from './shrink.ts';

/** Every command on credits. */
export const COMMANDS: readonly Command[] = [
  ...WALLET,
  ...PEOPLE,
  ...HELD,
  ...PAYMENTS,
  ...JOINING,
  ...LINKS,
  ...REFERRALS,
  ...REDEEM,
  ...SPENDING,
  ...AFK,
  ...TIME,
];

/** Operations of one story: a product of its own, so that a failing list is never longer than this. */
export const STORY = 5000;
/** Operations that are done again at most to make a failing list short: half a minute of a quiet machine. */
const SHRINK_OPERATIONS = 30_000;

/** Runs a story. Throws with its seed and a list of steps made short, where product and model disagree. */
export async function tell(
  seed: number,
  operations: number,
  { commands = COMMANDS, engine = 'sqlite' }: { readonly commands?: readonly Command[]; readonly engine?: Engine } = {},
): Promise<Outcome> {
  const outcome = await runStory(engine, commands, seed, operations);
  if (outcome.fault === null) return outcome;
  let replayed = 0;
  const short = await shrink(
    outcome.steps,
    async (steps) => {
      replayed += steps.length;
      return (await replay(engine, commands, steps)).fault !== null;
    },
    () => replayed < SHRINK_OPERATIONS,
  );
  const fault = (await replay(engine, commands, short)).fault ?? outcome.fault;
  throw new Error(
    `seed ${seed}, ${outcome.steps.length} operations: ${outcome.fault}\nmade short (${short.length}): ${fault}\n${formatSteps(short)}`,
  );
}
