/** An account that its user, or staff, want deleted. */
interface Deletion {
  readonly userId: string;
  readonly requestedMs: number;
  /** When it begins, UTC ms; until then it is cancelled by a click. */
  readonly dueMs: number;
}
/** What hangs on an account beside its servers and credits: how many of each there are. */
export interface DependantCounts {
  readonly payments: number;
  readonly purchases: number;
  readonly identities: number;
  readonly passkeys: number;
  readonly tokens: number;
  readonly sessions: number;
}

/** Deletions of accounts in the database. Commands hold the lock of the user's row. */
export interface DeletionsRepo {
  find(userId: string): Promise<(Deletion & { readonly whole: boolean }) | null>;
  /** Adds a deletion; false where the account has one. */
  add(deletion: Deletion): Promise<boolean>;
  /** Adds a deletion in place of one that there may be. `whole`: the row of the user goes too, where it can. */
  put(deletion: Deletion & { readonly whole: boolean }): Promise<void>;
  /** Removes a deletion; false where there is none. */
  remove(userId: string): Promise<boolean>;
  /** Users whose deletion is due, by id, after one, at most `limit`. */
  listDue(nowMs: number, afterUserId: string, limit: number): Promise<string[]>;
  /**
   * Takes everything personal away from an account: its row keeps its id under another name, and so do the books. What
   * is erased and what stays, and why, is listed by the test of it (tests/api/account-deletion.test.ts).
   */
  erase(userId: string, name: { username: string; email: string; roleId: string }, atMs: number): Promise<void>;
  /** Whether records that must stay name the account: movements of credits, payments, servers, what it did as staff. */
  hasRecords(userId: string): Promise<boolean>;
  countDependants(userId: string): Promise<DependantCounts>;
  /** Removes the row of an erased account that has no records. */
  removeUser(userId: string): Promise<void>;
}
