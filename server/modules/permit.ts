import { DomainError } from '#shared/errors.ts';
import { can, type Permission } from '#shared/permissions.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { SignedIn } from './kernel.ts';
import type { Tx } from './tx.ts';

/**
 * The second wall: staff commands ask for the permission themselves, whatever the declaration of their endpoint says
 * (attacks T61). In: the caller and the permission. Throws FORBIDDEN.
 */
export function assertMay({ actor }: SignedIn, permission: Permission): void {
  if (!can(actor.permissions, permission)) throw new DomainError('FORBIDDEN');
}

/** A staff command that refuses with FORBIDDEN whoever lacks the permission, before it does anything. */
export function permitted<A extends readonly unknown[], R>(
  permission: Permission,
  command: (ctx: SignedIn, ...rest: A) => Promise<R>,
): (ctx: SignedIn, ...rest: A) => Promise<R> {
  return async (ctx, ...rest) => {
    assertMay(ctx, permission);
    return command(ctx, ...rest);
  };
}

/**
 * Refuses an amount that is too large for one person to decide on: above `staff_amount_max` only `admin.root` moves
 * credits. In: the caller, the settings, and all the credits the command gives, takes or promises. Throws
 * APPROVAL_REQUIRED.
 */
export function assertAmount(
  { actor }: SignedIn,
  { staff_amount_max: most }: Pick<SettingValues, 'staff_amount_max'>,
  credits: number,
): void {
  if (credits > most && !can(actor.permissions, 'admin.root')) throw new DomainError('APPROVAL_REQUIRED');
}

/**
 * Refuses to touch the account of somebody of the caller's rank or above it; `admin.root` may. In: the transaction, the
 * caller, the role of the account. Throws FORBIDDEN.
 */
export async function assertOutranks(tx: Tx, ctx: SignedIn, roleId: string): Promise<void> {
  if (!(await outranks(tx, ctx, roleId))) throw new DomainError('FORBIDDEN');
}

/** Whether the caller is of a higher rank than a role, or has `admin.root`. */
export async function outranks(tx: Tx, { actor }: SignedIn, roleId: string): Promise<boolean> {
  if (can(actor.permissions, 'admin.root')) return true;
  const { own, other } = await tx.access.findRanks(actor.userId, roleId);
  return (other ?? 0) < (own ?? 0);
}
