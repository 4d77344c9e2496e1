/** One row of the audit log, written in the transaction of the change (behaviour 1). */
export interface AuditEntry {
  readonly id: string;
  readonly atMs: number;
  readonly actorId: string | null;
  /** `area.verb`, such as `locations.create`, `account.login`. */
  readonly action: string;
  readonly target: string | null;
  /** Before and after, secrets masked; null where there is none. */
  readonly before: unknown;
  readonly after: unknown;
  readonly address: string | null;
  /** Browser and system in short (`Firefox · Windows`); null where unknown. */
  readonly device: string | null;
  readonly requestId: string | null;
}
/** A position in a user's activity: time and id of a row. */
export interface ActivityCursor {
  readonly atMs: number;
  readonly id: string;
}
/** Which entries staff look for. */
export interface StaffAuditFilter {
  /** The parts of actions before their first dot that they may see; null: all. */
  readonly areas: readonly string[] | null;
  /** Part of the action, the target or a value, in upper or lower case. */
  readonly text?: string;
  /** Username of who did it. */
  readonly actor?: string;
  readonly requestId?: string;
  readonly sinceMs?: number;
}
export interface AuditRepo {
  /**
   * What was changed, the newest first, without what users do to their own accounts (`account.*`): rows older than a
   * cursor, at most `limit`. It may read many rows.
   */
  listForStaff(
    filter: StaffAuditFilter,
    before: ActivityCursor | null,
    limit: number,
  ): Promise<(AuditEntry & { actor: string | null })[]>;
  add(entry: AuditEntry): Promise<void>;
  /**
   * What users did to their own account (`account.*`), and what others did to it (`account.*` and the actions in
   * `staff`), the newest first: rows older than a cursor, at most `limit`.
   */
  listActivity(
    userId: string,
    staff: readonly string[],
    before: ActivityCursor | null,
    limit: number,
  ): Promise<AuditEntry[]>;
  /**
   * What a user did, and what was done to the account, in the same order. `areas`: the parts of actions before their
   * first dot that are wanted; null: all.
   */
  listAreaActivity(
    userId: string,
    areas: readonly string[] | null,
    before: ActivityCursor | null,
    limit: number,
  ): Promise<AuditEntry[]>;
  /**
   * What was done to things by one action, the newest first: rows older than a cursor, at most `limit`. `actor`: the
   * name of who did it.
   */
  listOfTargets(
    action: string,
    targets: readonly string[],
    before: ActivityCursor | null,
    limit: number,
  ): Promise<(AuditEntry & { actor: string | null })[]>;
  /** One row; null if there is none. */
  find(id: string): Promise<(AuditEntry & { actor: string | null }) | null>;
  /**
   * Of rows that are older than a moment and name an address: deletes what users did to their own accounts
   * (`account.*`), and empties address and device of the others, the oldest first. Out: how many rows that were, at
   * most `limit`.
   */
  forget(beforeMs: number, limit: number): Promise<number>;
  latest(limit: number): Promise<(AuditEntry & { actor: string | null })[]>;
}
