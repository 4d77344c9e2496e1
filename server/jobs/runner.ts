import type { ClaimedJob } from '#server/modules/jobs/ports.ts';
import type { Bus, Clock, Ids, Log } from '#server/modules/kernel.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { SECOND } from '#shared/time.ts';
import { defaultBackoff, PermanentFailure, type JobHandler } from './registry.ts';

export type { JobHandler } from './registry.ts';

export interface RunnerDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Wakes the runner when a job is added. */
  readonly bus: Bus;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** A number from 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Jobs at once when started (default 4), so that one that waits for the panel does not hold up the mails. */
  readonly concurrency?: number;
  /** Runs something every so many ms until it is stopped; that of the system when absent. */
  readonly every?: (ms: number, run: () => void) => () => void;
}

export interface Runner {
  /** Runs every job that is due now, one after the other, and gives their number. */
  runDue(): Promise<number>;
  /** Looks for due jobs every second and whenever the bus says there are some. */
  start(): void;
  /** Takes no new job and waits for the running ones. */
  stop(): Promise<void>;
}

/** Most jobs of one `runDue`, so that a job that makes itself due again cannot keep it from ending. */
const ROUND_MAX = 10_000;
const CONCURRENCY = 4;

/** Lease of a job that renews it, and how often it does: two renewals may fail before another process takes the job. */
const RENEWED_MS = 30 * SECOND;
const RENEW_MS = 10 * SECOND;
const leaseOf = ({ leaseMs, renews = false }: JobHandler) => (renews ? Math.min(leaseMs, RENEWED_MS) : leaseMs);

/** A worker over the durable queue. Several may run at once, in several processes: a job belongs to who holds its lease. */
export function createRunner(deps: RunnerDeps): Runner {
  const claim = claimer(deps);
  const execute = executor(deps);
  const width = deps.concurrency ?? CONCURRENCY;
  const running = new Set<Promise<void>>();
  const state = { started: false, woken: false };
  let filling: Promise<void> | null = null;
  let timer: ReturnType<typeof setInterval> | null = null;
  let unsubscribe: (() => void) | null = null;

  /** Claims jobs as long as there are due ones and free places. A place that gets free looks again. */
  async function fill(): Promise<void> {
    while (state.started && running.size < width) {
      state.woken = false;
      const job = await claim();
      if (!job && !state.woken) return;
      if (!job) continue;
      const run: Promise<void> = execute(job).finally(() => {
        running.delete(run);
        wake();
      });
      running.add(run);
    }
  }
  function wake(): void {
    state.woken = true;
    if (!state.started || filling) return;
    filling = fill()
      .catch((error: unknown) => deps.log.error('jobs.claim_failed', { error: textOf(error) }))
      .finally(() => {
        filling = null;
        // Woken after the last look: there may be something new.
        if (state.woken && running.size < width) wake();
      });
  }

  return {
    async runDue() {
      let done = 0;
      for (let job = await claim(); job && done < ROUND_MAX; job = done < ROUND_MAX ? await claim() : null) {
        await execute(job);
        done += 1;
      }
      return done;
    },
    start() {
      if (state.started) return;
      state.started = true;
      unsubscribe = deps.bus.subscribe('jobs', wake);
      timer = setInterval(wake, SECOND);
      wake();
    },
    async stop() {
      state.started = false;
      unsubscribe?.();
      if (timer) clearInterval(timer);
      await filling;
      await Promise.all(running);
    },
  };
}

/** Claims due jobs, turn about between the groups of kinds that share a length of lease. */
function claimer({ uow, clock, ids, handlers }: RunnerDeps): () => Promise<ClaimedJob | null> {
  const groups = new Map<number, string[]>();
  for (const [kind, handler] of Object.entries(handlers))
    groups.set(leaseOf(handler), [...(groups.get(leaseOf(handler)) ?? []), kind]);
  const turns = [...groups];
  let turn = 0;
  return async () => {
    for (let tried = 0; tried < turns.length; tried += 1) {
      const [leaseMs, kinds] = turns[turn % turns.length] ?? [0, []];
      turn += 1;
      const job = await uow.run((tx) => tx.jobs.claim(kinds, clock.now(), leaseMs, ids.token()));
      if (job) return job;
    }
    return null;
  };
}

/**
 * Runs one claimed job and writes its end. Never rejects: what cannot be written now is claimed again when the lease is
 * over.
 */
function executor({
  uow,
  clock,
  log,
  handlers,
  random,
  every = everyInTime,
}: RunnerDeps): (job: ClaimedJob) => Promise<void> {
  /** Whether the end was written; a lease that was lost meanwhile belongs to another runner, whose end counts. */
  function told(job: ClaimedJob, written: boolean): void {
    if (!written) log.warn('job.lease_lost', { job: job.kind, id: job.id, attempt: job.attempts });
  }
  async function failed(job: ClaimedJob, handler: JobHandler, error: unknown): Promise<void> {
    const text = textOf(error);
    const over = job.attempts >= job.maxAttempts || error instanceof PermanentFailure;
    log[over ? 'error' : 'warn']('job.failed', { job: job.kind, id: job.id, attempt: job.attempts, over, error: text });
    const { id, leaseToken } = job;
    if (over) {
      await handler
        .dead?.(job.payload, job, error)
        .catch((fault: unknown) => log.error('job.dead_failed', { job: job.kind, id, error: textOf(fault) }));
      return told(job, await uow.run((tx) => tx.jobs.bury(id, leaseToken, clock.now(), text)));
    }
    // Those that failed together do not meet again.
    const pause = handler.backoffMs
      ? Math.round(handler.backoffMs(job.attempts) * (0.9 + 0.2 * random()))
      : defaultBackoff(job.attempts, random);
    told(job, await uow.run((tx) => tx.jobs.retry(id, leaseToken, clock.now() + pause, text)));
  }
  /** Runs with the lease renewed, for as long as the handler's own lease lasts: one that hangs loses the job at last. */
  async function renewing(job: ClaimedJob, handler: JobHandler, work: () => Promise<unknown>): Promise<void> {
    if (!handler.renews) return void (await work());
    const endMs = clock.now() + handler.leaseMs;
    const renew = () => {
      const now = clock.now();
      if (now >= endMs) return;
      void uow
        .run((tx) => tx.jobs.renew(job.id, job.leaseToken, now + RENEWED_MS))
        .catch((error: unknown) => log.warn('job.not_renewed', { job: job.kind, id: job.id, error: textOf(error) }));
    };
    const stop = every(RENEW_MS, renew);
    try {
      await work();
    } finally {
      stop();
    }
  }
  async function run(job: ClaimedJob): Promise<void> {
    const handler = handlers[job.kind];
    if (!handler) throw new Error(`a job without a handler was claimed: ${job.kind}`);
    try {
      // A job that killed its runner each time would do so for ever.
      if (job.attempts > job.maxAttempts) throw new PermanentFailure('the runner died at each try');
      await renewing(job, handler, () => handler.handle(job.payload, job));
    } catch (error) {
      return failed(job, handler, error);
    }
    told(job, await uow.run((tx) => tx.jobs.finish(job.id, job.leaseToken, clock.now())));
  }
  return (job) =>
    run(job).catch((error: unknown) => log.error('job.not_ended', { job: job.kind, id: job.id, error: textOf(error) }));
}

function everyInTime(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  timer.unref();
  return () => clearInterval(timer);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
