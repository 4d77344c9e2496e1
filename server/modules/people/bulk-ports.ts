import type { PeopleCursor, PeopleQuery } from './ports.ts';

export type BulkKind = 'setRole' | 'confirm' | 'write';
/** `stopped`: whoever started it may not go on with it, or it could not. */
type BulkState = 'running' | 'done' | 'cancelled' | 'stopped';

/** Who is meant: the filters of the list, without a place in it. */
export type BulkQuestion = Pick<
  PeopleQuery,
  'search' | 'byAddress' | 'place' | 'roleId' | 'status' | 'debt' | 'unverified' | 'factor' | 'unspent' | 'seen'
>;
/** What each of them gets: a role, or an e-mail. */
export interface BulkInput {
  readonly role?: string | undefined;
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
}
/** A command on all users who fit. */
export interface BulkRun {
  readonly id: string;
  readonly kind: BulkKind;
  readonly state: BulkState;
  /** Id of who started it. */
  readonly startedBy: string;
  /** How many fitted when it was started. */
  readonly total: number;
  readonly done: number;
  readonly refused: number;
  readonly createdMs: number;
  readonly finishedMs: number | null;
}
/** The same with what it works by, which is emptied when it is over. */
export interface BulkWork extends BulkRun {
  readonly question: BulkQuestion;
  readonly input: BulkInput;
  /** The user it came to last; null: none so far. */
  readonly position: PeopleCursor | null;
}

export interface UserBulkRepo {
  /** Adds a run; false when another one is under way. */
  add(run: Omit<BulkWork, 'state' | 'done' | 'refused' | 'position' | 'finishedMs'>): Promise<boolean>;
  find(id: string): Promise<BulkWork | null>;
  /** The run that was started last. */
  findLatest(): Promise<BulkRun | null>;
  /**
   * Counts a user as done or refused (null: as neither), and moves on behind them; false when the run is over, or
   * another worker counted since `from` were.
   */
  advance(
    id: string,
    from: number,
    user: { readonly position: PeopleCursor; readonly outcome: 'done' | 'refused' | null },
  ): Promise<boolean>;
  /** Ends a run that is under way, and empties what it worked by; false when it was over. */
  finish(id: string, state: Exclude<BulkState, 'running'>, atMs: number): Promise<boolean>;
  /** Deletes runs that ended before a moment. */
  purge(beforeMs: number): Promise<void>;
}
