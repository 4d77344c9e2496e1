import { DomainError, fieldError } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { RoleKey, RoleRow } from '../access/index.ts';
import { touchRotatedSession, touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import { isCommonPassword } from './password-policy.ts';
import type { UserRow } from './ports.ts';
import { addUser } from './add-user.ts';
import type { RegistrationInput } from './register.ts';
import { SESSION_LIFE } from './resolver.ts';
import type { Throttle } from './throttle.ts';

/** Wrong tries of the current password that cost no pause. */
const FREE_TRIES = 5;

/** What the operator creates a user from. */
type CreateUserInput = Omit<RegistrationInput, 'setup'> & { readonly locale: Locale; readonly role: RoleKey };
interface Profile {
  readonly first_name: string;
  readonly last_name: string;
  readonly locale: Locale;
}

/** A user's own account (behaviour 3.8). */
export function createAccount(deps: IdentityDeps, throttle: Throttle) {
  const { uow, clock, ids, passwords } = deps;

  /** The caller's user and role. Throws UNAUTHENTICATED when the account no longer exists. */
  function getProfile(ctx: SignedIn): Promise<{ user: UserRow; role: RoleRow }> {
    return uow.read(async (tx) => {
      const user = await tx.identity.findUser(ctx.actor.userId);
      const role = user && (await tx.access.role(user.roleId));
      if (!user || !role) throw new DomainError('UNAUTHENTICATED');
      return { user, role };
    });
  }

  /** Updates the caller's name and language. Throws UNAUTHENTICATED when the account no longer exists. */
  function updateProfile(
    ctx: SignedIn,
    { first_name: firstName, last_name: lastName, locale }: Profile,
  ): Promise<void> {
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(ctx.actor.userId);
      if (!user) throw new DomainError('UNAUTHENTICATED');
      await tx.identity.setProfile(user.id, { firstName, lastName, locale }, clock.now());
      if (firstName !== user.firstName || lastName !== user.lastName)
        await deps.events.emit(tx, 'user.renamed', { userId: user.id }, ctx);
      const before = { first_name: user.firstName, last_name: user.lastName, locale: user.locale };
      await writeAudit(tx, deps, ctx, {
        action: 'account.profile',
        target: user.id,
        before,
        after: { first_name: firstName, last_name: lastName, locale },
      });
      touchUser(tx, user.id);
    });
  }

  /**
   * Sets a new password. All other sessions end; the caller's session gets a new secret (attacks T35). Returns that
   * secret. Throws VALIDATION_FAILED with PASSWORD_WRONG at `current` or PASSWORD_COMMON at `password`,
   * UNAUTHENTICATED, RATE_LIMITED, SERVER_UNAVAILABLE.
   */
  async function changePassword(ctx: SignedIn, input: { current: string; password: string }): Promise<string> {
    const { user } = await getProfile(ctx);
    const buckets = [{ key: `password:${user.id}`, free: FREE_TRIES }];
    await throttle.take(buckets);
    let hash: string | null = null;
    let common = false;
    try {
      if (await passwords.verify(input.current, user.passwordHash)) {
        common = isCommonPassword(input.password, [user.username, user.email.split('@')[0] ?? '']);
        if (!common) hash = await passwords.hash(input.password);
      }
    } catch (error) {
      await throttle.refund(buckets);
      throw error;
    }
    if (common || hash !== null) await throttle.refund(buckets, buckets);
    if (common) throw fieldError('password', 'PASSWORD_COMMON');
    if (hash === null) throw fieldError('current', 'PASSWORD_WRONG');
    return storePassword(ctx, user, hash);
  }

  function storePassword(ctx: SignedIn, user: UserRow, hash: string): Promise<string> {
    return uow.run(async (tx) => {
      const now = clock.now();
      // Of two concurrent changes, the second finds another version: the password it checked is not the current one.
      if (!(await tx.identity.setPassword(user.id, hash, user.passwordVersion, now)))
        throw fieldError('current', 'PASSWORD_WRONG');
      const secret = ids.token();
      // A session that ended (or whose user was banned) while the hash was computed may not change anything.
      if (!(await tx.identity.rotateSession(ctx.actor.sessionId, ids.hash(secret), now + SESSION_LIFE)))
        throw new DomainError('UNAUTHENTICATED');
      touchRotatedSession(tx, ctx.actor.sessionId);
      touchSessions(tx, await tx.identity.endSessions(user.id, ctx.actor.sessionId));
      await deps.events.emit(tx, 'user.password_changed', { userId: user.id }, ctx);
      touchUser(tx, user.id);
      return secret;
    });
  }

  /**
   * Creates a user without registration: the operator's command (behaviour 3.2). The address counts as confirmed.
   * Returns the id. Throws VALIDATION_FAILED when the name or the address is taken or the password is a common one.
   */
  async function createUser(input: CreateUserInput): Promise<string> {
    if (isCommonPassword(input.password, [input.username])) throw fieldError('password', 'PASSWORD_COMMON');
    const hash = await passwords.hash(input.password);
    return uow.run(async (tx) => {
      const role = await tx.access.roleByKey(input.role);
      // Staff may have deleted it.
      if (!role) throw fieldError('role', 'UNKNOWN');
      const user = await addUser(deps, tx, { ...input, hash, role, verified: true });
      await writeAudit(tx, deps, null, {
        action: 'users.create',
        target: user.id,
        after: { username: user.username, role: role.name },
      });
      return user.id;
    });
  }

  return { getProfile, updateProfile, changePassword, createUser };
}
