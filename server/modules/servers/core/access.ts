import { DomainError } from '#shared/errors.ts';
import { can, type Permission } from '#shared/permissions.ts';
import { SUBUSER_RIGHTS, type SubuserRight } from '#shared/subusers.ts';
import type { Actor } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import type { ServerRow } from './ports.ts';

/** What a command or question takes on a server: a right; `any`: to own it or to work on it; `owner`: to own it. */
export type NeededRight = SubuserRight | 'any' | 'owner';

/** A server, and as what the caller is let in. */
export interface ServerAccess {
  readonly server: ServerRow;
  readonly as: 'owner' | 'subuser' | 'staff';
}

/** The permission by which staff do on every server what a sub-user needs a right for. */
const STAFF_PERMISSIONS: Readonly<Record<SubuserRight | 'any', Permission>> = {
  any: 'admin.servers.list',
  readConsole: 'admin.servers.list',
  sendCommands: 'admin.servers.edit',
  power: 'admin.servers.edit',
  // Files, backups and variables hold passwords.
  readFiles: 'admin.servers.edit',
  writeFiles: 'admin.servers.edit',
  backups: 'admin.servers.edit',
  startup: 'admin.servers.edit',
};

/** Whether staff may do this on every server: as a person of their own, by no token and not while they view as a user. */
function isOpenToStaff(actor: Actor, right: SubuserRight | 'any'): boolean {
  return !actor.token && !actor.viewer && can(actor.permissions, STAFF_PERMISSIONS[right]);
}

/** What somebody may do on every server as staff; none to everybody else. */
export const staffRightsOf = (actor: Actor): readonly SubuserRight[] =>
  isOpenToStaff(actor, 'any') ? SUBUSER_RIGHTS.filter((right) => isOpenToStaff(actor, right)) : [];

/**
 * A server that the caller owns, works on with a right, or may open as staff. This is the one place that decides who
 * may do what on a server; commands of owners on our own rows begin with `lockOwnServer`. Throws NOT_FOUND for one that
 * is missing, deleted or somebody else's alike (attacks T24), to sub-users and staff too where it takes its owner, and
 * FORBIDDEN for one that the caller works on, or may see as staff, without that right.
 */
export async function getServerFor(tx: Tx, actor: Actor, id: string, right: NeededRight): Promise<ServerAccess> {
  return assertRight(tx, actor, await tx.servers.find(id), right);
}

/** The same, locked together with its owner's limits: who loses the right afterwards comes second. */
export async function lockServerFor(tx: Tx, actor: Actor, id: string, right: NeededRight): Promise<ServerAccess> {
  const found = await getServerFor(tx, actor, id, right);
  await tx.limits.lock(found.server.userId);
  return assertRight(tx, actor, await tx.servers.lock(id), right);
}

async function assertRight(tx: Tx, actor: Actor, server: ServerRow | null, right: NeededRight): Promise<ServerAccess> {
  if (!server || server.state === 'deleted') throw new DomainError('NOT_FOUND');
  if (server.userId === actor.userId) return { server, as: 'owner' };
  if (right === 'owner') throw new DomainError('NOT_FOUND');
  const rights = await tx.subusers.findRights(server.id, actor.userId);
  if (rights && (right === 'any' || rights.includes(right))) return { server, as: 'subuser' };
  if (isOpenToStaff(actor, right)) return { server, as: 'staff' };
  const knowsOfIt = rights !== null || isOpenToStaff(actor, 'readConsole') || isOpenToStaff(actor, 'power');
  throw new DomainError(knowsOfIt ? 'FORBIDDEN' : 'NOT_FOUND');
}
