import type { Ctx } from '../kernel.ts';

/**
 * What a challenge guards (behaviour 4.6). Letters only: it is signed into the puzzle, and Turnstile shows it in its
 * console.
 */
export type ChallengeAction = 'register' | 'login' | 'link' | 'report';
export type ChallengeKind = 'off' | 'altcha' | 'turnstile';

export interface ChallengeRepo {
  /** Marks a challenge as used until a moment; false where it was. */
  use(id: string, untilMs: number): Promise<boolean>;
  /** Deletes those that ended before a moment among the next `limit` after an id. Out: the id to go on after, or null. */
  forget(beforeMs: number, afterId: string, limit: number): Promise<string | null>;
}

/** What a puzzle is bound to, signed with it. */
interface Bound {
  readonly action: ChallengeAction;
  /** Hash of the session or the browser it was made for. */
  readonly holder: string;
}
/** Why an answer to a puzzle is worth nothing. */
export type PuzzleFault = 'malformed' | 'signature' | 'expired' | 'solution' | 'bound';

/** Proof-of-work puzzles, made and checked here. */
export interface Puzzles {
  /** A new puzzle as the browser's worker takes it. `cost`: rounds of one try. */
  make(facts: Bound & { readonly cost: number; readonly expiresMs: number }): Promise<string>;
  /** Checks an answer. Out: what names the puzzle, for using it once, and when it expires; or the fault. */
  check(
    answer: string,
    facts: Bound & { readonly nowMs: number },
  ): Promise<{ readonly id: string; readonly expiresMs: number } | { readonly fault: PuzzleFault }>;
}

/** What Turnstile said of a token. */
export type TurnstileAnswer =
  | { readonly kind: 'yes'; readonly hostname: string; readonly action: string }
  | { readonly kind: 'no'; readonly codes: readonly string[] }
  /** No answer, or none that can be read: refused with a text that says "try again". */
  | { readonly kind: 'unknown' };
export interface Turnstile {
  verify(facts: {
    readonly secret: string;
    readonly token: string;
    readonly address: string;
    readonly base: string;
  }): Promise<TurnstileAnswer>;
}

/** Whose challenge it is: the session of a user, or the browser of a guest (the device cookie). */
export interface Holder {
  readonly ctx: Ctx;
  readonly device?: string | undefined;
}
