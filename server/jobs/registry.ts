import type { Closed, LeasedJob } from '#server/modules/jobs/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import { HOUR, MINUTE } from '#shared/time.ts';

/** How the jobs of one kind wait for each other, where they do. */
export interface JobLine {
  /** A group whose jobs were begun within this time waits longer than one whose were not. */
  readonly servedWindowMs: number;
  /** Most jobs of one limit key that may be begun and not over at once, in all processes together. */
  limitOf(limitKey: string): number;
  /**
   * Reads once, in the transaction of a lease, what waiting jobs may not need just now. Out: the same after some jobs
   * were leased in that transaction.
   */
  closed(tx: Tx, nowMs: number): Promise<(taken: readonly LeasedJob[]) => Closed>;
  /** What else belongs to a lease that began these jobs of the line: those behind them have moved up. */
  moved(tx: Tx, begun: readonly LeasedJob[]): Promise<void>;
}

/**
 * What does the jobs of one kind. It may run more than once for one job (a crash, a lost lease): its effects must bear
 * that.
 */
export interface JobHandler {
  /** How long one attempt may take before another runner may lease the job. */
  readonly leaseMs: number;
  /**
   * A second run beside the first does no harm: the lease is short and renewed while the job runs, so that another
   * process takes over soon after a kill.
   */
  readonly renews?: boolean;
  /** Jobs of this kind at once in one process, beside those of other kinds; they share the runner's when absent. */
  readonly concurrency?: number;
  /** Jobs of this kind wait in a line; each must have been added with its place in it. */
  readonly line?: JobLine;
  /** Ends each job itself, in the transaction of its effect: the runner ends only attempts that threw. */
  readonly endsItself?: boolean;
  /**
   * Does the work. A throw means another attempt later, or the end when the attempts are used up or the error is a
   * `PermanentFailure`.
   */
  handle(payload: unknown, job: LeasedJob): Promise<void>;
  /** Pause after the n-th failed attempt (from 1); exponential from 60 s, at most an hour, when absent. */
  backoffMs?(attempt: number): number;
  /** Called before a job is given up, for what must not stay half done. May run more than once. */
  dead?(payload: unknown, job: LeasedJob, error: unknown): Promise<void>;
}

/** Thrown by a handler where no further attempt can help. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/**
 * Pause before the next attempt: 60 s, doubled each time, at most an hour, give or take a tenth (architecture 13).
 * `random` gives 0 to 1.
 */
export function defaultBackoff(attempt: number, random: () => number): number {
  const pause = Math.min(MINUTE * 2 ** (attempt - 1), HOUR);
  return Math.round(pause * (0.9 + 0.2 * random()));
}
