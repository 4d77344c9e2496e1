import { can } from '#shared/permissions.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import type { Events } from '../events/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { Tx } from '../tx.ts';
import type { RoleKey, RoleRow } from './ports.ts';
import { assertHolds, rightsOf } from './rights.ts';
import { SEED_ROLES } from './roles.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
}
export type Access = ReturnType<typeof createAccess>;

/** Roles and their permissions (behaviour 3.10). */
export function createAccess({ clock, ids, events }: Deps) {
  /**
   * Adds the roles that are missing, but for those that staff deleted. What an admin made of those that exist stays as
   * it is.
   */
  async function seedRoles(tx: Tx): Promise<void> {
    const deleted = await tx.access.deletedKeys();
    for (const { permissions, ...role } of SEED_ROLES) {
      if (deleted.includes(role.key)) continue;
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

  /**
   * Gives an account another role; its sessions have the new permissions at their next request. `ctx` is null for the
   * command line, which may give any role. Throws NOT_FOUND, CONFLICT for a deleted account, UNKNOWN at `role` for a
   * role that is not there, FORBIDDEN for who may not edit users and for accounts of the caller's rank or above,
   * ROLE_TOO_HIGH for a role at or above the caller's own (`admin.root` may give it), PERMISSION_NOT_HELD for a role
   * that holds what the caller lacks, LAST_OWNER.
   */
  async function assignRole(tx: Tx, ctx: SignedIn | null, userId: string, roleId: string): Promise<void> {
    if (ctx) assertMay(ctx, 'admin.users.edit');
    await tx.access.lock();
    const user = await tx.identity.findUser(userId);
    if (!user) throw new DomainError('NOT_FOUND');
    if (user.status === 'deleted') throw new DomainError('CONFLICT');
    const role = await tx.access.role(roleId);
    if (!role) throw fieldError('role', 'UNKNOWN');
    const permissions = await tx.access.permissionsOf(roleId);
    if (ctx) {
      const rights = await rightsOf(tx, ctx, 'admin.users.edit');
      await assertOutranks(tx, ctx, user.roleId);
      if (role.rank >= rights.rank && !rights.holds('admin.root')) throw new DomainError('ROLE_TOO_HIGH');
      assertHolds(rights, permissions);
    }
    if (user.roleId === roleId) return;
    if (!can(permissions, 'admin.root')) await assertNotLastOwner(tx, userId);
    const before = await tx.access.role(user.roleId);
    await tx.access.assign(userId, roleId, clock.now());
    const { username } = user;
    const change = { userId, username, roleId, from: before?.name ?? null, to: role.name };
    await events.emit(tx, 'user.role_changed', change, ctx);
    tx.touch(`user:${userId}`, `account:${userId}`);
  }

  return { seedRoles, permissionsOf, seededRole, hasOwner, assertNotLastOwner, assignRole };
}
