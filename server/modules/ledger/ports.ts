import type { Credits } from '#shared/credits.ts';
import type { EarningSource } from '#shared/earning-sources.ts';
import type { LedgerProof } from '#shared/ledger.ts';

/** An account: `user:<id>`, `debt:<id>`, `hold:<id>` (a user's reserved credits) or `system:<source or sink>`. */
export type Account = `user:${string}` | `debt:${string}` | `hold:${string}` | `system:${SystemAccount}`;
/** Sources and sinks (behaviour 2). */
type SystemAccount =
  | `reward.${EarningSource}`
  | 'payment.stripe'
  | 'payment.paypal'
  | 'payment.manual'
  | 'store'
  | 'renewal'
  | 'gift.fee'
  | 'images'
  | 'plugins'
  | 'adjustment'
  | 'import'
  | 'debt';

/** Moves `amount` from `source` to `destination`. */
export interface Posting {
  readonly source: Account;
  readonly destination: Account;
  readonly amount: Credits;
}

export interface NewTransaction {
  readonly id: string;
  /**
   * Short constant that names what it was for (`reward.afk`, `store.buy`, `server.renew` …); translated as
   * `account:kind.<kind>`.
   */
  readonly kind: string;
  /** Unique business reference (`redeem:<code>:<user>`, `renew:<server>:<period>` …). */
  readonly reference: string;
  /** A name that tells the user which (code, server name, item). */
  readonly subject: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly reverses: string | null;
  readonly createdMs: number;
  /** Day it counts for (`YYYY-MM-DD`); that of UTC when absent. */
  readonly day?: string | undefined;
  readonly postings: readonly Posting[];
}
/** The position of one line in a statement. Statements are ordered by it, newest first. */
export interface LedgerCursor {
  readonly createdMs: number;
  readonly txId: string;
  readonly seq: number;
}
export interface LedgerEntry {
  readonly id: string;
  readonly cursor: LedgerCursor;
  readonly kind: string;
  readonly reference: string;
  readonly subject: string | null;
  readonly counterpart: string;
  /** Signed as seen from the asked account. */
  readonly amount: number;
  readonly balanceAfter: number;
  readonly createdMs: number;
  /** Why, in the words of who did it; and who, where somebody did. */
  readonly reason: string | null;
  readonly actor: string | null;
  /** What it takes back, where it does. */
  readonly undoes: { readonly kind: string; readonly createdMs: number } | null;
}
export interface HistoryQuery {
  readonly kind?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Only lines older than a cursor, or only newer ones (those next to it first); neither: from the newest on. */
  readonly before?: LedgerCursor | undefined;
  readonly after?: LedgerCursor | undefined;
  readonly limit: number;
}
/**
 * Lines, newest first, and whether more follow in the direction that was asked for (newer ones with `after`, else older
 * ones).
 */
export interface HistoryPage {
  readonly rows: LedgerEntry[];
  readonly more: boolean;
}
/**
 * Credits that a user has earned and can spend, but that stand in no posting yet: what comes in small parts (AFK) is
 * posted once an hour. A wallet has at most one.
 */
export interface Accrual {
  readonly account: `user:${string}`;
  readonly source: Account;
  /** Kind and unique reference of the transaction to come. */
  readonly kind: string;
  readonly reference: string;
  readonly amount: Credits;
  /** Day it counts for (`YYYY-MM-DD`). */
  readonly day: string;
  /** When its first part came, and from when on it is to be posted, whoever still earns (UTC ms). */
  readonly startedMs: number;
  readonly dueMs: number;
}
export type HoldRow = {
  readonly id: string;
  readonly account: Account;
  readonly amount: Credits;
  readonly reference: string;
  readonly state: 'open' | 'captured' | 'released';
};

/** The outcome of a transaction: balances of all accounts it touched, or wallets that keep it from being written. */
export type Appended =
  { readonly balances: ReadonlyMap<Account, number> } | { readonly unposted: readonly `user:${string}`[] };

/** What the ledger asks of the database. Only inserts on transactions and postings; balances are kept beside them. */
/** What users pay for: the account `system:<it>`. */
export type SpentOn = 'store' | 'renewal';

