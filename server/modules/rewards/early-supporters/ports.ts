/** What became of a user who may be an early supporter; from `qualified` on they have a place, `refused` ones lost it. */
type SupporterState = 'pending' | 'qualified' | 'paid' | 'held' | 'refused';
/** What a qualified reward waits for. */
export type SupporterReason = 'budget' | 'cap' | 'unverified';

/** A user who is, or may become, an early supporter (behaviour 4.7). Times in UTC ms. */
export interface Supporter {
  readonly userId: string;
  readonly state: SupporterState;
  readonly reason: SupporterReason | null;
  /** The reward, fixed when they qualify; 0 before. */
  readonly credits: number;
  readonly txId: string | null;
  readonly createdMs: number;
  readonly nextCheckMs: number;
  readonly qualifiedMs: number | null;
}
export type SupporterChange = Partial<
  Pick<Supporter, 'state' | 'reason' | 'credits' | 'txId' | 'nextCheckMs' | 'qualifiedMs'>
>;
/** What a user has to have done so that a walk over the older accounts takes them up. */
interface WalkTerms {
  /** Paid AFK minutes that do in the place of a server. */
  readonly afkMinutes: number;
  /** What is added to when an account was made: its first check. */
  readonly minAgeMs: number;
}

export interface EarlySupportersRepo {
  find(userId: string): Promise<Supporter | null>;
  /** The same, locked until the transaction ends. */
  lock(userId: string): Promise<Supporter | null>;
  /** Takes a user up who is to be checked; one who waits for a later check is checked at that moment already. */
  nominate(userId: string, nowMs: number, checkMs: number): Promise<void>;
  change(userId: string, change: SupporterChange): Promise<void>;
  /** Users in one state who are to be checked, the longest due first. */
  due(state: 'pending' | 'qualified', nowMs: number, limit: number): Promise<string[]>;
  /** Places that are taken. */
  taken(): Promise<number>;
  /** Takes a place where fewer than `count` are taken; false where none is left. Exact under concurrency. */
  takePlace(count: number): Promise<boolean>;
  /** Gives a place back. */
  releasePlace(): Promise<void>;
  /**
   * Looks at the next accounts in the order in which they were made, at most `limit`, and takes up those that played
   * enough. Out: how many were looked at; 0 at the end.
   */
  walk(terms: WalkTerms, nowMs: number, limit: number): Promise<number>;
  /** Whether the walk is past its beginning. */
  hasWalked(): Promise<boolean>;
  /** Begins the walk anew. */
  rewind(): Promise<void>;
}
