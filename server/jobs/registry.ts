import type { ClaimedJob } from '#server/modules/jobs/ports.ts';
import { HOUR, MINUTE } from '#shared/time.ts';

/**
 * What does the jobs of one kind. It may run more than once for one job (a crash, a lost lease): its effects must bear
 * that.
 */
export interface JobHandler {
  /** How long one try may take before another runner may claim the job. */
  readonly leaseMs: number;
  /**
   * A second run beside the first does no harm: the lease is short and renewed while the job runs, so that another
   * process takes over soon after a kill.
   */
  readonly renews?: boolean;
  /**
   * Does the work. A throw means another try later, or the end when the tries are used up or the error is a
   * `PermanentFailure`.
   */
  handle(payload: unknown, job: ClaimedJob): Promise<void>;
  /** Pause after the n-th failed try (from 1); exponential from 60 s, at most an hour, when absent. */
  backoffMs?(attempt: number): number;
  /** Called before a job is given up, for what must not stay half done. May run more than once. */
  dead?(payload: unknown, job: ClaimedJob, error: unknown): Promise<void>;
}

/** Thrown by a handler where no further try can help. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/**
 * Pause before the next try: 60 s, doubled each time, at most an hour, give or take a tenth (architecture 13). `random`
 * gives 0 to 1.
 */
export function defaultBackoff(attempt: number, random: () => number): number {
  const pause = Math.min(MINUTE * 2 ** (attempt - 1), HOUR);
  return Math.round(pause * (0.9 + 0.2 * random()));
}
