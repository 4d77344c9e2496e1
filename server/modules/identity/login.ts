import { DomainError } from '#shared/errors.ts';
import { raisedLimit } from '#shared/limits.ts';
import { normaliseName } from '#shared/names.ts';
import { writeAudit } from '../audit/index.ts';
import type { Ctx, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { asUser, touchUser, type IdentityDeps } from './deps.ts';
import { deviceName } from './device.ts';
import type { UserRow } from './ports.ts';
import type { Opened, SessionsPart } from './sessions.ts';
import { networkOf, type Bucket, type Throttle } from './throttle.ts';

/**
 * Free failures before the pauses for one account (behaviour 3.3). For one address, behind which many people may be
 * (attacks T19), a setting says it.
 */
const FREE_PER_ACCOUNT = 5;

/** What a browser brings besides what was typed. */
export interface Browser {
  /** The secret of the session it holds, if any. */
  readonly secret: string | null;
  /** The token that names the browser as a device; made anew where it brought none. */
  readonly device: string;
}
type Outcome =
  { readonly kind: 'in'; readonly opened: Opened } | { readonly kind: 'banned' } | { readonly kind: 'wrong' };

/** The counter of wrong passwords of an account, however it was called: by name, by address, in any spelling. */
export const accountKey = (userId: string): string => `login:account:${userId}`;

/** The counter of wrong passwords under a name that nobody has. */
const unknownLoginKey = (ids: Pick<Ids, 'hash'>, login: string): string =>
  `login:name:${ids.hash(normaliseName(login))}`;

/** The beginning of the counters of all browsers that a user has logged in from. */
export const devicesKey = (userId: string): string => `login:device:${userId}:`;

/** Log-in (behaviour 3.3): one answer for every failure, the same work for users that do not exist. */
export function createLogin(deps: IdentityDeps, sessions: Pick<SessionsPart, 'open'>, throttle: Throttle) {
  const { uow, clock, ids, passwords } = deps;

  /**
   * Opens a session for a username or an address with its password. Throws LOGIN_FAILED, ACCOUNT_BANNED (only to who
   * knows the password), RATE_LIMITED (with the seconds to wait), SERVER_UNAVAILABLE, and after failures
   * CHALLENGE_REQUIRED, CHALLENGE_FAILED or CHALLENGE_UNAVAILABLE.
   */
  async function login(
    ctx: Ctx,
    input: { login: string; password: string; challenge?: string | undefined },
    browser: Browser,
  ): Promise<Opened> {
    const found = await uow.read(async (tx) => {
      const user = await tx.identity.userByLogin(input.login);
      return user && { user, known: await tx.identity.knowsDevice(user.id, ids.hash(browser.device)) };
    });
    const user = found && found.user.status !== 'deleted' ? found.user : null;
    const gates = gatesOf(
      deps,
      ctx,
      input.login,
      found && { userId: found.user.id, device: user && found.known ? browser.device : null },
    );
    await requireChallengeAfterFailures(ctx, gates.all, browser, input.challenge);
    await throttle.take(gates.all);
    let right: boolean;
    try {
      right = await passwords.verify(input.password, user ? user.passwordHash : null);
    } catch (error) {
      await throttle.refund(gates.all);
      throw error;
    }
    if (!user || !right) throw new DomainError('LOGIN_FAILED');
    const outcome = await uow.run((tx) => openSessionFor(tx, ctx, user, browser));
    if (outcome.kind === 'wrong') throw new DomainError('LOGIN_FAILED');
    await throttle.refund(gates.all, [gates.account]);
    if (outcome.kind === 'banned') throw new DomainError('ACCOUNT_BANNED');
    return outcome.opened;
  }

  /**
   * Has a challenge answered once the counters of a try stand at `challenge_login_after` (behaviour 4.6). What is
   * counted is the same for users that do not exist.
   */
  async function requireChallengeAfterFailures(
    ctx: Ctx,
    gates: readonly Bucket[],
    browser: Browser,
    answer: string | undefined,
  ): Promise<void> {
    const { challenge, settings } = deps;
    if (!challenge || challenge.kind() === 'off') return;
    if ((await throttle.failures(gates)) >= settings.current().challenge_login_after)
      await challenge.verify('login', { ctx, device: browser.device }, answer);
  }

  /** What happens once the password was right. The user is read again: a ban or a new password may have come meanwhile. */
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
    await writeAudit(tx, deps, asUser(ctx, user, opened.sessionId), { action: 'account.login', target: user.id });
    await noteDevice(tx, ctx, user, browser.device, opened.sessionId);
    return { kind: 'in', opened };
  }

  /** Tells the user of a device that is new (behaviour 3.3); not of the very first. */
  async function noteDevice(tx: Tx, ctx: Ctx, user: UserRow, token: string, sessionId: string): Promise<void> {
    const seen = await tx.identity.recordDevice(user.id, ids.hash(token), clock.now());
    if (seen !== 'new') return;
    const device = deviceName(ctx.userAgent) || '–';
    await deps.events.emit(tx, 'user.new_device', { userId: user.id, sessionId, device, address: ctx.address }, ctx);
  }

  return { login };
}

/**
 * The counters of a try. A browser the user has logged in from before has a counter of its own, and no other: neither a
 * stranger who guesses nor the failures of others at the same address lock the owner out of it.
 */
function gatesOf(
  { ids, settings }: Pick<IdentityDeps, 'ids' | 'settings'>,
  ctx: Ctx,
  login: string,
  found: { userId: string; device: string | null } | null,
): { account: Bucket; all: Bucket[] } {
  if (found?.device != null) {
    const own = { key: `${devicesKey(found.userId)}${ids.hash(found.device)}`, free: FREE_PER_ACCOUNT };
    return { account: own, all: [own] };
  }
  const account = { key: found ? accountKey(found.userId) : unknownLoginKey(ids, login), free: FREE_PER_ACCOUNT };
  const free = raisedLimit(settings.current().limit_login_failures, settings.current());
  return { account, all: [account, { key: `login:from:${networkOf(ctx.address)}`, free }] };
}
