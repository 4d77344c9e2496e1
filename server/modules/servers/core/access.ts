import { DomainError } from '#shared/errors.ts';
import type { SubuserRight } from '#shared/subusers.ts';
import type { Tx } from '../../tx.ts';
import type { ServerRow } from './ports.ts';

/** What a command or question takes on a server: a right; `any`: to own it or to work on it; `owner`: to own it. */
export type NeededRight = SubuserRight | 'any' | 'owner';

/**
 * A server that the caller owns, or works on with a right. This is the one place that decides who may do what on a
 * server; commands of owners on our own rows begin with `lockOwnServer`. Throws NOT_FOUND for one that is missing,
 * deleted or somebody else's alike (attacks T24), to sub-users too where it takes its owner, and FORBIDDEN for one that
 * the caller works on without that right.
 */
export async function getServerFor(tx: Tx, userId: string, id: string, right: NeededRight): Promise<ServerRow> {
  return assertRight(tx, userId, await tx.servers.find(id), right);
}

/** The same, locked together with its owner's limits: who loses the right afterwards comes second. */
export async function lockServerFor(tx: Tx, userId: string, id: string, right: NeededRight): Promise<ServerRow> {
  const found = await getServerFor(tx, userId, id, right);
  await tx.limits.lock(found.userId);
  return assertRight(tx, userId, await tx.servers.lock(id), right);
}

async function assertRight(tx: Tx, userId: string, server: ServerRow | null, right: NeededRight): Promise<ServerRow> {
  if (!server || server.state === 'deleted') throw new DomainError('NOT_FOUND');
  if (server.userId === userId) return server;
  if (right === 'owner') throw new DomainError('NOT_FOUND');
  const rights = await tx.subusers.findRights(server.id, userId);
  if (!rights) throw new DomainError('NOT_FOUND');
  if (right !== 'any' && !rights.includes(right)) throw new DomainError('FORBIDDEN');
  return server;
}
