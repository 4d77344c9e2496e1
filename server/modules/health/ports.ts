/** What a check said at a moment, for the history of a day. */
interface HealthSample {
  readonly key: string;
  /** '' where the check has one row. */
  readonly subject: string;
  /** How bad it was (`healthRank`). */
  readonly rank: number;
  readonly figure: number | null;
}
/** What a check said within a stretch of time. */
export interface HealthStretch {
  readonly key: string;
  readonly subject: string;
  /** Number of the stretch: its beginning (UTC ms) divided by its length. */
  readonly slot: number;
  /** The worst of it. */
  readonly rank: number;
  /** The mean of its figures, rounded; null where there are none. */
  readonly figure: number | null;
}
/** The history of checks. */
export interface HealthRepo {
  add(atMs: number, samples: readonly HealthSample[]): Promise<void>;
  /** What was said since a moment, in stretches of so many ms, the oldest first. */
  list(sinceMs: number, stretchMs: number): Promise<HealthStretch[]>;
  /** The oldest figure of a check that is kept; null where there is none. */
  findFirst(key: string, subject: string): Promise<{ readonly atMs: number; readonly figure: number } | null>;
  /**
   * What waits in the durable queue outside of every line: the jobs that are due and not being worked on, since when
   * the first of them is, and how many were given up.
   */
  queue(nowMs: number): Promise<{ readonly due: number; readonly oldestMs: number | null; readonly dead: number }>;
  /** Removes what is older than a moment. */
  purge(beforeMs: number): Promise<void>;
}
