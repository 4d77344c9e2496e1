import { DomainError, fieldError } from '#shared/errors.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { asksVerification, asUser, touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import { deviceName } from './device.ts';
import { accountKey, devicesKey } from './login.ts';
import type { MailBudget } from './mail-budget.ts';
import { isCommonPassword } from './password-policy.ts';
import type { UserRow } from './ports.ts';
import { createResetLinks } from './reset-links.ts';

/** A forgotten password: the e-mail with a link, and the new password it sets (behaviour 3.7). */
export function createReset(deps: IdentityDeps, budget: MailBudget) {
  const { uow, clock, ids, passwords } = deps;
  const links = createResetLinks(deps, budget);

  /**
   * Sets a new password by a link. The link, all other links and all sessions of the user end with it; no session is
   * opened, so the next log-in asks for everything it always asks for (attacks T30). Throws RESET_LINK_INVALID,
   * VALIDATION_FAILED with PASSWORD_COMMON at `password` (the link stays good), SERVER_UNAVAILABLE.
   */
  async function reset(ctx: Ctx, { token, password }: { token: string; password: string }): Promise<void> {
    const tokenHash = ids.hash(token);
    const holder = await uow.read((tx) => links.userOf(tx, tokenHash, false));
    if (!holder) throw new DomainError('RESET_LINK_INVALID');
    if (isCommonPassword(password, [holder.username, holder.email.split('@')[0] ?? '']))
      throw fieldError('password', 'PASSWORD_COMMON');
    const hash = await passwords.hash(password);
    await uow.run((tx) => store(tx, ctx, tokenHash, hash));
  }

  /** Everything that a new password changes, in one transaction: of many that come with one link, one succeeds. */
  async function store(tx: Tx, ctx: Ctx, tokenHash: string, hash: string): Promise<void> {
    const now = clock.now();
    const user = await links.userOf(tx, tokenHash, true);
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

  return { forgot: links.forgot, isLinkValid: links.isLinkValid, reset, jobs: links.jobs };
}
