import type { BuildsDeps } from './deps.ts';
import type { ServerFailure } from '#shared/server-codes.ts';
import type { Tx } from '../../tx.ts';
import { toServerFacts } from '../core/index.ts';
import { reportedState } from '../panel/index.ts';
import type { PanelServer } from '../panel/ports.ts';
import type { QueueEntry, ServerRow } from '../core/ports.ts';

/** An entry with the lease of its job; null where nobody works on it, and nobody may. */
interface Ending {
  readonly entry: QueueEntry;
  readonly leaseToken: string | null;
}

/** Ends the job of an entry; false where another worker has it by now. */
const endJob = (tx: Tx, { entry, leaseToken }: Ending, nowMs: number): Promise<boolean> =>
  leaseToken === null ? tx.jobs.cancel(entry.id, nowMs) : tx.jobs.finish(entry.id, leaseToken, nowMs);

/** The installation has ended well: the server is its owner's to use. Nothing happens where the lease was lost. */
export async function finishBuild(deps: BuildsDeps, tx: Tx, leased: Ending, made: PanelServer): Promise<void> {
  const { entry } = leased;
  const now = deps.clock.now();
  await tx.limits.lock(entry.userId);
  if (!(await endJob(tx, leased, now))) return;
  const seen = { panelState: reportedState(made), address: made.address };
  const completed = await tx.servers.completeBuild(entry.serverId, seen, now);
  // Whoever takes a server out of construction ends its job in the same transaction.
  if (!completed) throw new Error('a server whose build is leased is not under construction');
  const { server, owes } = completed;
  await tx.servers.updateQueueEntry(entry.id, { state: 'completed', doneMs: now, lastError: null });
  if (owes) await deps.debts.close(tx, server);
  if (server.syncedRevision < server.revision) await deps.jobs.enqueueSync(tx, server);
  // Its place under construction is free for the next in line.
  tx.touch('jobs');
  await deps.history.logStep(tx, entry, 'installed');
  await deps.history.record(tx, server, 'ready');
  const address = made.address ?? '';
  await deps.events.emit(tx, 'server.ready', { ...toServerFacts(server), entryId: entry.id, address });
  tx.touch(`user:${server.userId}`);
}

/**
 * The final failure (behaviour 6.2): everything reserved is free again with this transaction, and the owner is notified
 * why. `server` is the locked row; where the panel may have something of it, that is removed by a job. Nothing happens
 * where the lease was lost.
 */
export async function failBuild(
  deps: BuildsDeps,
  tx: Tx,
  leased: Ending,
  server: ServerRow,
  code: ServerFailure,
): Promise<void> {
  const { entry } = leased;
  const now = deps.clock.now();
  if (!(await endJob(tx, leased, now))) return;
  await tx.servers.updateQueueEntry(entry.id, { state: 'failed', doneMs: now, lastError: code });
  await deps.history.logStep(tx, entry, 'failed', code);
  await failServer(deps, tx, server, code, entry.id);
  await deps.history.logStep(tx, entry, 'released');
  tx.touch('jobs');
}

/**
 * Makes a server a failed one: its limits and its slot are free from here on. `key` tells this failure from another of
 * the same server.
 */
export async function failServer(
  deps: BuildsDeps,
  tx: Tx,
  server: ServerRow,
  code: ServerFailure,
  key: string,
): Promise<void> {
  const desired = server.panelId !== null || server.panelState !== null ? 'deleted' : 'nothing';
  const revision = server.revision + 1;
  const change = {
    state: 'failed',
    failure: code,
    desired,
    revision,
    panelState: server.panelState,
    suspendReason: null,
    expiresMs: null,
    reinstallMs: null,
  } as const;
  await tx.servers.update(server.id, change, deps.clock.now());
  // What the panel may have keeps its ports and its capacity until the panel has let it go.
  if (desired === 'deleted') await deps.jobs.enqueueSync(tx, { id: server.id, revision });
  else await deps.capacity.release(tx, server, code === 'panelLost');
  await deps.debts.reopen(tx, server.id);
  await deps.history.record(tx, server, 'failed', code);
  await deps.events.emit(tx, 'server.failed', { ...toServerFacts(server), reason: code, failureKey: key });
  tx.touch(`user:${server.userId}`);
}
