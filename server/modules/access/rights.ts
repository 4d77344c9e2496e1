import { DomainError } from '#shared/errors.ts';
import { can, PERMISSIONS, type Permission } from '#shared/permissions.ts';
import { isStaff } from '#shared/can.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { RoleRow } from './ports.ts';

/** What somebody may do with roles, read in the transaction of their command. */
export interface Rights {
  /** Rank of their own role. */
  readonly rank: number;
  /** Whether they hold a permission: by their role as it is now, and by the session or token they came with. */
  readonly holds: (permission: string) => boolean;
}

const CATALOGUE: ReadonlySet<string> = new Set(PERMISSIONS.map(({ value }) => value));

/** Whether a text is a permission of the catalogue. */
export const isPermission = (text: string): text is Permission => CATALOGUE.has(text);

/**
 * The rights of the caller. They are read anew, because the session may have been loaded before somebody took a
 * permission away. Throws FORBIDDEN for whose account or role is gone, and for who lacks `needed` by now.
 */
export async function rightsOf(tx: Tx, { actor }: SignedIn, needed: Permission): Promise<Rights> {
  const user = await tx.identity.findUser(actor.userId);
  const role = user?.status === 'active' ? await tx.access.role(user.roleId) : null;
  if (!role) throw new DomainError('FORBIDDEN');
  const stored = await tx.access.permissionsOf(role.id);
  const holds = (permission: string): boolean =>
    can(stored, permission as Permission) && can(actor.permissions, permission as Permission);
  if (!holds(needed)) throw new DomainError('FORBIDDEN');
  return { rank: role.rank, holds };
}

/** Refuses to touch a role at or above the caller's own, whoever they are (behaviour 3.10). Throws ROLE_TOO_HIGH. */
export function assertBelow(rights: Rights, role: Pick<RoleRow, 'rank'>): void {
  if (role.rank >= rights.rank) throw new DomainError('ROLE_TOO_HIGH');
}

/** Refuses to give away what the caller lacks (behaviour 3.10). Throws PERMISSION_NOT_HELD. */
export function assertHolds(rights: Rights, permissions: readonly string[]): void {
  if (!permissions.every((permission) => rights.holds(permission))) throw new DomainError('PERMISSION_NOT_HELD');
}

/**
 * The role that everybody gets who signs up, and to whom the members of a deleted role move, has no permission of
 * staff: one tick would open the admin area to the world. Throws DEFAULT_ROLE_STAFF.
 */
export function assertFitsDefault(isDefault: boolean, permissions: readonly string[]): void {
  if (isDefault && isStaff(permissions)) throw new DomainError('DEFAULT_ROLE_STAFF');
}
