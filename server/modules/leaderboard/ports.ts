/** A board as it is stored: the month's has its month in the name (`month:2026-11`), so a new month begins empty. */
export type BoardKey = string;

export interface ScoreRow {
  readonly board: BoardKey;
  readonly userId: string;
  /** 1 or more; who has nothing has no row. */
  readonly score: number;
  /** Counts and is shown: neither banned nor deleted nor hidden. */
  readonly listed: boolean;
  /** Their profile may be opened. */
  readonly linked: boolean;
}
interface PlaceRow {
  readonly userId: string;
  readonly username: string;
  readonly score: number;
  readonly linked: boolean;
}
/** How a user may be shown. */
export interface Showing {
  readonly listed: boolean;
  readonly linked: boolean;
}
/** Up to which posting the ledger is counted. */
export interface Cursor {
  readonly txId: string;
  readonly seq: number;
}
export interface State extends Cursor {
  /** The user whom the walk through all of them visited last. */
  readonly sweep: string;
  /** When the walk first came to its end; null before. */
  readonly sweptMs: number | null;
}
/** A posting as the boards see it. */
export interface Moved extends Cursor {
  readonly source: string;
  readonly destination: string;
  readonly amount: number;
  readonly kind: string;
  readonly createdMs: number;
}
/** A node of a board's tree and how its number of people changes. */
export interface NodeChange {
  readonly board: BoardKey;
  readonly level: number;
  readonly node: number;
  readonly by: number;
}

export interface LeaderboardRepo {
  /** How far things are counted; locked until the transaction ends, so that one at a time changes the boards. */
  lock(): Promise<State>;
  save(state: State): Promise<void>;
  /**
   * The next postings in their order. `nowMs`: those that may still be overtaken by a transaction under way are left
   * for later.
   */
  postingsAfter(cursor: Cursor, limit: number, nowMs: number): Promise<Moved[]>;
  /** Takes marks away and gives their users. */
  takeMarks(limit: number): Promise<string[]>;
  usersAfter(userId: string, limit: number): Promise<string[]>;
  /** How each of the users may be shown. Users that are gone have no entry. */
  showing(userIds: readonly string[], nowMs: number): Promise<Map<string, Showing>>;

  balances(userIds: readonly string[]): Promise<Map<string, number>>;
  afkMinutes(userIds: readonly string[]): Promise<Map<string, number>>;
  servers(userIds: readonly string[]): Promise<Map<string, number>>;
  referrals(userIds: readonly string[]): Promise<Map<string, number>>;
  /** Rewards less what was taken back, since a moment, as far as the cursor. */
  earned(userIds: readonly string[], sinceMs: number, until: Cursor): Promise<Map<string, number>>;

  scores(userIds: readonly string[]): Promise<ScoreRow[]>;
  put(rows: readonly ScoreRow[]): Promise<void>;
  remove(rows: readonly Pick<ScoreRow, 'board' | 'userId'>[]): Promise<void>;
  count(changes: readonly NodeChange[]): Promise<void>;
  /** Removes a part of the trees of months before this one. */
  forgetMonths(current: BoardKey, limit: number): Promise<void>;

  /** The best, highest first; equal ones by age of the account. */
  top(board: BoardKey, limit: number, nowMs: number): Promise<PlaceRow[]>;
  scoreOf(board: BoardKey, userId: string): Promise<ScoreRow | null>;
  /** People with more than a score: the sizes of the tree's nodes beside its path. */
  above(board: BoardKey, score: number): Promise<number>;
  players(board: BoardKey): Promise<number>;
  /** The lowest score above one; null where there is none. */
  nextAbove(board: BoardKey, score: number): Promise<number | null>;
}
