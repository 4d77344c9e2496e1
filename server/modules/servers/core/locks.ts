import { DomainError } from '#shared/errors.ts';
import type { Tx } from '../../tx.ts';
import type { ServerRow } from './ports.ts';

/**
 * A server of this user, locked together with the user's limits. Throws NOT_FOUND for one that is missing, deleted or
 * somebody else's alike (attacks T24). Every command begins with it, so that all that one user does is in one line.
 */
export async function lockOwnServer(tx: Tx, userId: string, id: string): Promise<ServerRow> {
  await tx.limits.lock(userId);
  const server = await tx.servers.lock(id);
  if (!server || server.userId !== userId || server.state === 'deleted') throw new DomainError('NOT_FOUND');
  return server;
}

/** A server locked for the system's own work; null where it is gone. `ownerId`: whose it is, where that is known. */
export async function lockServer(tx: Tx, id: string, ownerId?: string): Promise<ServerRow | null> {
  if (ownerId !== undefined) {
    await tx.limits.lock(ownerId);
    return tx.servers.lock(id);
  }
  const found = await tx.servers.find(id);
  if (!found) return null;
  await tx.limits.lock(found.userId);
  return tx.servers.lock(id, found);
}
