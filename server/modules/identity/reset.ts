import { DomainError, fieldError } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import { comparable } from '#shared/names.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { enqueue } from '../jobs/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { asksVerification, asUser, touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import { deviceName } from './device.ts';
import { accountKey, devicesKey } from './login.ts';
import type { Asker, MailBudget } from './mail-budget.ts';
import { isCommonPassword } from './password-policy.ts';
import type { UserRow } from './ports.ts';

/** Kind of the job that writes the letter. */
const RESET_JOB = 'identity.reset';
/** Life of a link (behaviour 3.7). */
const RESET_LIFE = HOUR;

/** A forgotten password: the letter with a link, and the new password it sets (behaviour 3.7). */
export function createReset(deps: IdentityDeps, budget: MailBudget) {
  const { uow, clock, ids, passwords } = deps;

  /**
   * Orders a letter for a username or an address. Nothing is looked up here: whether there is such an account is known
   * to the job alone, so the answer and its time are the same for all (attacks T36).
   */
  function forgot(login: string, asker: Asker): Promise<void> {
    const uniqueKey = `reset:${ids.hash(comparable(login))}:${asker.network}`;
    return uow.run((tx) => enqueue(tx, ids, clock, { kind: RESET_JOB, payload: { login, ...asker }, uniqueKey }));
  }

  /**
   * Sends the e-mail, where the account is there and in use. Who asks has a budget of their own: the network, or the
   * browser the user has logged in from. Where the budgets are spent there is still one good link at any time: the last
   * that was sent, or else this one.
   */
  function sendLink(login: string, { network, device }: Asker): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const found = await tx.identity.userByLogin(login);
      const user = found && (await tx.identity.lockUser(found.id));
      if (!user || !mayReset(user, now)) return;
      const asker = (await tx.identity.knowsDevice(user.id, device)) ? device : network;
      const within = await budget.take(tx, `reset:${user.id}`, asker);
      if (!within && (await tx.identity.anyGood('reset', user.id, boundTo(user), now))) return;
      const [latest] = await tx.identity.tokenTimes('reset', user.id, now - MINUTE);
      if (latest !== undefined && (await tx.identity.anyGood('reset', user.id, boundTo(user), now))) return;
      const token = ids.token();
      await tx.identity.addToken({
        id: ids.uuid(),
        kind: 'reset',
        userId: user.id,
        tokenHash: ids.hash(token),
        boundTo: boundTo(user),
        createdMs: now,
        expiresMs: now + RESET_LIFE,
      });
      await deps.mailing.sendTo(tx, user.id, 'passwordReset', { path: `${href('auth.reset')}?token=${token}` });
    });
  }

  /** What a link stands on. With another password or another address it is worth nothing (attacks T36). */
  function boundTo({ passwordVersion, email }: UserRow): string {
    return ids.hash(`${passwordVersion}\n${email}`);
  }

  /** The user of a link that is good, or null. `lock` (not while only reading): so that it stays good. */
  async function userOf(tx: Tx, tokenHash: string, lock: boolean): Promise<UserRow | null> {
    const now = clock.now();
    const found = await tx.identity.findToken('reset', tokenHash, now);
    const user = found?.userId
      ? await (lock ? tx.identity.lockUser(found.userId) : tx.identity.user(found.userId))
      : null;
    return user && mayReset(user, now) && found?.boundTo === boundTo(user) ? user : null;
  }

  /** Whether a link is good. Using it up is left to `reset`. */
  function linkGood(token: string): Promise<boolean> {
    return uow.read(async (tx) => (await userOf(tx, ids.hash(token), false)) !== null);
  }

  /**
   * Sets a new password by a link. The link, all other links and all sessions of the user end with it; no session is
   * opened, so the next log-in asks for everything it always asks for (attacks T30). Throws RESET_LINK_INVALID,
   * VALIDATION_FAILED with PASSWORD_COMMON at `password` (the link stays good), SERVER_UNAVAILABLE.
   */
  async function reset(ctx: Ctx, { token, password }: { token: string; password: string }): Promise<void> {
    const tokenHash = ids.hash(token);
    const holder = await uow.read((tx) => userOf(tx, tokenHash, false));
    if (!holder) throw new DomainError('RESET_LINK_INVALID');
    if (isCommonPassword(password, [holder.username, holder.email.split('@')[0] ?? '']))
      throw fieldError('password', 'PASSWORD_COMMON');
    const hash = await passwords.hash(password);
    await uow.run((tx) => store(tx, ctx, tokenHash, hash));
  }

  /** Everything that a new password changes, in one transaction: of many that come with one link, one succeeds. */
  async function store(tx: Tx, ctx: Ctx, tokenHash: string, hash: string): Promise<void> {
    const now = clock.now();
    const user = await userOf(tx, tokenHash, true);
    const used = user && (await tx.identity.useToken('reset', tokenHash, now));
    if (!user || !used || !(await tx.identity.setPassword(user.id, hash, user.passwordVersion, now)))
      throw new DomainError('RESET_LINK_INVALID');
    await tx.identity.voidTokens('reset', user.id, now);
    touchSessions(tx, await tx.identity.endSessions(user.id, null));
    if (user.verifiedMs === null) await prove(tx, ctx, user);
    // The wrong guesses before this were those of somebody who had forgotten it.
    await tx.identity.clearAttempts(accountKey(user.id));
    await tx.identity.clearAttemptsUnder(devicesKey(user.id));
    const from = { device: deviceName(ctx.userAgent) || '–', address: ctx.address };
    await deps.events.emit(tx, 'user.password_reset', { userId: user.id, ...from }, asUser(ctx, user, ''));
    touchUser(tx, user.id);
  }

  /**
   * The address of an account that nobody had confirmed is proven by the link. Where the host asks for confirmed
   * addresses, whoever used the account before was perhaps somebody else: their second factor and linked accounts go
   * (attacks T36).
   */
  async function prove(tx: Tx, ctx: Ctx, user: UserRow): Promise<void> {
    if (asksVerification(deps)) {
      await tx.factors.remove(user.id);
      await deps.events.emit(tx, 'user.reclaimed', { userId: user.id }, asUser(ctx, user, ''));
    }
    if (!(await tx.identity.setVerified(user.id, clock.now()))) return;
    await deps.events.emit(tx, 'user.verified', { userId: user.id }, asUser(ctx, user, ''));
  }

  const job = {
    leaseMs: MINUTE,
    handle(payload: unknown): Promise<void> {
      const { login, network, device } = payload as { login?: unknown; network?: unknown; device?: unknown };
      if (typeof login !== 'string') return Promise.resolve();
      // Ordered before an upgrade: who asked is not known.
      return sendLink(login, {
        network: typeof network === 'string' ? network : '',
        device: typeof device === 'string' ? device : '',
      });
    },
  };

  return { forgot, linkGood, reset, jobs: { [RESET_JOB]: job } };
}

/** Neither deleted nor, at this moment, banned. */
function mayReset({ status, bannedUntilMs }: UserRow, now: number): boolean {
  return status === 'active' || (status === 'banned' && bannedUntilMs !== null && bannedUntilMs <= now);
}
