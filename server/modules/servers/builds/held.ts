import type { QueueStep, QueueWait, ServerFailure } from '#shared/server-codes.ts';
import { HOUR, SECOND } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import { lockAny, logStep, logSteps, wakeQueue, type ServersDeps, QUEUE, spread } from '../core/index.ts';
import { failBuild } from './finish.ts';
import { beginOutage, type Wait } from '../outages/index.ts';
import type { Outage } from '../outages/ports.ts';
import type { QueueChange, QueueRow, ServerRow } from '../core/ports.ts';

/** A queue entry held by this worker under a lease, with its server as it was at the claim. */
export interface Held {
  readonly entry: QueueRow;
  readonly token: string;
  readonly server: ServerRow;
  /** Outages of its panel or node that this is the try of. */
  readonly under: readonly Outage[];
}

/**
 * Notes steps of a held entry and lengthens the lease; false where the lease was lost meanwhile: then the worker must
 * stop.
 */
export function step(
  deps: ServersDeps,
  held: Held,
  codes: readonly QueueStep[],
  also?: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return deps.uow.run(async (tx) => {
    if (!(await tx.servers.changeQueue(held.entry.id, held.token, { leaseUntilMs: deps.clock.now() + QUEUE.leaseMs })))
      return false;
    await logSteps(deps, tx, held.entry, codes);
    if (also) await also(tx);
    tx.touch(`servers:${held.server.userId}`);
    return true;
  });
}

/** Gives an entry back, to be looked at again at a moment; false where the lease was lost meanwhile. */
export async function putBack(
  deps: ServersDeps,
  tx: Tx,
  held: Held,
  atMs: number,
  change: QueueChange = {},
): Promise<boolean> {
  const kept = await tx.servers.changeQueue(held.entry.id, held.token, {
    ...change,
    runAtMs: atMs,
    leaseToken: null,
    leaseUntilMs: 0,
  });
  if (kept) await wakeQueue(deps, tx, held.entry.id, atMs);
  return kept;
}

/**
 * What is to be kept as the panel's state after a try that failed. `certain`: this try changed nothing in the panel.
 * Only then, and if no earlier try was left without an answer, is it sure that nothing is there (null).
 */
function leftBehind(held: Held, now: ServerRow, certain: boolean): ServerRow['panelState'] {
  return certain && held.server.panelState === null ? null : now.panelState;
}

/** Ends a try without success: another one after a pause, or the final failure after the third (behaviour 6.2). */
export function tryAgain(deps: ServersDeps, held: Held, why: { outcome: string; certain: boolean }): Promise<void> {
  const pause = held.entry.attempts < QUEUE.tries ? QUEUE.pausesMs[held.entry.attempts - 1] : undefined;
  return deps.uow.run(async (tx) => {
    const server = await lockAny(tx, held.server.id);
    if (!server) return;
    const panelState = leftBehind(held, server, why.certain);
    if (pause === undefined)
      return failBuild(
        deps,
        tx,
        held,
        { ...server, panelState },
        why.outcome === 'full' ? 'noRoom' : 'panelUnavailable',
      );
    if (
      !(await putBack(deps, tx, held, deps.clock.now() + spread(pause, deps.random), {
        lastError: why.outcome,
        heldSinceMs: null,
      }))
    )
      return;
    await tx.servers.update(server.id, { panelState }, deps.clock.now());
    await logStep(deps, tx, held.entry, 'retry', why.outcome);
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
const APART_MS = 3 * SECOND;

/** How long an entry waits before it is given up, ms. */
export const giveUpMs = (deps: Pick<ServersDeps, 'settings'>): number =>
  deps.settings.current().queue_give_up_hours * HOUR;

/**
 * Ends a try that got nowhere because the panel, or its machine, is away: it costs none. The entry waits in the queue
 * again until the outage is over, and fails once it has waited for too long. `certain`: this try changed nothing in the
 * panel.
 */
export function hold(deps: ServersDeps, held: Held, wait: Wait, certain: boolean): Promise<void> {
  const { entry } = held;
  const { cause, reason } = wait;
  return deps.uow.run(async (tx) => {
    const server = await lockAny(tx, held.server.id);
    if (!server) return;
    const now = deps.clock.now();
    const panelState = leftBehind(held, server, certain);
    const outage = held.under.find((each) => each.cause === cause);
    const heldSinceMs = entry.heldSinceMs ?? Math.min(now, Math.max(outage?.sinceMs ?? now, entry.createdMs));
    if (now - heldSinceMs >= giveUpMs(deps))
      return failBuild(deps, tx, held, { ...server, panelState }, FAILURES[cause]);
    const runAtMs = now + (cause === 'busy' ? spread(BUSY_MS, deps.random) : Math.round(APART_MS * deps.random()));
    const waiting = {
      state: 'queued',
      attempts: entry.attempts - 1,
      startedMs: null,
      heldSinceMs,
      lastError: cause,
      runAtMs,
      leaseToken: null,
      leaseUntilMs: 0,
    } as const;
    if (!(await tx.servers.changeQueue(entry.id, held.token, waiting))) return;
    await tx.servers.update(server.id, { state: 'queued', panelState }, now);
    if (entry.heldSinceMs === null || entry.lastError !== cause) await logStep(deps, tx, entry, 'held', cause);
    if (cause === 'busy') await wakeQueue(deps, tx, entry.id, runAtMs);
    else await beginOutage(deps, tx, server, { cause, reason }, held.under);
    tx.touch(`servers:${server.userId}`);
  });
}

/** Fails a held build for good. `certain`: this try changed nothing in the panel. */
export function giveUp(deps: ServersDeps, held: Held, code: ServerFailure, certain = false): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockAny(tx, held.server.id);
    if (server) await failBuild(deps, tx, held, { ...server, panelState: leftBehind(held, server, certain) }, code);
  });
}
