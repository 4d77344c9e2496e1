import { DomainError } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { RoleRow } from '../access/index.ts';
import { touchUser, type IdentityDeps } from './deps.ts';
import { createPasswordChange } from './change-password.ts';
import type { UserRow } from './ports.ts';
import { createUserCreation } from './create-user.ts';
import type { Throttle } from './throttle.ts';

interface Profile {
  readonly first_name: string;
  readonly last_name: string;
  readonly locale: Locale;
  /** IANA name; null: the installation's; absent: as it is. */
  readonly time_zone?: string | null | undefined;
}

/** A user's own account (behaviour 3.8). */
export function createAccount(deps: IdentityDeps, throttle: Throttle) {
  const { uow, clock } = deps;

  /** The caller's user and role. Throws UNAUTHENTICATED when the account no longer exists. */
  function getProfile(ctx: SignedIn): Promise<{ user: UserRow; role: RoleRow }> {
    return uow.read(async (tx) => {
      const user = await tx.identity.findUser(ctx.actor.userId);
      const role = user && (await tx.access.role(user.roleId));
      if (!user || !role) throw new DomainError('UNAUTHENTICATED');
      return { user, role };
    });
  }

  /** Updates the caller's name, language and time zone. Throws UNAUTHENTICATED when the account no longer exists. */
  function updateProfile(ctx: SignedIn, profile: Profile): Promise<void> {
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(ctx.actor.userId);
      if (!user) throw new DomainError('UNAUTHENTICATED');
      const changed = await saveProfile(tx, ctx, user, profile);
      await writeAudit(tx, deps, ctx, { action: 'account.profile', target: user.id, ...changed });
    });
  }

  /**
   * Updates a user's name, language and time zone for them. Throws FORBIDDEN for a user of the caller's rank or above,
   * NOT_FOUND, CONFLICT for a deleted account.
   */
  function updateProfileOf(ctx: SignedIn, userId: string, profile: Profile): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const user = await tx.identity.lockUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      await assertOutranks(tx, ctx, user.roleId);
      if (user.status === 'deleted') throw new DomainError('CONFLICT');
      const { username } = user;
      const { before, after } = await saveProfile(tx, ctx, user, profile);
      await writeAudit(tx, deps, ctx, {
        action: 'users.profile',
        target: userId,
        before: { username, ...before },
        after: { username, ...after },
      });
    });
  }

  /** Stores a profile. Out: what it was and is, for the audit log. */
  async function saveProfile(tx: Tx, ctx: SignedIn, user: UserRow, profile: Profile) {
    const { first_name: firstName, last_name: lastName, locale, time_zone: zone } = profile;
    const timeZone = zone === undefined ? user.timeZone : zone;
    await tx.identity.setProfile(user.id, { firstName, lastName, locale, timeZone }, clock.now());
    if (firstName !== user.firstName || lastName !== user.lastName)
      await deps.events.emit(tx, 'user.renamed', { userId: user.id }, ctx);
    touchUser(tx, user.id);
    return {
      before: { first_name: user.firstName, last_name: user.lastName, locale: user.locale, time_zone: user.timeZone },
      after: { first_name: firstName, last_name: lastName, locale, time_zone: timeZone },
    };
  }

  return {
    getProfile,
    updateProfile,
    updateProfileOf,
    ...createUserCreation(deps),
    ...createPasswordChange(deps, throttle, getProfile),
  };
}
