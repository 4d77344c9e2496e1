import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { LongReads, UnitOfWork } from '../tx.ts';
import type { RoleDetails } from './ports.ts';
import { changePermissions, type ChangeDeps, type PermissionChange } from './permission-changes.ts';
import { createRoleCommands } from './role-commands.ts';

/** Members whose names are shown beside a change of their role. */
const NAMED_MEMBERS = 5;

interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
}
/** A role as staff see it. */
export interface RoleView extends RoleDetails {
  /** Whether the caller may change it: it stands below their own. */
  readonly editable: boolean;
  /** Some of its members, for those who may list users. */
  readonly memberNames: readonly string[];
}
export type StaffRoles = ReturnType<typeof createStaffRoles>;

/** Roles and their permissions for staff, under the rules of behaviour 3.10. */
export function createStaffRoles({ uow, long, clock, ids }: Deps) {
  const change: ChangeDeps = { clock, ids };

  /** Every role, the highest first, as the caller may see and change them. */
  function list(ctx: SignedIn): Promise<{ roles: RoleView[]; rank: number }> {
    const seesNames = can(ctx.actor.permissions, 'admin.users.list');
    return long.read(
      async (tx) => {
        const user = await tx.identity.findUser(ctx.actor.userId);
        const rank = (user && (await tx.access.role(user.roleId)))?.rank ?? 0;
        const roles: RoleView[] = [];
        for (const role of await tx.access.listRoles())
          roles.push({
            ...role,
            editable: role.rank < rank,
            memberNames: seesNames ? await tx.access.listMemberNames(role.id, NAMED_MEMBERS) : [],
          });
        return { roles, rank };
      },
      { for: 'visitor' },
    );
  }

  /** One role. Throws NOT_FOUND. */
  async function get(ctx: SignedIn, id: string): Promise<{ role: RoleView; rank: number; fallback: string | null }> {
    const { roles, rank } = await list(ctx);
    const role = roles.find((each) => each.id === id);
    if (!role) throw new DomainError('NOT_FOUND');
    const fallback = roles.find(({ isDefault }) => isDefault);
    return { role, rank, fallback: fallback && fallback.id !== id ? fallback.name : null };
  }

  /** Grants a role one permission: a row of the matrix (specification, section 6). Throws as `savePermissions`. */
  function grant(ctx: SignedIn, id: string, permission: string): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.permissions.create');
      const one = { roleId: id, seenMs: null, grant: [permission], revoke: [] };
      await changePermissions(tx, change, ctx, { needed: 'admin.permissions.create', changes: [one] });
    });
  }

  /** Takes one permission away from a role. Throws as `savePermissions`. */
  function revoke(ctx: SignedIn, id: string, permission: string): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.permissions.delete');
      const one = { roleId: id, seenMs: null, grant: [], revoke: [permission] };
      await changePermissions(tx, change, ctx, { needed: 'admin.permissions.delete', changes: [one] });
    });
  }

  /**
   * Saves the matrix: grants and takes away permissions of several roles, all or nothing. Throws NOT_FOUND, CONFLICT
   * where a role was changed since the editor saw it, UNKNOWN at `permission` for a name that is not of the catalogue,
   * ROLE_TOO_HIGH, PERMISSION_NOT_HELD, DEFAULT_ROLE_STAFF, LAST_OWNER.
   */
  function savePermissions(ctx: SignedIn, changes: readonly PermissionChange[]): Promise<{ changed: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.permissions.edit');
      return { changed: await changePermissions(tx, change, ctx, { needed: 'admin.permissions.edit', changes }) };
    });
  }

  return { list, get, ...createRoleCommands({ uow, clock, ids }), grant, revoke, savePermissions };
}
