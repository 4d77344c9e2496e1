import { DomainError, fieldError } from '#shared/errors.ts';
import { deviceName } from '../audit/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { requiresVerification, toSignedIn, touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import { accountTriesKey, deviceTriesPrefix } from './login.ts';
import { isCommonPassword } from './password-policy.ts';
import type { UserRow } from './ports.ts';
import type { ResetLinks } from './reset-links.ts';

/** A forgotten password: the e-mail with a link, and the new password it sets (behaviour 3.7). */
export function createReset(deps: IdentityDeps, links: ResetLinks) {
  const { uow, clock, ids, passwords } = deps;

  /**
   * Sets a new password by a link, which invalidates all links and sessions of the user. No session is opened: the next
   * log-in asks for the second factor as usual (attacks T30). Throws RESET_LINK_INVALID, VALIDATION_FAILED with
   * PASSWORD_COMMON at `password` (the link stays valid), SERVER_UNAVAILABLE.
   */
  async function reset(ctx: Ctx, { token, password }: { token: string; password: string }): Promise<void> {
    const tokenHash = ids.hash(token);
    const user = await uow.read((tx) => links.findUserByLink(tx, tokenHash, false));
    if (!user) throw new DomainError('RESET_LINK_INVALID');
    if (isCommonPassword(password, [user.username, user.email.split('@')[0] ?? '']))
      throw fieldError('password', 'PASSWORD_COMMON');
    const hash = await passwords.hash(password);
    await uow.run((tx) => storePassword(tx, ctx, tokenHash, hash));
  }

  /** Stores the password and all that follows in one transaction: of many requests with one link, one succeeds. */
  async function storePassword(tx: Tx, ctx: Ctx, tokenHash: string, hash: string): Promise<void> {
    const now = clock.now();
    const user = await links.findUserByLink(tx, tokenHash, true);
    const used = user && (await tx.identity.useToken('reset', tokenHash, now));
    if (!user || !used || !(await tx.identity.setPassword(user.id, hash, user.passwordVersion, now)))
      throw new DomainError('RESET_LINK_INVALID');
    await tx.identity.voidTokens('reset', user.id, now);
    touchSessions(tx, await tx.identity.endSessions(user.id, null));
    if (user.verifiedMs === null) await confirmAddress(tx, ctx, user);
    // The wrong guesses before were those of somebody who had forgotten the password.
    await tx.identity.clearAttempts(accountTriesKey(user.id));
    await tx.identity.clearAttemptsUnder(deviceTriesPrefix(user.id));
    const from = { device: deviceName(ctx.userAgent) || '–', address: ctx.address };
    await deps.events.emit(tx, 'user.password_reset', { userId: user.id, ...from }, toSignedIn(ctx, user, ''));
    touchUser(tx, user.id);
  }

  /**
   * Marks the address as confirmed: the link proves it. Where the host requires confirmed addresses, somebody else may
   * have used the account until now: its second factor and linked accounts are removed (attacks T36).
   */
  async function confirmAddress(tx: Tx, ctx: Ctx, user: UserRow): Promise<void> {
    if (requiresVerification(deps)) {
      await tx.factors.remove(user.id);
      await deps.events.emit(tx, 'user.reclaimed', { userId: user.id }, toSignedIn(ctx, user, ''));
    }
    if (!(await tx.identity.setVerified(user.id, clock.now()))) return;
    await deps.events.emit(tx, 'user.verified', { userId: user.id }, toSignedIn(ctx, user, ''));
  }

  return { enqueueLink: links.enqueueLink, isLinkValid: links.isLinkValid, reset, jobs: links.jobs };
}
