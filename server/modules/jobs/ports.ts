/**
 * Where a job stands in the waiting line of its kind: higher priority first, then in turn between groups, then by age.
 * Only jobs of a kind whose handler has a `line` have one.
 */
interface LinePlace {
  /** Higher before lower, whatever the age. */
  readonly priority: number;
  /** Whose job it is: a group that was served lately waits longer than one that was not. */
  readonly groupKey: string;
  /** What it loads: only so many jobs of one key are under way at once (the handler's `limitOf`). */
  readonly limitKey: string;
  /** What it needs besides: while that is closed, it is not begun. */
  readonly placeKey: string;
}
/** A row of the durable queue (transactional outbox): written in the transaction whose effect it continues. */
export interface NewJob {
  readonly kind: string;
  readonly payload: unknown;
  /** Its id; a new one when absent. One id is one job for good. */
  readonly id?: string | undefined;
  /**
   * Only one unfinished job per key; a second one is ignored, but a job that is running just then runs once more, with
   * the new payload.
   */
  readonly uniqueKey?: string | undefined;
  /** Not before this time; now when absent. */
  readonly runAtMs?: number | undefined;
  /** Attempts in a row that may fail before it is dead (default 5). */
  readonly maxAttempts?: number | undefined;
  /** Its place in the line of its kind. */
  readonly line?: LinePlace | undefined;
}
/** A job that a worker may work on: until it ends it, or its lease is over. */
export interface LeasedJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** Attempts since the last one that went well, this one included. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly leaseToken: string;
  /** Null for a job that stands in no line. `isNew`: this lease took it from among those that waited there. */
  readonly line: (Pick<LinePlace, 'groupKey' | 'limitKey' | 'placeKey'> & { readonly isNew: boolean }) | null;
}
/** How jobs are leased: to whom, when and how long, and at most how many. */
interface LeaseRequest {
  readonly token: string;
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly limit: number;
}
/** What keeps waiting jobs from being begun. */
export interface Closed {
  readonly limitKeys: readonly string[];
  readonly placeKeys: readonly string[];
}
export interface Schedule {
  readonly name: string;
  readonly nextMs: number;
  readonly lastMs: number | null;
  readonly lastError: string | null;
  /** How long the last run took; null where none ended yet. */
  readonly tookMs: number | null;
  /** Whether each of the last runs went well: at most ten, the last one at the end. */
  readonly recent: readonly boolean[];
}

export interface JobsRepo {
  add(job: NewJob & { id: string; createdMs: number }): Promise<void>;
  /** Leases due jobs of these kinds that stand in no line, the longest due first. */
  lease(kinds: readonly string[], request: LeaseRequest): Promise<LeasedJob[]>;
  /** Leases due jobs of a line that were begun before and are not over yet, the longest due first. */
  leaseBegun(kind: string, request: LeaseRequest): Promise<LeasedJob[]>;
  /**
   * Begins the first of the line: leases the due job of the highest priority, of the group that began the fewest since
   * `servedSinceMs`, of the greatest age; null where none may be begun.
   */
  leaseFirst(
    kind: string,
    request: Omit<LeaseRequest, 'limit'>,
    line: { readonly servedSinceMs: number; readonly closed: Closed },
  ): Promise<LeasedJob | null>;
  /** Lets one worker at a time begin jobs of a line, until the transaction ends: so that limits hold among processes. */
  lockLine(kind: string): Promise<void>;
  /** How many jobs of a line are begun and not over, by limit key. */
  countBegunByLimit(kind: string): Promise<ReadonlyMap<string, number>>;
  /** Ids of the due jobs of a line that wait, in the order in which `leaseFirst` would begin them. */
  listWaiting(
    kind: string,
    nowMs: number,
    line: { readonly servedSinceMs: number; readonly closed: Closed; readonly limit: number },
  ): Promise<string[]>;
  /** Lengthens the lease of a job; false when it was lost meanwhile. */
  renew(id: string, leaseToken: string, untilMs: number): Promise<boolean>;
  /** Ends a leased job; false when the lease was lost meanwhile. */
  finish(id: string, leaseToken: string, nowMs: number): Promise<boolean>;
  /** Ends a failed attempt of a leased job: the next one at a moment. False when the lease was lost meanwhile. */
  retry(id: string, leaseToken: string, runAtMs: number, error: string): Promise<boolean>;
  /** Ends an attempt that went well of a job that is not over: it goes on at a moment. */
  reschedule(id: string, leaseToken: string, runAtMs: number): Promise<boolean>;
  /** Puts a begun job back into its line, as if it had not been begun: not before a moment, and where it belongs now. */
  returnToLine(id: string, leaseToken: string, runAtMs: number, placeKey: string): Promise<boolean>;
  /** Takes a job that nobody works on out of the queue; false where somebody does, or it is over. */
  cancel(id: string, nowMs: number): Promise<boolean>;
  markDead(id: string, leaseToken: string, nowMs: number, error: string): Promise<boolean>;
  counts(): Promise<{ ready: number; dead: number }>;
  /** Deletes at most `limit` jobs that were done before a moment. How many. */
  purge(beforeMs: number, limit: number): Promise<number>;
  /**
   * Begins the due run of a named schedule and sets the next; false when another process had it or is still at the one
   * before, or none is due. `lease`: until when nobody else begins one; null: the run is only noted.
   */
  beginRun(
    name: string,
    nowMs: number,
    nextMs: number,
    lease: { readonly token: string; readonly untilMs: number } | null,
  ): Promise<boolean>;
  /** Has a run that is under way last longer, unless it is another process's by now. */
  renewRun(name: string, leaseToken: string, untilMs: number): Promise<void>;
  /**
   * Notes how the run ended (null where all went well), and how long it took; false where another process began one
   * meanwhile, whose end counts.
   */
  endRun(name: string, leaseToken: string, error: string | null, tookMs: number): Promise<boolean>;
  /**
   * Makes a schedule due now, unless its run is under way: one that began before `abandonedMs` counts as cut off. False
   * where it is not, and where it never ran.
   */
  requestRun(name: string, nowMs: number, abandonedMs: number): Promise<boolean>;
  /** Every schedule, for the health page. */
  listSchedules(): Promise<Schedule[]>;
}
