/** One row of the audit trail, written in the transaction of the change (behaviour 1). */
interface AuditEntry {
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
  readonly requestId: string | null;
}
export interface AuditRepo {
  add(entry: AuditEntry): Promise<void>;
  latest(limit: number): Promise<(AuditEntry & { actor: string | null })[]>;
}
