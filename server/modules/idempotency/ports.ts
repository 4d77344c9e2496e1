export interface IdempotencyRepo {
  /**
   * Claims the key for this transaction; false where it exists already (on PostgreSQL after waiting for the other to
   * commit).
   */
  claim(userId: string, key: string, hash: string, atMs: number): Promise<boolean>;
  find(userId: string, key: string): Promise<{ hash: string; answer: string | null } | null>;
  store(userId: string, key: string, answer: string): Promise<void>;
  /** Gives up a key that this transaction claimed: what it was for did not happen. */
  release(userId: string, key: string): Promise<void>;
  /** Deletes at most `limit` keys that were claimed before a moment. How many. */
  purge(beforeMs: number, limit: number): Promise<number>;
}
