import { fieldError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import type { SignedIn } from '../kernel.ts';
import { isConfirmed } from './confirmed.ts';
import type { IdentityDeps } from './deps.ts';
import type { UserRow } from './ports.ts';
import type { Throttle } from './throttle.ts';

/** Wrong passwords that cost no pause, as when changing the password. */
const FREE_PASSWORDS = 5;
/** For how long after signing in elsewhere that stands in for a password, in ms. */
const SIGN_IN_LIFE = 15 * MINUTE;

type Deps = Pick<IdentityDeps, 'uow' | 'passwords' | 'clock'>;

/** Whether a user logs in with a password; others sign in elsewhere (behaviour 3.6). */
export const hasPassword = ({ passwordHash }: Pick<UserRow, 'passwordHash'>): boolean => passwordHash !== '';

/**
 * Asserts that the caller has just signed in, which stands in for the password of who has none. Throws
 * VALIDATION_FAILED with SIGN_IN_AGAIN at `field`.
 */
export async function assertRecentSignIn({ uow, clock }: Deps, ctx: SignedIn, field: string): Promise<void> {
  const now = clock.now();
  const sessions = await uow.read((tx) => tx.identity.listSessions(ctx.actor.userId, now));
  const own = sessions.find(({ id }) => id === ctx.actor.sessionId);
  if (!own || now - own.createdMs > SIGN_IN_LIFE) throw fieldError(field, 'SIGN_IN_AGAIN');
}

/**
 * Asserts that a password is the caller's; wrong ones are throttled. Who has none must have just signed in. Throws
 * VALIDATION_FAILED with REQUIRED, PASSWORD_WRONG or SIGN_IN_AGAIN at `password`, RATE_LIMITED.
 */
export async function assertPassword(
  deps: Deps,
  throttle: Throttle,
  ctx: SignedIn,
  password: string | undefined,
): Promise<void> {
  const { uow, passwords } = deps;
  const user = await uow.read((tx) => tx.identity.findUser(ctx.actor.userId));
  if (user && !hasPassword(user)) return assertRecentSignIn(deps, ctx, 'password');
  if (password === undefined) throw fieldError('password', 'REQUIRED');
  const buckets = [{ key: `password:${ctx.actor.userId}`, free: FREE_PASSWORDS }];
  await throttle.take(buckets);
  let matches: boolean;
  try {
    matches = await passwords.verify(password, user?.passwordHash ?? null);
  } catch (error) {
    await throttle.refund(buckets);
    throw error;
  }
  if (!matches) throw fieldError('password', 'PASSWORD_WRONG');
  await throttle.refund(buckets, buckets);
}

/**
 * Asserts that whoever sits at the session owns the account: by the password, or, where none is given, by a session
 * that was confirmed a moment ago (confirmation.ts), as with a passkey. Throws as `assertPassword`.
 */
export async function assertOwner(
  deps: Deps,
  throttle: Throttle,
  ctx: SignedIn,
  password: string | undefined,
): Promise<void> {
  if (password === undefined && (await deps.uow.read((tx) => isConfirmed(deps, tx, ctx)))) return;
  await assertPassword(deps, throttle, ctx, password);
}
