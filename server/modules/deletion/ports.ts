/** An account that its user wants deleted. */
interface Deletion {
  readonly userId: string;
  readonly requestedMs: number;
  /** When it begins, UTC ms; until then it is cancelled by a click. */
  readonly dueMs: number;
}

/** Deletions of accounts in the database. Commands hold the lock of the user's row. */
export interface DeletionsRepo {
  find(userId: string): Promise<Deletion | null>;
  /** Adds a deletion; false where the account has one. */
  add(deletion: Deletion): Promise<boolean>;
  /** Removes a deletion; false where there is none. */
  remove(userId: string): Promise<boolean>;
  /** Users whose deletion is due, by id, after one, at most `limit`. */
  listDue(nowMs: number, afterUserId: string, limit: number): Promise<string[]>;
  /**
   * Takes everything personal away from an account: its row keeps its id under another name, and so do the books. What
   * is erased and what stays, and why, is listed by the test of it (tests/api/account-deletion.test.ts).
   */
  erase(userId: string, name: { username: string; email: string; roleId: string }, atMs: number): Promise<void>;
}
