import { DomainError, fieldError } from '#shared/errors.ts';
import type { Permission } from '#shared/permissions.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { assertBelow, assertFitsDefault, assertHolds, isPermission, rightsOf, type Rights } from './rights.ts';

/** What shall change about the permissions of one role. */
export interface PermissionChange {
  readonly roleId: string;
  /** The version that the editor saw; null: whichever there is. */
  readonly seenMs: number | null;
  readonly grant: readonly string[];
  readonly revoke: readonly string[];
}
export interface ChangeDeps {
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Changes permissions of roles, all or nothing, while nobody else changes any. In: the permission that the caller needs
 * for it, and the changes. Out: how many permissions were granted or taken away. Throws NOT_FOUND, CONFLICT, UNKNOWN at
 * `permission`, ROLE_TOO_HIGH, PERMISSION_NOT_HELD, DEFAULT_ROLE_STAFF, LAST_OWNER.
 */
export async function changePermissions(
  tx: Tx,
  deps: ChangeDeps,
  ctx: SignedIn,
  { needed, changes }: { readonly needed: Permission; readonly changes: readonly PermissionChange[] },
): Promise<number> {
  await tx.access.lock();
  for (const { roleId } of changes) if (!(await tx.access.role(roleId))) throw new DomainError('NOT_FOUND');
  const rights = await rightsOf(tx, ctx, needed);
  let changed = 0;
  for (const change of changes) changed += await changeRole(tx, deps, ctx, { rights, change });
  const takesRoot = changes.some(({ revoke }) => revoke.includes('admin.root'));
  if (takesRoot && !(await tx.access.anyOtherActiveHolder('admin.root', null))) throw new DomainError('LAST_OWNER');
  return changed;
}

async function changeRole(
  tx: Tx,
  deps: ChangeDeps,
  ctx: SignedIn,
  { rights, change }: { readonly rights: Rights; readonly change: PermissionChange },
): Promise<number> {
  const role = await tx.access.role(change.roleId);
  if (!role) throw new DomainError('NOT_FOUND');
  if (change.seenMs !== null && change.seenMs !== role.updatedMs) throw new DomainError('CONFLICT');
  assertBelow(rights, role);
  if (![...change.grant, ...change.revoke].every(isPermission)) throw fieldError('permission', 'UNKNOWN');
  const before = await tx.access.permissionsOf(role.id);
  const grant = [...new Set(change.grant)].filter((each) => !before.includes(each));
  const revoke = [...new Set(change.revoke)].filter((each) => before.includes(each));
  if (grant.length + revoke.length === 0) return 0;
  assertHolds(rights, grant);
  assertFitsDefault(role.isDefault, grant);
  await tx.access.changePermissions(role.id, { grant, revoke }, Math.max(deps.clock.now(), role.updatedMs + 1));
  await writeAudit(tx, deps, ctx, {
    action: 'roles.permissions',
    target: role.id,
    before: { name: role.name, revoked: revoke },
    after: { name: role.name, granted: grant },
  });
  tx.touch('roles');
  return grant.length + revoke.length;
}