export interface LedgerRepo {
  /**
   * Appends a transaction with its postings and moves the balances. Throws DomainError INSUFFICIENT_CREDITS where an
   * account other than a system one would go below zero, SPENDING_BLOCKED where the paying user has a debt, WALLET_FULL
   * where one would hold more than MAX_CREDITS, DUPLICATE_REFERENCE where the reference exists; after each of them
   * nothing is written. Where wallets it touches have an accrual, nothing is written either: they are to be posted
   * first.
   */
  append(transaction: NewTransaction): Promise<Appended>;
  /** Locks the balances of accounts for the rest of the transaction (PostgreSQL; nothing on SQLite). */
  lock(accounts: readonly Account[]): Promise<void>;
  /** The transaction of a reference, in the tables or in the archive. */
  byReference(reference: string): Promise<NewTransaction | null>;
  /** A transaction in the tables. What is asked for by its id is never archived (decision 124). */
  byId(id: string): Promise<NewTransaction | null>;
  reversalOf(id: string): Promise<string | null>;
  /** What an account has: what was posted and, of a wallet, what is not posted yet. */
  balance(account: Account): Promise<number>;
  /**
   * Adds to the wallet's accrual of the same reference and day, or opens it; what it is afterwards. Null, and nothing
   * is written, where another one is open.
   */
  accrue(part: Accrual): Promise<Credits | null>;
  /** The accrual of a wallet, where it has one. */
  accrualOf(account: `user:${string}`): Promise<Accrual | null>;
  /** Removes it and gives what it was; null where there is none. */
  takeAccrual(account: `user:${string}`): Promise<Accrual | null>;
  /** Wallets whose accruals were due at a moment, the oldest first. */
  dueAccruals(atMs: number, limit: number): Promise<`user:${string}`[]>;
  /**
   * A part of an account's statement, in a time that does not depend on its length, but where it is filtered by kind:
   * then lines of other kinds are passed over.
   */
  history(account: Account, query: HistoryQuery): Promise<HistoryPage>;
  /** Balance of the account at the end of each of the moments (ascending). */
  balanceAt(account: Account, moments: readonly number[]): Promise<number[]>;
  /**
   * Sum of what came in from `system:reward.*` since a moment, and of rewards that were held and then released. Here
   * and below, a moment of the last weeks: what is archived is older (`keptSince`).
   */
  earnedSince(account: Account, sinceMs: number): Promise<number>;
  /** The same by kind of transaction, the most first. */
  earnedByKind(account: Account, sinceMs: number): Promise<{ kind: string; credits: number }[]>;
  /**
   * What a user paid since a moment for purchases and for servers, from the wallet and from holds, without what came
   * back; the most first.
   */
  spentSince(userId: string, sinceMs: number): Promise<{ on: SpentOn; credits: number }[]>;
  insertHold(hold: HoldRow & { createdMs: number }): Promise<void>;
  /** A hold, its row locked for the rest of the transaction (PostgreSQL). */
  hold(id: string): Promise<HoldRow | null>;
  /** Sets the amount of an open hold; false where it is closed. */
  growHold(id: string, amount: Credits): Promise<boolean>;
  closeHold(id: string, state: 'captured' | 'released', atMs: number): Promise<boolean>;
  /**
   * Faults found by proving balances against postings, or by one part of the proof; empty when all is well. Each part
   * is one question, but for the archive, all of which is read.
   */
  verify(only?: LedgerProof): Promise<LedgerFault[]>;
  /**
   * The proof of the archive, a fraction of a second at a time: each step may have a view of its own. In: how far it
   * is; null at the beginning. Out: faults, and how to go on; null at the end.
   */
  verifyArchive(begun: ArchiveProof | null): Promise<{ faults: LedgerFault[]; next: ArchiveProof | null }>;
}

/** How far a proof of the archive is. */
export interface ArchiveProof {
  /** All blocks of users up to this one are proven. */
  readonly userId: string;
  /** Transactions in the archive when it was last looked; null at the beginning. */
  readonly archived: number | null;
  /** Whether something was archived since the beginning: what was counted so far is less than all. */
  readonly hasGrown: boolean;
  /** What the blocks so far make of accounts of the system (credits, by account). */
  readonly system: ReadonlyMap<string, number>;
  /** Transactions that they hold. */
  readonly transactions: number;
  /** Faults so far. */
  readonly found: number;
}

/** How far the archive is, and what it holds. */
export interface ArchiveState {
  /** The pass under way, or the last one: what is older goes (UTC ms), and the wallet that it has come to. */
  readonly passMs: number;
  readonly after: string;
  /** Everything older is archived (UTC ms); 0 where nothing ever was. */
  readonly doneMs: number;
  readonly blocks: number;
  readonly transactions: number;
}
/** Old transactions, out of the tables of the ledger (decision 124). */
export interface LedgerArchiveRepo {
  state(): Promise<ArchiveState>;
  saveState(state: Pick<ArchiveState, 'passMs' | 'after' | 'doneMs'>): Promise<void>;
  /**
   * Looks at the next `limit` wallets behind one. Out: users with postings that are older than a moment and not
   * archived (some may have to stay), and the last wallet looked at; null at the end.
   */
  findOld(after: string, beforeMs: number, limit: number): Promise<{ userIds: string[]; last: string | null }>;
  /**
   * Moves some of a user's oldest transactions that are older than a moment into the archive: as many as take a few ms.
   * Out: how many, and whether there may be more.
   */
  archive(userId: string, beforeMs: number): Promise<{ moved: number; more: boolean }>;
}

/** A fault that a proof found. */
export interface LedgerFault {
  readonly proof: LedgerProof;
  /**
   * The account that is wrong (`debt` for all debts together, in the sums by day); null where the fault is no
   * account's.
   */
  readonly account: string | null;
  /** The transaction or held reward that is wrong; null where there is none. */
  readonly id: string | null;
  /** Credits as stored, and as the proof makes them; null where the fault is no amount's. */
  readonly stored: number | null;
  readonly expected: number | null;
  /** The same in plain words, for the log and the command line. */
  readonly text: string;
}

/** A fault as it was recorded. */
type RecordedFault = Omit<LedgerFault, 'text'> & {
  readonly firstMs: number;
  /** Whose account it is; null where it is nobody's. */ readonly username: string | null;
};
/** What the last proof found, and the accounts that are frozen for it. */
export interface LedgerFaultsRepo {
  /** Faults, oldest first, at most `limit`. */
  list(limit: number): Promise<RecordedFault[]>;
  count(): Promise<number>;
  /** Writes a fault down as seen now; true where it is new. */
  record(fault: Omit<LedgerFault, 'text'>, nowMs: number): Promise<boolean>;
  /** Forgets all others. */
  keepOnly(faults: readonly Omit<LedgerFault, 'text'>[]): Promise<void>;
  /** From now on nothing leaves these accounts. */
  freeze(accounts: readonly string[], nowMs: number): Promise<void>;
  /** Frees all other accounts. Out: those that were frozen. */
  unfreezeOthers(accounts: readonly string[]): Promise<string[]>;
}
