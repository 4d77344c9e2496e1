import type { Random } from '#tests/support/random.ts';
import type { Code, Plain, PlainUser } from './plain.ts';
import type { World } from './world.ts';

/**
 * The particulars of a step, as plain data, so that a list of steps can be run again without some of them. `user` and
 * `other` are indexes of users: those are compared afterwards.
 */
export type Args = Readonly<Record<string, number | string | boolean>>;

/** One command of a run. */
export interface Step {
  /** Its number: what it makes is known by it. */
  readonly step: number;
  readonly command: string;
  readonly args: Args;
  /** Steps of one batch are begun at once. */
  readonly batch: number;
  /**
   * Its transactions break off before this statement (1 = before the first), counted over all of them; null: they are
   * left alone.
   */
  readonly crash: number | null;
}

/** A step about to be done to both sides. */
export interface Action {
  /** Does it to the product. */
  run(): Promise<unknown>;
  /** Does it to the model. Gives the code it is refused with. */
  rule(): Code;
  /**
   * After both went well: remembers names that the product gave, looks at the answer. Gives what is wrong with it, or
   * null.
   */
  keep?(answer: unknown): string | null;
  /** The command has an Idempotency-Key: it may be sent once more and answers the same. */
  readonly keyed?: boolean;
  /** What holds after it broke off with some transactions committed. Nothing, when absent. */
  broken?(commits: number): void;
}

/** What a command draws from and works on. */
export interface Story {
  readonly world: World;
  readonly plain: Plain;
  /** Names that the product gave to what steps made: `purchase:12` → its id. */
  readonly names: Map<string, string>;
  /** Commands that went well under a key, by step. */
  readonly answers: Map<number, { readonly text: string; run(): Promise<unknown> }>;
}

/** A command on credits: all there is to add for a new one. */
export interface Command<A extends Args = Args> {
  readonly name: string;
  /** How often it comes, beside the others. */
  readonly weight: number;
  /** It is one transaction, begun at the call: it may run at once with others, and share their commit. */
  readonly together?: boolean;
  /** What never happens to it: it is always refused (`done`), or has no transaction that could break off (`broken`). */
  readonly never?: 'done' | 'broken';
  /** Commits after which it does not break off any more; it does anywhere, when absent. */
  readonly breaks?: number;
  /** Picks particulars; null where there is nothing to do it to. Sees the model only. */
  draw(plain: Plain, random: Random): A | null;
  /** Null where what it refers to is not there: its step was left out. */
  bind(story: Story, args: A, step: number): Action | null;
}

/** Lets the particulars of a command be inferred from what it draws. */
export function command<A extends Args>(made: Command<A>): Command {
  return made as Command;
}

/** A user, by index. */
export function userOf(plain: Plain, index: number): PlainUser {
  const user = plain.users[index];
  if (!user) throw new Error(`no user ${index}`);
  return user;
}

/** Index of any user. */
export const anybody = (plain: Plain, random: Random): number => random.int(plain.users.length);

/** Amounts from nothing much to more than anybody has. */
export const amountOf = (random: Random): number => 1 + random.int(random.pick([5, 50, 400, 2000]));

/** Number of a step that made something, the latest ones more often; null where none did. */
export function stepOf(things: ReadonlyMap<number, unknown>, random: Random): number | null {
  const all = [...things.keys()];
  if (all.length === 0) return null;
  return random.pick(random.chance(0.8) ? all.slice(-12) : all);
}
