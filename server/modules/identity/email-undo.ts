import { DomainError } from '#shared/errors.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { toSignedIn, touchSessions, type IdentityDeps } from './deps.ts';
import type { EmailLinks } from './email-links.ts';
import type { ResetLinks } from './reset-links.ts';

/** Giving an account back to its old address (behaviour 3.8; attacks T36). */
export function createEmailUndo(deps: IdentityDeps, links: EmailLinks, resetLinks: Pick<ResetLinks, 'sendLinkTo'>) {
  const { uow, clock, ids } = deps;

  /**
   * Gives an account back to the old address by the link in its e-mail. Whoever changed it knew the password: it stops
   * working, all sessions end, a second factor set up since then is removed, later changes are void, and a link for a
   * new password is sent to the old address. Returns the user's id. Throws EMAIL_LINK_INVALID.
   */
  async function undo(ctx: Ctx, token: string): Promise<string> {
    const hash = ids.hash(token);
    // Nobody knows this password: the account is opened by the link that is sent.
    const locked = await deps.passwords.hash(ids.token());
    return links.withFreeAddress(() => uow.run((tx) => undoLocked(tx, ctx, hash, locked)), hash, 'undo');
  }

  async function undoLocked(tx: Tx, ctx: Ctx, hash: string, locked: string): Promise<string> {
    const { change, user } = await links.lockByLink(tx, 'undo', hash);
    const now = clock.now();
    if (await links.isTaken(tx, change.oldEmail, user.id)) throw new DomainError('EMAIL_LINK_INVALID');
    const by = toSignedIn(ctx, user, '');
    await links.setAddress(tx, user, change.oldEmail, by);
    await tx.identity.setPassword(user.id, locked, user.passwordVersion, now);
    await tx.emailChanges.deleteSince(user.id, change.createdMs);
    touchSessions(tx, await tx.identity.endSessions(user.id, null));
    const factor = await tx.factors.find(user.id);
    if (factor?.secret != null && (factor.enabledMs ?? 0) >= change.createdMs) {
      await tx.factors.remove(user.id);
      await deps.events.emit(tx, 'user.two_factor_disabled', { userId: user.id }, by);
    }
    const payload = { userId: user.id, from: user.email, to: change.oldEmail, sinceMs: change.createdMs };
    await deps.events.emit(tx, 'user.email_restored', payload, by);
    const restored = await tx.identity.findUser(user.id);
    if (restored) await resetLinks.sendLinkTo(tx, restored);
    return user.id;
  }

  return { undo };
}
