import { DomainError } from '#shared/errors.ts';
import { raisedLimit } from '#shared/limits.ts';
import { normaliseName } from '#shared/names.ts';
import { writeAudit } from '../audit/index.ts';
import type { Ctx, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { toSignedIn, touchUser, type IdentityDeps } from './deps.ts';
import { deviceName } from './device.ts';
import type { UserRow } from './ports.ts';
import type { OpenedSession, Sessions } from './sessions.ts';
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
type Outcome =
  | { readonly kind: 'opened'; readonly opened: OpenedSession }
  | { readonly kind: 'banned' }
  | { readonly kind: 'wrong' };

/** The key of an account's wrong passwords, whether it was addressed by name or by e-mail, in any spelling. */
export const accountTriesKey = (userId: string): string => `login:account:${userId}`;

/** The key of wrong passwords under a name that nobody has. */
const unknownLoginTriesKey = (ids: Pick<Ids, 'hash'>, login: string): string =>
  `login:name:${ids.hash(normaliseName(login))}`;

/** The prefix of the keys of all browsers that a user has logged in from. */
export const deviceTriesPrefix = (userId: string): string => `login:device:${userId}:`;

/** Log-in (behaviour 3.3): one error for every failure, and the same work for users that do not exist. */
export function createLogin(deps: IdentityDeps, sessions: Pick<Sessions, 'open'>, throttle: Throttle) {
  const { uow, clock, ids, passwords } = deps;

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
    if (outcome.kind === 'banned') throw new DomainError('ACCOUNT_BANNED');
    return outcome.opened;
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

  /**
   * Opens the session of a user who has proven who they are, as it stood when they did. Reads the user again: they may
   * have been banned or changed the password meanwhile.
   */
  async function openSessionFor(tx: Tx, ctx: Ctx, checked: UserRow, browser: Browser): Promise<Outcome> {
    const now = clock.now();
    const user = await tx.identity.lockUser(checked.id);
    if (!user || user.status === 'deleted' || user.passwordVersion !== checked.passwordVersion)
      return { kind: 'wrong' };
    if (user.status === 'banned') {
      if (user.bannedUntilMs === null || user.bannedUntilMs > now) return { kind: 'banned' };
      await tx.identity.setStatus(user.id, 'active', { reason: null, untilMs: null }, now);
      await deps.events.emit(tx, 'user.ban_expired', { userId: user.id });
      touchUser(tx, user.id);
    }
    const opened = await sessions.open(tx, ctx, user, browser.secret);
    await writeAudit(tx, deps, toSignedIn(ctx, user, opened.sessionId), { action: 'account.login', target: user.id });
    await recordLoginDevice(tx, ctx, user, browser.device, opened.sessionId);
    return { kind: 'opened', opened };
  }

  /** Records the device, and emits an event when it is new (behaviour 3.3) but not the very first. */
  async function recordLoginDevice(tx: Tx, ctx: Ctx, user: UserRow, token: string, sessionId: string): Promise<void> {
    const status = await tx.identity.recordDevice(user.id, ids.hash(token), clock.now());
    if (status !== 'new') return;
    const device = deviceName(ctx.userAgent) || '–';
    await deps.events.emit(tx, 'user.new_device', { userId: user.id, sessionId, device, address: ctx.address }, ctx);
  }

  return { login, openSessionFor };
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
