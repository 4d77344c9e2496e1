/** A row of the durable queue (transactional outbox): written in the transaction whose effect it continues. */
export interface NewJob {
  readonly kind: string;
  readonly payload: unknown;
  /**
   * Only one unfinished job per key; a second one is ignored, but a job that is running just then runs once more, with
   * the new payload.
   */
  readonly uniqueKey?: string | undefined;
  /** Not before this time; now when absent. */
  readonly runAtMs?: number | undefined;
  /** Tries before it is dead (default 5). */
  readonly maxAttempts?: number | undefined;
}
export interface ClaimedJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly leaseToken: string;
}
export interface JobsRepo {
  add(job: NewJob & { id: string; createdMs: number }): Promise<void>;
  /** Claims the next due job of these kinds with a lease, or null. */
  claim(kinds: readonly string[], nowMs: number, leaseMs: number, leaseToken: string): Promise<ClaimedJob | null>;
  /** Lengthens the lease of a claimed job; false when it was lost meanwhile. */
  renew(id: string, leaseToken: string, untilMs: number): Promise<boolean>;
  /** Ends a claimed job; false when the lease was lost meanwhile. */
  finish(id: string, leaseToken: string, nowMs: number): Promise<boolean>;
  retry(id: string, leaseToken: string, runAtMs: number, error: string): Promise<boolean>;
  bury(id: string, leaseToken: string, nowMs: number, error: string): Promise<boolean>;
  counts(): Promise<{ ready: number; dead: number }>;
  /** Deletes finished jobs older than a moment. How many. */
  purge(beforeMs: number): Promise<number>;
  /** Takes the turn of a named schedule when it is due and sets the next; false when another had it. */
  takeTurn(name: string, nowMs: number, nextMs: number): Promise<boolean>;
  /** Notes how the turn ended: null where all went well. */
  endTurn(name: string, error: string | null): Promise<void>;
  /** Every schedule, for the health page. */
  turns(): Promise<{ name: string; nextMs: number; lastMs: number | null; lastError: string | null }[]>;
}
