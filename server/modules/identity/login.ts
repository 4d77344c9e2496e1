import { DomainError } from '#shared/errors.ts';
import { raisedLimit } from '#shared/limits.ts';
import { normaliseName } from '#shared/names.ts';
import type { Ctx, Ids } from '../kernel.ts';
import { bannedError } from './bans.ts';
import type { IdentityDeps } from './deps.ts';
import type { SessionOpener } from './open-session.ts';
import type { OpenedSession } from './sessions.ts';
import { isForeignHash } from '#shared/foreign-hash.ts';
import type { UserRow } from './ports.ts';
import { networkOf, type Bucket, type Throttle } from './throttle.ts';

/**
 * Failures of one account that cost no pause (behaviour 3.3). For one address, behind which there may be many users
 * (attacks T19), it is a setting.
 */
const FREE_PER_ACCOUNT = 5;

/** What a browser sends besides the form. */
export interface Browser {
  /** The secret of its present session, if any. */
  readonly secret: string | null;
  /** The token that identifies the browser as a device; a new one when it sent none. */
  readonly device: string;
}
/** The key of an account's wrong passwords, whether it was addressed by name or by e-mail, in any spelling. */
export const accountTriesKey = (userId: string): string => `login:account:${userId}`;

/** The key of wrong passwords under a name that nobody has. */
const unknownLoginTriesKey = (ids: Pick<Ids, 'hash'>, login: string): string =>
  `login:name:${ids.hash(normaliseName(login))}`;

/** The prefix of the keys of all browsers that a user has logged in from. */
export const deviceTriesPrefix = (userId: string): string => `login:device:${userId}:`;

/** Log-in (behaviour 3.3): one error for every failure, and the same work for users that do not exist. */
export function createLogin(deps: IdentityDeps, openSessionFor: SessionOpener, throttle: Throttle) {
  const { uow, ids, passwords } = deps;

  /**
   * Opens a session for a username or an address with its password. Throws LOGIN_FAILED, ACCOUNT_BANNED (only with the
   * right password), RATE_LIMITED (with the seconds to wait), SERVER_UNAVAILABLE, and after failures
   * CHALLENGE_REQUIRED, CHALLENGE_FAILED or CHALLENGE_UNAVAILABLE.
   */
  async function login(
    ctx: Ctx,
    input: { login: string; password: string; challenge?: string | undefined },
    browser: Browser,
  ): Promise<OpenedSession> {
    const match = await uow.read(async (tx) => {
      const user = await tx.identity.findUserByLogin(input.login);
      return user && { user, isKnownDevice: await tx.identity.isKnownDevice(user.id, ids.hash(browser.device)) };
    });
    const user = match && match.user.status !== 'deleted' ? match.user : null;
    const buckets = loginBuckets(
      deps,
      ctx,
      input.login,
      match && { userId: match.user.id, device: user && match.isKnownDevice ? browser.device : null },
    );
    await requireChallengeAfterFailures(ctx, buckets.all, browser, input.challenge);
    await throttle.take(buckets.all);
    let matches: boolean;
    try {
      matches = await passwords.verify(input.password, user ? user.passwordHash : null);
    } catch (error) {
      await throttle.refund(buckets.all);
      throw error;
    }
    if (!user || !matches) throw new DomainError('LOGIN_FAILED');
    const outcome = await uow.run((tx) => openSessionFor(tx, ctx, user, browser));
    if (outcome.kind === 'wrong') throw new DomainError('LOGIN_FAILED');
    await throttle.refund(buckets.all, [buckets.account]);
    if (outcome.kind === 'banned') throw bannedError(deps, outcome.user);
    if (isForeignHash(user.passwordHash)) await rehash(user, input.password);
    return outcome.opened;
  }

  /**
   * Replaces the hash that came from another dashboard by one of ours, now that the password is known. Where too many
   * hash already, the next log-in does it.
   */
  async function rehash({ id, passwordHash }: UserRow, password: string): Promise<void> {
    try {
      const own = await passwords.hash(password);
      await uow.run((tx) => tx.identity.replaceHash(id, passwordHash, own));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  /**
   * Verifies a challenge once the failures reach `challenge_login_after` (behaviour 4.6). Users that do not exist are
   * counted the same way.
   */
  async function requireChallengeAfterFailures(
    ctx: Ctx,
    buckets: readonly Bucket[],
    browser: Browser,
    answer: string | undefined,
  ): Promise<void> {
    const { challenge, settings } = deps;
    if (!challenge || challenge.kind() === 'off') return;
    if ((await throttle.mostFailures(buckets)) >= settings.current().challenge_login_after)
      await challenge.verify('login', { ctx, device: browser.device }, answer);
  }

  return { login };
}

/**
 * The buckets in which a try counts. A browser the user has logged in from before has one bucket of its own, and no
 * other: neither a stranger's guesses nor failures of others at the same address lock the owner out of it.
 */
function loginBuckets(
  { ids, settings }: Pick<IdentityDeps, 'ids' | 'settings'>,
  ctx: Ctx,
  login: string,
  match: { userId: string; device: string | null } | null,
): { account: Bucket; all: Bucket[] } {
  if (match?.device != null) {
    const own = { key: `${deviceTriesPrefix(match.userId)}${ids.hash(match.device)}`, free: FREE_PER_ACCOUNT };
    return { account: own, all: [own] };
  }
  const account = {
    key: match ? accountTriesKey(match.userId) : unknownLoginTriesKey(ids, login),
    free: FREE_PER_ACCOUNT,
  };
  const free = raisedLimit(settings.current().limit_login_failures, settings.current());
  return { account, all: [account, { key: `login:from:${networkOf(ctx.address)}`, free }] };
}
