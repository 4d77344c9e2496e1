import type { BuildsDeps } from './deps.ts';
import type { QueueStep, QueueWait, ServerFailure } from '#shared/server-codes.ts';
import { HOUR, SECOND } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import { lockServer, placeKeyOf, QUEUE, withJitter } from '../core/index.ts';
import type { QueueEntryChange, QueueEntry, ServerRow } from '../core/ports.ts';
import { type WaitCause } from '../outages/index.ts';
import type { Outage } from '../outages/ports.ts';
import { failBuild } from './finish.ts';

/** A queue entry whose job this worker has a lease of, with its server as it was when the attempt began. */
export interface LeasedEntry {
  readonly entry: QueueEntry;
  readonly leaseToken: string;
  readonly server: ServerRow;
  /** Outages of its panel or node of which this attempt finds out whether they are over. */
  readonly retriedOutages: readonly Outage[];
}

/** Lengthens the lease in a running transaction; false where it was lost meanwhile: then the worker must stop. */
export const renewLease = (deps: Pick<BuildsDeps, 'clock'>, tx: Tx, id: string, leaseToken: string): Promise<boolean> =>
  tx.jobs.renew(id, leaseToken, deps.clock.now() + QUEUE.renewedMs);

/** Notes steps of a leased entry; false where the lease was lost meanwhile: then the worker must stop. */
export function logLeasedSteps(
  deps: BuildsDeps,
  { entry, leaseToken, server }: LeasedEntry,
  codes: readonly QueueStep[],
  also?: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return deps.uow.run(async (tx) => {
    if (!(await renewLease(deps, tx, entry.id, leaseToken))) return false;
    await deps.history.logSteps(tx, entry, codes);
    if (also) await also(tx);
    tx.touch(`servers:${server.userId}`);
    return true;
  });
}

/** Ends an attempt of an entry that stays under construction; false where the lease was lost meanwhile. */
export async function rescheduleBuild(
  deps: BuildsDeps,
  tx: Tx,
  { entry, leaseToken }: LeasedEntry,
  atMs: number,
  change: QueueEntryChange,
): Promise<boolean> {
  if (!(await tx.jobs.reschedule(entry.id, leaseToken, atMs))) return false;
  // Who has the lease knows the entry: what stays as it is needs no statement.
  const isOther = Object.entries(change).some(([field, value]) => entry[field as keyof QueueEntryChange] !== value);
  if (isOther) await tx.servers.updateQueueEntry(entry.id, change);
  return true;
}

/**
 * What is to be kept as the panel's state after an attempt that failed. `certain`: this attempt changed nothing in the
 * panel. Only then, and if no earlier one was left without an answer, is it sure that nothing is there (null).
 */
function panelStateAfter(leased: LeasedEntry, now: ServerRow, certain: boolean): ServerRow['panelState'] {
  return certain && leased.server.panelState === null ? null : now.panelState;
}

/** Ends an attempt without success: another one after a pause, or the final failure after the third (behaviour 6.2). */
export function retryLater(
  deps: BuildsDeps,
  leased: LeasedEntry,
  why: { outcome: string; certain: boolean },
): Promise<void> {
  // None after the last attempt.
  const pause = QUEUE.pausesMs[leased.entry.attempts - 1];
  return deps.uow.run(async (tx) => {
    const server = await lockServer(tx, leased.server.id, leased.server.userId);
    if (!server) return;
    const panelState = panelStateAfter(leased, server, why.certain);
    if (pause === undefined)
      return failBuild(
        deps,
        tx,
        leased,
        { ...server, panelState },
        why.outcome === 'full' ? 'noRoom' : 'panelUnavailable',
      );
    const atMs = deps.clock.now() + withJitter(pause, deps.random);
    if (!(await rescheduleBuild(deps, tx, leased, atMs, { lastError: why.outcome, waitingSinceMs: null }))) return;
    await tx.servers.update(server.id, { panelState }, deps.clock.now());
    await deps.history.logStep(tx, leased.entry, 'retry', why.outcome);
    tx.touch(`servers:${server.userId}`);
  });
}

/** How an entry that waited for something too long failed. */
export const FAILURES = {
  panel: 'panelAway',
  key: 'panelKey',
  node: 'nodeAway',
  maintenance: 'nodeAway',
  off: 'panelOff',
  busy: 'panelAway',
} as const satisfies Record<QueueWait, ServerFailure>;
/**
 * Pause of an entry whose panel has too much to do, and up to how far those that waited together go on apart from each
 * other.
 */
const BUSY_MS = 15 * SECOND;
const SPREAD_MS = 3 * SECOND;

/** When an entry that goes back into the line may be begun again. */
export const spreadMs = (deps: Pick<BuildsDeps, 'clock' | 'random'>): number =>
  deps.clock.now() + Math.round(SPREAD_MS * deps.random());

/** How long an entry waits before it is given up, ms. */
export const maxWaitMs = (deps: Pick<BuildsDeps, 'settings'>): number =>
  deps.settings.current().queue_give_up_hours * HOUR;

/**
 * Ends an attempt that got nowhere because the panel, or its machine, is away: it costs none. The entry waits in the
 * queue again until the outage is over, and fails once it has waited for too long. `certain`: this attempt changed
 * nothing in the panel.
 */
export function waitForOutage(deps: BuildsDeps, leased: LeasedEntry, wait: WaitCause, certain: boolean): Promise<void> {
  const { entry, leaseToken } = leased;
  const { cause, reason } = wait;
  return deps.uow.run(async (tx) => {
    const server = await lockServer(tx, leased.server.id, leased.server.userId);
    if (!server) return;
    const now = deps.clock.now();
    const panelState = panelStateAfter(leased, server, certain);
    const outage = leased.retriedOutages.find((each) => each.cause === cause);
    const waitingSinceMs = entry.waitingSinceMs ?? Math.min(now, Math.max(outage?.sinceMs ?? now, entry.createdMs));
    if (now - waitingSinceMs >= maxWaitMs(deps))
      return failBuild(deps, tx, leased, { ...server, panelState }, FAILURES[cause]);
    const runAtMs = cause === 'busy' ? now + withJitter(BUSY_MS, deps.random) : spreadMs(deps);
    if (!(await tx.jobs.returnToLine(entry.id, leaseToken, runAtMs, placeKeyOf(server)))) return;
    await tx.servers.updateQueueEntry(entry.id, {
      state: 'queued',
      attempts: entry.attempts - 1,
      startedMs: null,
      waitingSinceMs,
      lastError: cause,
    });
    await tx.servers.update(server.id, { state: 'queued', panelState }, now);
    if (entry.waitingSinceMs === null || entry.lastError !== cause)
      await deps.history.logStep(tx, entry, 'postponed', cause);
    if (cause !== 'busy') await deps.outages.start(tx, server, { cause, reason }, leased.retriedOutages);
    tx.touch('jobs');
    tx.touch(`servers:${server.userId}`);
  });
}

/** Fails a leased build for good. `certain`: this attempt changed nothing in the panel. */
export function failLeasedBuild(
  deps: BuildsDeps,
  leased: LeasedEntry,
  code: ServerFailure,
  certain = false,
): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockServer(tx, leased.server.id, leased.server.userId);
    if (server)
      await failBuild(deps, tx, leased, { ...server, panelState: panelStateAfter(leased, server, certain) }, code);
  });
}
