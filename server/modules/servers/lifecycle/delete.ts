import type { LifecycleDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../../kernel.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { Tx } from '../../tx.ts';
import { lockOwnServer } from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';

/**
 * Takes a waiting server out of the queue: what the panel surely does not have is free with this transaction; what it
 * may have made, before it went away, keeps its ports and its capacity until it is looked up and removed. False where
 * it is worked on.
 */
async function leaveQueue(deps: LifecycleDeps, tx: Tx, server: ServerRow): Promise<boolean> {
  const now = deps.clock.now();
  const [entry] = await tx.servers.listNewestEntries([server.id]);
  if (entry?.state !== 'queued' || !(await tx.jobs.cancel(entry.id, now))) return false;
  await tx.servers.updateQueueEntry(entry.id, { state: 'cancelled', doneMs: now });
  await deps.debts.reopen(tx, server.id);
  await deps.history.logStep(tx, entry, 'cancelled');
  if (server.panelState === null) {
    await deps.capacity.release(tx, server, false);
    await deps.history.logStep(tx, entry, 'released');
    return true;
  }
  const revision = server.revision + 1;
  await tx.servers.update(server.id, { desired: 'deleted', revision }, now);
  await deps.jobs.enqueueSync(tx, { id: server.id, revision });
  return true;
}

/** Marks a server of which the panel has nothing as deleted. */
async function markDeleted(
  deps: LifecycleDeps,
  tx: Tx,
  server: ServerRow,
  code: 'cancelled' | 'deleted',
): Promise<void> {
  const now = deps.clock.now();
  // Where remains in the panel are still being removed, that goes on by itself.
  await tx.servers.update(
    server.id,
    {
      state: 'deleted',
      deletedMs: now,
      ...(server.desired === 'deleted' || server.panelState !== null ? {} : { desired: 'nothing' }),
    },
    now,
  );
  await deps.history.record(tx, server, code);
  await tx.subusers.endAllOf(server.id, now);
  tx.touch(`user:${server.userId}`);
}

/** Leaves the queue while still waiting; everything reserved is free. Throws NOT_FOUND, NOT_CANCELLABLE. */
export function cancelServer(deps: LifecycleDeps, ctx: SignedIn, id: string): Promise<Record<string, never>> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const server = await lockOwnServer(tx, ctx.actor.userId, id);
    await cancelWaiting(deps, tx, server);
    return {};
  });
}

/** The same for a locked server in a running transaction. Throws NOT_CANCELLABLE. */
export async function cancelWaiting(deps: LifecycleDeps, tx: Tx, server: ServerRow): Promise<void> {
  if (server.state !== 'queued' || !(await leaveQueue(deps, tx, server))) throw new DomainError('NOT_CANCELLABLE');
  await markDeleted(deps, tx, server, 'cancelled');
}

/** Fails the waiting server of somebody who was banned; false where a worker has it (it will notice by itself). */
export async function cancelForBan(deps: LifecycleDeps, tx: Tx, server: ServerRow): Promise<boolean> {
  if (!(await leaveQueue(deps, tx, server))) return false;
  const now = deps.clock.now();
  const left = server.panelState === null ? ({ desired: 'nothing', revision: server.revision + 1 } as const) : {};
  await tx.servers.update(server.id, { state: 'failed', failure: 'banned', expiresMs: null, ...left }, now);
  await deps.history.record(tx, server, 'cancelled', 'banned');
  return true;
}

/**
 * Starts the removal of a live server: the panel first, by a job; the row follows when the panel has confirmed
 * (behaviour 6.6).
 */
export async function startDelete(deps: LifecycleDeps, tx: Tx, server: ServerRow): Promise<void> {
  const revision = server.revision + 1;
  await tx.servers.update(server.id, { state: 'deleting', desired: 'deleted', revision }, deps.clock.now());
  await deps.jobs.enqueueSync(tx, { id: server.id, revision });
  await deps.history.record(tx, server, 'deleting');
}

/**
 * Deletes a server whose name was typed (behaviour 6.6). A waiting or failed one goes at once; asking twice is no
 * error. Throws NOT_FOUND, NAME_MISMATCH, SERVER_BUSY while it is being built.
 */
export function deleteServer(deps: LifecycleDeps, ctx: SignedIn, id: string, typedName: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockOwnServer(tx, ctx.actor.userId, id);
    if (typedName.trim() !== server.name)
      throw new DomainError('NAME_MISMATCH', { fields: { name: ['NAME_MISMATCH'] } });
    await removeServer(deps, tx, server, 'owner');
  });
}

/**
 * The same for a locked server in a running transaction. What staff delete leaves nothing for the owner's next server
 * to pay. Throws SERVER_BUSY while it is being built.
 */
export async function removeServer(
  deps: LifecycleDeps,
  tx: Tx,
  server: ServerRow,
  by: 'owner' | 'staff',
): Promise<void> {
  if (server.state === 'deleting') return;
  if (by === 'owner') await deps.debts.record(tx, server);
  if (server.state === 'active' || server.state === 'suspended') return startDelete(deps, tx, server);
  if (server.state === 'queued' && (await leaveQueue(deps, tx, server)))
    return markDeleted(deps, tx, server, 'deleted');
  if (server.state === 'failed') return markDeleted(deps, tx, server, 'deleted');
  throw new DomainError('SERVER_BUSY');
}
