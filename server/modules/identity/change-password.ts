import { DomainError, fieldError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import { touchRotatedSession, touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import { assertRecentSignIn, hasPassword } from './own-password.ts';
import { isCommonPassword } from './password-policy.ts';
import type { UserRow } from './ports.ts';
import { SESSION_LIFE } from './resolver.ts';
import type { Throttle } from './throttle.ts';

/** Wrong tries of the current password that cost no pause. */
const FREE_TRIES = 5;

const isCommonFor = ({ username, email }: UserRow, password: string): boolean =>
  isCommonPassword(password, [username, email.split('@')[0] ?? '']);

/** A user's own new password (behaviour 3.8). In: how the caller is read. */
export function createPasswordChange(
  deps: IdentityDeps,
  throttle: Throttle,
  getProfile: (ctx: SignedIn) => Promise<{ user: UserRow }>,
) {
  const { uow, clock, ids, passwords } = deps;

  /**
   * Sets a new password. All other sessions end; the caller's session gets a new secret (attacks T35). Returns that
   * secret. Who has no password yet must have just signed in. Throws VALIDATION_FAILED with PASSWORD_WRONG at
   * `current`, SIGN_IN_AGAIN or PASSWORD_COMMON at `password`, UNAUTHENTICATED, RATE_LIMITED, SERVER_UNAVAILABLE.
   */
  async function changePassword(
    ctx: SignedIn,
    input: { current?: string | undefined; password: string },
  ): Promise<string> {
    const { user } = await getProfile(ctx);
    if (!hasPassword(user)) return setFirstPassword(ctx, user, input.password);
    if (input.current === undefined) throw fieldError('current', 'REQUIRED');
    const buckets = [{ key: `password:${user.id}`, free: FREE_TRIES }];
    await throttle.take(buckets);
    let hash: string | null = null;
    let common = false;
    try {
      if (await passwords.verify(input.current, user.passwordHash)) {
        common = isCommonFor(user, input.password);
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

  async function setFirstPassword(ctx: SignedIn, user: UserRow, password: string): Promise<string> {
    await assertRecentSignIn(deps, ctx, 'password');
    if (isCommonFor(user, password)) throw fieldError('password', 'PASSWORD_COMMON');
    return storePassword(ctx, user, await passwords.hash(password));
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

  return { changePassword };
}
