import type { LifecycleDeps } from './deps.ts';
import type { Tx } from '../../tx.ts';
import { cancelForBan } from './delete.ts';
import { lockServer } from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';

async function suspendOne(deps: LifecycleDeps, tx: Tx, server: ServerRow): Promise<void> {
  if (server.state === 'queued' && (await cancelForBan(deps, tx, server))) return;
  if (server.state !== 'active' && server.state !== 'queued' && server.state !== 'installing') return;
  const change = { desired: 'suspended', suspendReason: 'ban', revision: server.revision + 1 } as const;
  await tx.servers.update(
    server.id,
    server.state === 'active' ? { ...change, state: 'suspended' } : change,
    deps.clock.now(),
  );
  if (server.state === 'active') await deps.jobs.enqueueSync(tx, { id: server.id, revision: server.revision + 1 });
  await deps.history.record(tx, server, 'suspended', 'ban');
}

async function resumeOne(deps: LifecycleDeps, tx: Tx, server: ServerRow): Promise<void> {
  // What is being deleted meanwhile goes on being deleted.
  if (server.state === 'deleting' || server.state === 'failed') return;
  const now = deps.clock.now();
  // Nobody could pay while banned: what ran out meanwhile is reminded of again before anything happens to it.
  if (server.expiresMs !== null && server.expiresMs <= now) await tx.servers.deleteReminders(server.id);
  if (server.suspendReason !== 'ban') return;
  const change = { desired: 'running', suspendReason: null, revision: server.revision + 1 } as const;
  await tx.servers.update(server.id, server.state === 'suspended' ? { ...change, state: 'active' } : change, now);
  if (server.state === 'suspended') await deps.jobs.enqueueSync(tx, { id: server.id, revision: server.revision + 1 });
  await deps.history.record(tx, server, 'resumed', 'ban');
}

async function forEachServer(deps: LifecycleDeps, tx: Tx, userId: string, work: typeof suspendOne): Promise<void> {
  await tx.limits.lock(userId);
  for (const id of await tx.servers.listIdsByUser(userId)) {
    const server = await lockServer(tx, id);
    if (server) await work(deps, tx, server);
  }
  tx.touch(`servers:${userId}`, `user:${userId}`);
}

/**
 * Takes the servers of somebody who is banned out of use, in the transaction of the ban: waiting ones leave the queue,
 * live ones are suspended (behaviour 3.9, attacks T34).
 */
export function suspendForBan(deps: LifecycleDeps, tx: Tx, userId: string): Promise<void> {
  return forEachServer(deps, tx, userId, suspendOne);
}

/** Brings back what a ban had suspended. */
export function resumeAfterBan(deps: LifecycleDeps, tx: Tx, userId: string): Promise<void> {
  return forEachServer(deps, tx, userId, resumeOne);
}

/** Owners of one run; the rest follows in the next. */
const OWNERS = 200;

/** Puts the servers of a user in step with the user's status now. */
export function syncWithOwnerStatus(deps: LifecycleDeps, userId: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const owner = await tx.identity.findContact(userId);
    if (!owner) return;
    await (owner.status === 'active' ? resumeAfterBan(deps, tx, userId) : suspendForBan(deps, tx, userId));
  });
}

/**
 * Finds the owners whose servers do not go with their status, whatever went wrong, and puts them in step. For the
 * scheduler. Who is banned may be asked about one by one, so a thread is asked.
 */
export async function syncOwners(deps: LifecycleDeps): Promise<void> {
  const owners = await deps.long.read((tx) => tx.servers.listOwnersOutOfStep(OWNERS), { for: 'job' });
  for (const userId of owners) await syncWithOwnerStatus(deps, userId);
}
