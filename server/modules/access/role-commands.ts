import { DomainError, fieldError } from '#shared/errors.ts';
import type { Permission } from '#shared/permissions.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { RoleInput, RoleRow } from './ports.ts';
import { assertBelow, assertFitsDefault, assertHolds, rightsOf, type Rights } from './rights.ts';

/** Roles of an installation: each is a column of the matrix. */
export const MAX_ROLES = 40;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Making, changing and deleting roles, under the rules of behaviour 3.10. */
export function createRoleCommands({ uow, clock, ids }: Deps) {
  /**
   * Makes a role, once an Idempotency-Key. In: what staff set, and the role whose permissions it begins with, if any.
   * Out: its id. Throws VALIDATION_FAILED, PERMISSION_NOT_HELD and FORBIDDEN where the template has what the caller may
   * not grant, LIMIT_REACHED where there are too many roles, DEFAULT_ROLE_STAFF.
   */
  function create(ctx: SignedIn, input: RoleInput & { readonly templateId: string | null }): Promise<{ id: string }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.roles.create');
      await tx.access.lock();
      const rights = await rightsOf(tx, ctx, 'admin.roles.create');
      await assertInput(tx, rights, input, null);
      if ((await tx.access.countRoles()) >= MAX_ROLES) throw new DomainError('LIMIT_REACHED');
      const permissions = await permissionsOfTemplate(tx, ctx, rights, input.templateId);
      if (input.isDefault) await replaceDefault(tx, clock, rights, permissions);
      const { name, color, rank, isDefault } = input;
      const role = { id: ids.uuid(), key: null, name, color, rank, isDefault, createdMs: clock.now() };
      await tx.access.add(role, permissions as readonly Permission[]);
      await writeAudit(tx, { clock, ids }, ctx, {
        action: 'roles.create',
        target: role.id,
        after: { name, color, rank, isDefault, permissions },
      });
      tx.touch('roles');
      return { id: role.id };
    });
  }

  /**
   * Changes name, colour, rank, and whether it is the default role. `seenMs` is the version that the editor saw. Throws
   * NOT_FOUND, CONFLICT, ROLE_TOO_HIGH, VALIDATION_FAILED, DEFAULT_ROLE_STAFF, PERMISSION_NOT_HELD, DEFAULT_ROLE where
   * the default role shall be one no longer (another takes its place instead).
   */
  function update(ctx: SignedIn, id: string, input: RoleInput & { readonly seenMs: number }): Promise<{ id: string }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.roles.edit');
      await tx.access.lock();
      const before = await existing(tx, id);
      if (before.updatedMs !== input.seenMs) throw new DomainError('CONFLICT');
      const rights = await rightsOf(tx, ctx, 'admin.roles.edit');
      assertBelow(rights, before);
      await assertInput(tx, rights, input, id);
      if (before.isDefault && !input.isDefault) throw new DomainError('DEFAULT_ROLE');
      if (!before.isDefault && input.isDefault)
        await replaceDefault(tx, clock, rights, await tx.access.permissionsOf(id));
      const { seenMs: _, ...after } = input;
      await tx.access.update(id, after, nextMs(clock, before));
      await writeAudit(tx, { clock, ids }, ctx, {
        action: 'roles.edit',
        target: id,
        before: inputOf(before),
        after: inputOf(after),
      });
      tx.touch('roles');
      return { id };
    });
  }

  /**
   * Deletes a role if its name was typed; its members get the default one. Throws NOT_FOUND, ROLE_TOO_HIGH,
   * NAME_MISMATCH, DEFAULT_ROLE for the default role, LAST_OWNER.
   */
  function remove(ctx: SignedIn, id: string, typed: string): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.roles.delete');
      await tx.access.lock();
      const role = await existing(tx, id);
      const rights = await rightsOf(tx, ctx, 'admin.roles.delete');
      assertBelow(rights, role);
      if (typed.trim() !== role.name) throw new DomainError('NAME_MISMATCH', { fields: { name: ['NAME_MISMATCH'] } });
      if (role.isDefault) throw new DomainError('DEFAULT_ROLE');
      const permissions = await tx.access.permissionsOf(id);
      const fallback = await tx.access.defaultRole();
      const members = await tx.access.moveMembers(id, fallback.id, clock.now());
      await tx.access.remove(role, clock.now());
      if (permissions.includes('admin.root') && !(await tx.access.anyOtherActiveHolder('admin.root', null)))
        throw new DomainError('LAST_OWNER');
      await writeAudit(tx, { clock, ids }, ctx, {
        action: 'roles.delete',
        target: id,
        before: { ...inputOf(role), permissions },
        after: { members, role: fallback.name },
      });
      tx.touch('roles');
    });
  }

  return { create, update, remove };
}

/** The checks of what a role shall be called and where it stands. Throws VALIDATION_FAILED. */
async function assertInput(tx: Tx, rights: Rights, input: RoleInput, own: string | null): Promise<void> {
  if (input.rank >= rights.rank) throw fieldError('rank', 'TOO_LARGE');
  const named = await tx.access.roleByName(input.name);
  if (named && named.id !== own) throw fieldError('name', 'NAME_TAKEN');
}

/** The present default role is one no longer: another is about to be. Throws ROLE_TOO_HIGH. */
async function replaceDefault(tx: Tx, clock: Clock, rights: Rights, permissions: readonly string[]): Promise<void> {
  assertFitsDefault(true, permissions);
  // Whoever signs up from now on gets them.
  assertHolds(rights, permissions);
  const present = await tx.access.defaultRole();
  assertBelow(rights, present);
  await tx.access.update(present.id, { ...present, isDefault: false }, nextMs(clock, present));
}

/** What a role that is made like another begins with. */
async function permissionsOfTemplate(
  tx: Tx,
  ctx: SignedIn,
  rights: Rights,
  templateId: string | null,
): Promise<readonly string[]> {
  if (templateId === null) return [];
  if (!(await tx.access.role(templateId))) throw fieldError('template', 'UNKNOWN');
  const permissions = await tx.access.permissionsOf(templateId);
  if (permissions.length > 0 && !rights.holds('admin.permissions.create')) throw new DomainError('FORBIDDEN');
  assertHolds(rights, permissions);
  return permissions;
}

async function existing(tx: Tx, id: string): Promise<RoleRow> {
  const role = await tx.access.role(id);
  if (!role) throw new DomainError('NOT_FOUND');
  return role;
}

/** The time of a change, always later than the last one, so that every change is seen. */
function nextMs(clock: Clock, { updatedMs }: Pick<RoleRow, 'updatedMs'>): number {
  return Math.max(clock.now(), updatedMs + 1);
}

const inputOf = ({ name, color, rank, isDefault }: RoleInput): RoleInput => ({ name, color, rank, isDefault });
