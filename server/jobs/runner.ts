import type { LeasedJob } from '#server/modules/jobs/index.ts';
import type { Bus, Clock, Ids, Log } from '#server/modules/kernel.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { SECOND } from '#shared/time.ts';
import { createPools, everyInTime, RENEW_MS, RENEWED_MS, type Pool } from './lease.ts';
import { defaultBackoff, PermanentFailure, type JobHandler } from './registry.ts';

export type { JobHandler } from './registry.ts';

export interface RunnerDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Has the runner poll when a job is added. */
  readonly bus: Bus;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** A number from 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
  /**
   * Jobs at once when started (default 4), so that one that waits for the panel does not hold up the mails; kinds with
   * a concurrency of their own run beside them.
   */
  readonly concurrency?: number;
  /** Runs something every so many ms until it is stopped; that of the system when absent. */
  readonly every?: (ms: number, run: () => void) => () => void;
}

export interface Runner {
  /**
   * Runs every job that is due now and gives their number: one after the other, but those of kinds with a concurrency
   * of their own. `only`: jobs of one kind, and at most so many.
   */
  runDue(only?: { readonly kind: string; readonly most?: number }): Promise<number>;
  /** Polls for due jobs every second and whenever the bus says there are some. */
  start(): void;
  /** Takes no new job and waits for the running ones. */
  stop(): Promise<void>;
}

/** Most jobs of one `runDue`, so that a job that makes itself due again cannot keep it from ending. */
const ROUND_MAX = 10_000;
const CONCURRENCY = 4;

type Execute = (job: LeasedJob) => Promise<void>;

/** A worker over the durable queue. Several may run at once, in several processes: a job belongs to who holds its lease. */
export function createRunner(deps: RunnerDeps): Runner {
  const execute = executor(deps);
  const pools = createPools(deps, deps.handlers, deps.concurrency ?? CONCURRENCY);
  const [shared] = pools;
  const loops = pools.map((pool) => poolLoop(deps, pool, execute));
  let timer: ReturnType<typeof setInterval> | null = null;
  let unsubscribe: (() => void) | null = null;
  const requestPoll = () => {
    for (const loop of loops) loop.requestPoll();
  };
  return {
    async runDue({ kind, most = ROUND_MAX } = { kind: '' }) {
      const chosen = kind === '' ? pools : pools.filter(({ kinds }) => kinds.includes(kind));
      let done = 0;
      for (let round = -1; round !== 0 && done < most; done += round) {
        round = 0;
        for (const pool of chosen)
          round += await drain(pool, pool === shared ? 1 : pool.width, most - done - round, execute);
      }
      return done;
    },
    start() {
      if (timer) return;
      for (const loop of loops) loop.start();
      unsubscribe = deps.bus.subscribe('jobs', requestPoll);
      timer = setInterval(requestPoll, SECOND);
      requestPoll();
    },
    async stop() {
      unsubscribe?.();
      if (timer) clearInterval(timer);
      timer = null;
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** Runs the due jobs of a pool, so many at once and at most so many, until nothing is due. Out: how many. */
async function drain({ lease }: Pool, width: number, most: number, execute: Execute): Promise<number> {
  const running = new Set<Promise<void>>();
  let begun = 0;
  for (;;) {
    const free = Math.min(width - running.size, most - begun);
    for (const job of free > 0 ? await lease(free) : []) {
      const run: Promise<void> = execute(job).finally(() => running.delete(run));
      running.add(run);
      begun += 1;
    }
    if (running.size === 0) return begun;
    await Promise.race(running);
    // Those that end with the same write to the disk free their places together.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Keeps a pool at work: leases as long as there are due jobs and free places. A place that gets free polls again. */
function poolLoop({ log }: RunnerDeps, { width, lease }: Pool, execute: Execute) {
  const running = new Set<Promise<void>>();
  const state = { started: false, pollRequested: false };
  let filling: Promise<void> | null = null;

  async function fill(): Promise<void> {
    while (state.started && running.size < width) {
      state.pollRequested = false;
      const jobs = await lease(width - running.size);
      if (jobs.length === 0 && !state.pollRequested) return;
      for (const job of jobs) {
        const run: Promise<void> = execute(job).finally(() => {
          running.delete(run);
          requestPoll();
        });
        running.add(run);
      }
    }
  }
  function requestPoll(): void {
    state.pollRequested = true;
    if (!state.started || filling) return;
    filling = fill()
      .catch((error: unknown) => log.error('jobs.lease_failed', { error: textOf(error) }))
      .finally(() => {
        filling = null;
        // Requested after the last lease: there may be something new.
        if (state.pollRequested && running.size < width) requestPoll();
      });
  }
  return {
    requestPoll,
    start: () => void (state.started = true),
    async stop() {
      state.started = false;
      await filling;
      await Promise.all(running);
    },
  };
}

/**
 * Runs one leased job and writes its end. Never rejects: what cannot be written now is leased again when the lease is
 * over.
 */
function executor({ uow, clock, log, handlers, random, every = everyInTime }: RunnerDeps): Execute {
  /** Logs where the end could not be written: the lease was lost meanwhile, and the end of who took over counts. */
  function warnLeaseLost(job: LeasedJob, written: boolean): void {
    if (!written) log.warn('job.lease_lost', { job: job.kind, id: job.id, attempt: job.attempts });
  }
  async function endFailed(job: LeasedJob, handler: JobHandler, error: unknown): Promise<void> {
    const text = textOf(error);
    const over = job.attempts >= job.maxAttempts || error instanceof PermanentFailure;
    log[over ? 'error' : 'warn']('job.failed', { job: job.kind, id: job.id, attempt: job.attempts, over, error: text });
    const { id, leaseToken } = job;
    if (over) {
      await handler
        .dead?.(job.payload, job, error)
        .catch((fault: unknown) => log.error('job.dead_failed', { job: job.kind, id, error: textOf(fault) }));
      return warnLeaseLost(job, await uow.run((tx) => tx.jobs.markDead(id, leaseToken, clock.now(), text)));
    }
    // Those that failed together do not meet again.
    const pause = handler.backoffMs
      ? Math.round(handler.backoffMs(job.attempts) * (0.9 + 0.2 * random()))
      : defaultBackoff(job.attempts, random);
    warnLeaseLost(job, await uow.run((tx) => tx.jobs.retry(id, leaseToken, clock.now() + pause, text)));
  }
  /** Runs with the lease renewed, for as long as the handler's own lease lasts: one that hangs loses the job at last. */
  async function withRenewal(job: LeasedJob, handler: JobHandler, work: () => Promise<unknown>): Promise<void> {
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
  async function run(job: LeasedJob): Promise<void> {
    const handler = handlers[job.kind];
    if (!handler) throw new Error(`a job without a handler was leased: ${job.kind}`);
    try {
      // A job that killed its runner each time would do so for ever.
      if (job.attempts > job.maxAttempts) throw new PermanentFailure('its last attempt was cut off');
      await withRenewal(job, handler, () => handler.handle(job.payload, job));
    } catch (error) {
      return endFailed(job, handler, error);
    }
    if (!handler.endsItself)
      warnLeaseLost(job, await uow.run((tx) => tx.jobs.finish(job.id, job.leaseToken, clock.now())));
  }
  return (job) =>
    run(job).catch((error: unknown) => log.error('job.not_ended', { job: job.kind, id: job.id, error: textOf(error) }));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
