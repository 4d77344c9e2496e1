import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/can.ts';
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
   * Refuses to take an account out of use, or its role from it, that is the last one in good standing with `admin.root`
   * (behaviour 3.10). In: the user's id and present role. Locks what another such command would change, so that two at
   * once cannot both pass. Throws LAST_OWNER.
   */
  async function assertOwnerRemains(tx: Tx, { id, roleId }: { id: string; roleId: string }): Promise<void> {
    if (!can(await permissionsOf(tx, roleId), 'admin.root')) return;
    await tx.access.lock();
    if (!(await tx.access.anyOtherActiveHolder('admin.root', id))) throw new DomainError('LAST_OWNER');
  }

  return { seedRoles, permissionsOf, seededRole, hasOwner, assertOwnerRemains };
}
