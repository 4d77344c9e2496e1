import { can } from '#shared/permissions.ts';
import { DomainError } from '#shared/errors.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { RoleKey, RoleRow } from './ports.ts';
import { SEED_ROLES } from './roles.ts';

export type Access = ReturnType<typeof createAccess>;

/** Roles and their permissions (behaviour 3.10). */
export function createAccess({ clock, ids }: { clock: Clock; ids: Ids }) {
  /** Adds the roles that are missing. What an admin made of those that exist stays as it is. */
  async function seedRoles(tx: Tx): Promise<void> {
    for (const { permissions, ...role } of SEED_ROLES) {
      const added = await tx.access.add({ ...role, id: ids.uuid(), createdMs: clock.now() }, permissions);
      if (added) tx.touch('roles');
    }
  }

  /** Permissions of a role, in the order of the alphabet. */
  function permissionsOf(tx: Tx, roleId: string): Promise<string[]> {
    return tx.access.permissionsOf(roleId);
  }

  /** A role of the seeds. Throws where it is missing, which is a fault of the installation. */
  async function seededRole(tx: Tx, key: RoleKey): Promise<RoleRow> {
    const role = await tx.access.roleByKey(key);
    if (!role) throw new Error(`the role ${key} is missing`);
    return role;
  }

  /** Whether the installation has an owner: an account that holds `admin.root`. */
  function hasOwner(tx: Tx): Promise<boolean> {
    return tx.access.anyHolder('admin.root');
  }

  /**
   * Call it before an account is banned, deleted or given another role, in the transaction of that change: others wait
   * until it is over, so two of them cannot take the last two owners away at once. Throws LAST_OWNER where the account
   * is the only one in good standing that holds `admin.root`.
   */
  async function assertNotLastOwner(tx: Tx, userId: string): Promise<void> {
    await tx.access.lock();
    const user = await tx.identity.findUser(userId);
    if (user?.status !== 'active') return;
    if (!can(await tx.access.permissionsOf(user.roleId), 'admin.root')) return;
    if (!(await tx.access.anyOtherActiveHolder('admin.root', userId))) throw new DomainError('LAST_OWNER');
  }

  return { seedRoles, permissionsOf, seededRole, hasOwner, assertNotLastOwner };
}
