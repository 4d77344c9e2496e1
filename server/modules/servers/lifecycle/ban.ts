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

/**
 * Puts the servers of a user in step with the user's status now: of somebody who is banned waiting ones leave the queue
 * and live ones are suspended (behaviour 3.9, attacks T34), and they come back when the ban ends. Each in a transaction
 * of its own, as the user is then: thousands in one would keep everybody waiting for seconds.
 */
export async function syncWithOwnerStatus(deps: LifecycleDeps, userId: string): Promise<void> {
  for (const id of await deps.uow.read((tx) => tx.servers.listIdsByUser(userId)))
    await deps.uow.run(async (tx) => {
      await tx.limits.lock(userId);
      const owner = await tx.identity.findContact(userId);
      const server = await lockServer(tx, id);
      if (!owner || !server) return;
      await (owner.status === 'active' ? resumeOne : suspendOne)(deps, tx, server);
      tx.touch(`servers:${userId}`, `user:${userId}`);
    });
}

/** Owners of one run; the rest follows in the next. */
const OWNERS = 200;

/**
 * Finds the owners whose servers do not go with their status, whatever went wrong, and puts them in step. For the
 * scheduler. Who is banned may be asked about one by one, so a thread is asked.
 */
export async function syncOwners(deps: LifecycleDeps): Promise<void> {
  const owners = await deps.long.read((tx) => tx.servers.listOwnersOutOfStep(OWNERS), { for: 'job' });
  for (const userId of owners) await syncWithOwnerStatus(deps, userId);
}
