import type { OverviewPart } from '#shared/overview.ts';
import type { OutageCause } from '#shared/server-codes.ts';

/** Counts over the whole installation, for the admin dashboard. */
interface OverviewCounts {
  /** Accounts that are not deleted. */
  readonly users: number;
  /** Of them, made since the moment asked for. */
  readonly usersSince: number;
  /** Servers that are neither deleted nor failed, the queued ones included. */
  readonly servers: number;
  readonly suspended: number;
  /** Entries that wait or are being built. */
  readonly queue: number;
}
/** A row of the audit log as the dashboard tells it. */
interface ActivityEntry {
  readonly id: string;
  readonly atMs: number;
  /** Username; null: the system, or an account that is gone. */
  readonly actor: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly before: unknown;
  readonly after: unknown;
}
/** A panel, or a machine of it, that takes no orders just now. `waiting`: entries of the queue that wait for it. */
interface OverviewOutage {
  readonly panelId: string;
  readonly panel: string;
  /** Null: the whole panel. */
  readonly node: string | null;
  readonly cause: OutageCause;
  readonly reason: string | null;
  readonly sinceMs: number;
  readonly waiting: number;
}
export interface OverviewRepo {
  /** Those of panels that are connected, oldest first. */
  outages(): Promise<OverviewOutage[]>;
  counts(sinceMs: number): Promise<OverviewCounts>;
  /**
   * Accounts that are not deleted, and servers that are neither deleted nor failed, by when they were made: of so many
   * stretches of 24 hours before a moment, the oldest first.
   */
  newUsers(untilMs: number, days: number): Promise<number[]>;
  newServers(untilMs: number, days: number): Promise<number[]>;
  /** The parts that somebody chose, those that there are; null: none were chosen. */
  layout(userId: string): Promise<OverviewPart[] | null>;
  setLayout(userId: string, parts: readonly OverviewPart[] | null): Promise<void>;
  /**
   * What was changed since a moment, newest first, in some areas (null: in all); without what people do to their own
   * accounts (logins, passwords).
   */
  activity(sinceMs: number, limit: number, areas: readonly string[] | null): Promise<ActivityEntry[]>;
}
