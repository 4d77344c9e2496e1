import { RESOURCE_KINDS, type Resources } from '#shared/constants.ts';
import { DomainError, type FieldErrors } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';

/** Limits of users, set by staff (behaviour 5.2, 8.3). */
export function createUserLimits(deps: { readonly uow: UnitOfWork; readonly clock: Clock; readonly ids: Ids }) {
  const { uow } = deps;

  /**
   * Sets a user's limits. `seen`: those that the caller saw; where they are others by now (something was bought),
   * nothing changes. Throws FORBIDDEN for a user of the caller's rank or above, NOT_FOUND, CONFLICT, and TOO_SMALL at
   * what is less than is in use.
   */
  function set(ctx: SignedIn, userId: string, limits: Resources, seen: Resources): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const user = await tx.identity.findUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      await assertOutranks(tx, ctx, user.roleId);
      if (user.status === 'deleted') throw new DomainError('CONFLICT');
      await tx.limits.lock(userId);
      const [before, used] = [await tx.limits.of(userId), await tx.limits.used(userId)];
      const changed = RESOURCE_KINDS.filter((kind) => limits[kind] !== seen[kind]);
      if (RESOURCE_KINDS.some((kind) => before[kind] !== seen[kind])) throw new DomainError('CONFLICT');
      const fields: FieldErrors = {};
      for (const kind of changed) if (limits[kind] < Math.min(used[kind], before[kind])) fields[kind] = ['TOO_SMALL'];
      if (Object.keys(fields).length > 0) throw new DomainError('VALIDATION_FAILED', { fields });
      if (changed.length === 0) return;
      for (const kind of changed) await tx.limits.add(userId, kind, limits[kind] - before[kind]);
      const only = (of: Resources) => Object.fromEntries(changed.map((kind) => [kind, of[kind]]));
      await writeAudit(tx, deps, ctx, {
        action: 'users.limits',
        target: userId,
        before: { username: user.username, ...only(before) },
        after: { username: user.username, ...only(limits) },
      });
      tx.touch(`user:${userId}`);
    });
  }

  return { set };
}
export type UserLimits = ReturnType<typeof createUserLimits>;
