import type { QueueStep, ServerFailure } from '#shared/server-codes.ts';
import type { Tx } from '../tx.ts';
import { lockAny, logStep, logSteps, wakeQueue, type ServersDeps } from './deps.ts';
import { failBuild } from './finish.ts';
import { QUEUE } from './policy.ts';
import type { QueueChange, QueueRow, ServerRow } from './ports.ts';

/** A queue entry held by this worker under a lease, with its server as it was at the claim. */
export interface Held {
  readonly entry: QueueRow;
  readonly token: string;
  readonly server: ServerRow;
}

/** Notes steps of a held entry and lengthens the lease; false where the lease was lost meanwhile: then the worker must stop. */
export function step(deps: ServersDeps, held: Held, codes: readonly QueueStep[], also?: (tx: Tx) => Promise<void>): Promise<boolean> {
  return deps.uow.run(async (tx) => {
    if (!(await tx.servers.changeQueue(held.entry.id, held.token, { leaseUntilMs: deps.clock.now() + QUEUE.leaseMs }))) return false;
    await logSteps(deps, tx, held.entry, codes);
    if (also) await also(tx);
    tx.touch(`servers:${held.server.userId}`);
    return true;
  });
}

/** Gives an entry back, to be looked at again at a moment; false where the lease was lost meanwhile. */
export async function putBack(deps: ServersDeps, tx: Tx, held: Held, atMs: number, change: QueueChange = {}): Promise<boolean> {
  const kept = await tx.servers.changeQueue(held.entry.id, held.token, { ...change, runAtMs: atMs, leaseToken: null, leaseUntilMs: 0 });
  if (kept) await wakeQueue(deps, tx, held.entry.id, atMs);
  return kept;
}

/**
 * What is to be kept as the panel's state after a try that failed. `certain`: this try changed nothing in the panel. Only then, and if no
 * earlier try was left without an answer, is it sure that nothing is there (null).
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
    if (pause === undefined) return failBuild(deps, tx, held, { ...server, panelState }, why.outcome === 'full' ? 'noRoom' : 'panelUnavailable');
    if (!(await putBack(deps, tx, held, deps.clock.now() + pause, { lastError: why.outcome }))) return;
    await tx.servers.change(server.id, { panelState }, deps.clock.now());
    await logStep(deps, tx, held.entry, 'retry', why.outcome);
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
