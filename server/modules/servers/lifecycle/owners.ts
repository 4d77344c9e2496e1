import { DomainError, fieldError } from '#shared/errors.ts';
import type { Tx } from '../../tx.ts';
import type { NewOwner } from './create.ts';
import { lockServer } from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';

/** A user as identity stores them. */
type UserRow = NonNullable<Awaited<ReturnType<Tx['identity']['findUser']>>>;
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Whom staff mean: by username, address or id, as typed. Throws VALIDATION_FAILED with UNKNOWN at `owner` where there
 * is nobody, and ACCOUNT_BANNED.
 */
export async function getOwnerByLogin(tx: Tx, typed: string): Promise<UserRow> {
  const text = typed.trim();
  const user = ID.test(text) ? await tx.identity.findUser(text) : await tx.identity.findUserByLogin(text);
  return inGoodStanding(user);
}

function inGoodStanding(user: UserRow | null): UserRow {
  if (!user || user.status === 'deleted') throw fieldError('owner', 'UNKNOWN');
  if (user.status === 'banned') throw new DomainError('ACCOUNT_BANNED');
  return user;
}

/** An owner with what the owner's role allows: staff lend nobody their own permissions (attacks T25). */
export async function toNewOwner(tx: Tx, user: UserRow, beyondLimits = false): Promise<NewOwner> {
  return { userId: user.id, permissions: await tx.access.permissionsOf(user.roleId), beyondLimits };
}

/** The owner of a server by id; see getOwnerByLogin. */
export async function getOwner(tx: Tx, userId: string): Promise<NewOwner> {
  return toNewOwner(tx, inGoodStanding(await tx.identity.findUser(userId)));
}

/** A server with its owner's limits locked. Throws NOT_FOUND for one that is missing or deleted. */
export async function lockExistingServer(tx: Tx, id: string): Promise<ServerRow> {
  const server = await lockServer(tx, id);
  if (!server || server.state === 'deleted') throw new DomainError('NOT_FOUND');
  return server;
}
