import type { LeasedJob } from '#server/modules/jobs/index.ts';
import type { Clock, Ids } from '#server/modules/kernel.ts';
import type { Tx, UnitOfWork } from '#server/modules/tx.ts';
import { SECOND } from '#shared/time.ts';
import type { JobHandler, JobLine } from './registry.ts';

/**
 * Lease of a run, or of a job that renews it, and how often that is done: two renewals may fail before another process
 * takes the job.
 */
export const RENEWED_MS = 30 * SECOND;
export const RENEW_MS = 10 * SECOND;

/** Runs something every so many ms; the function it gives ends that. It keeps no process alive. */
export function everyInTime(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  timer.unref();
  return () => clearInterval(timer);
}

interface LeaseDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
}
/** Leases jobs that are due, at most so many. */
type Lease = (most: number) => Promise<readonly LeasedJob[]>;
type Handlers = Readonly<Record<string, JobHandler>>;

/** Kinds that are worked on together, so many at once, and how their jobs are leased. */
export interface Pool {
  readonly kinds: readonly string[];
  readonly width: number;
  readonly lease: Lease;
}

const leaseMsOf = ({ leaseMs, renews = false }: JobHandler) => (renews ? Math.min(leaseMs, RENEWED_MS) : leaseMs);

/** The pools of all kinds: one of each kind that has a width or a line of its own, and one that the others share. */
export function createPools(deps: LeaseDeps, handlers: Handlers, sharedWidth: number): Pool[] {
  const apart = Object.entries(handlers).filter(
    ([, { concurrency, line }]) => concurrency !== undefined || line !== undefined,
  );
  const shared = Object.fromEntries(
    Object.entries(handlers).filter(([kind]) => !apart.some(([each]) => each === kind)),
  );
  return [
    { kinds: Object.keys(shared), width: sharedWidth, lease: leaseByTime(deps, shared) },
    ...apart.map(([kind, handler]) => ({
      kinds: [kind],
      width: handler.concurrency ?? sharedWidth,
      lease: handler.line
        ? leaseFromLine(deps, kind, leaseMsOf(handler), handler.line)
        : leaseByTime(deps, { [kind]: handler }),
    })),
  ];
}

/** Leases in the order of time, in turn between the groups of kinds that share a length of lease. */
function leaseByTime({ uow, clock, ids }: LeaseDeps, handlers: Handlers): Lease {
  const kindsOf = new Map<number, string[]>();
  for (const [kind, handler] of Object.entries(handlers))
    kindsOf.set(leaseMsOf(handler), [...(kindsOf.get(leaseMsOf(handler)) ?? []), kind]);
  const groups = [...kindsOf];
  let next = 0;
  return async (most) => {
    const taken: LeasedJob[] = [];
    for (let tried = 0; tried < groups.length && taken.length < most; tried += 1) {
      const [leaseMs, kinds] = groups[next % groups.length] ?? [0, []];
      next += 1;
      const request = { token: ids.token(), nowMs: clock.now(), leaseMs, limit: most - taken.length };
      taken.push(...(await uow.run((tx) => tx.jobs.lease(kinds, request))));
    }
    return taken;
  };
}

/** Leases what was begun before and is due again, then from the head of the line as far as its limits allow. */
function leaseFromLine({ uow, clock, ids }: LeaseDeps, kind: string, leaseMs: number, line: JobLine): Lease {
  async function begin(tx: Tx, taken: LeasedJob[], most: number): Promise<void> {
    const nowMs = clock.now();
    await tx.jobs.lockLine(kind);
    const begun = new Map(await tx.jobs.countBegunByLimit(kind));
    const closed = await line.closed(tx, nowMs);
    const before = taken.length;
    while (taken.length < most) {
      const { limitKeys, placeKeys } = closed(taken);
      const full = [...begun].filter(([key, count]) => count >= line.limitOf(key)).map(([key]) => key);
      const job = await tx.jobs.leaseFirst(
        kind,
        { token: ids.token(), nowMs, leaseMs },
        { servedSinceMs: nowMs - line.servedWindowMs, closed: { limitKeys: [...full, ...limitKeys], placeKeys } },
      );
      if (!job) break;
      taken.push(job);
      const key = job.line?.limitKey ?? '';
      begun.set(key, (begun.get(key) ?? 0) + 1);
    }
    if (taken.length > before) await line.moved(tx, taken.slice(before));
  }
  return (most) =>
    uow.run(async (tx) => {
      const request = { token: ids.token(), nowMs: clock.now(), leaseMs, limit: most };
      const taken = await tx.jobs.leaseBegun(kind, request);
      if (taken.length < most) await begin(tx, taken, most);
      return taken;
    });
}
