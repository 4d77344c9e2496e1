import { DomainError } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import { DAY } from '#shared/time.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { requiresVerification, toSignedIn, type IdentityDeps } from './deps.ts';
import type { EmailLinks } from './email-links.ts';
import type { EmailChange } from './email-ports.ts';
import type { UserRow } from './ports.ts';

/** How long the old address can undo a change, in ms (behaviour 3.8). */
const UNDO_LIFE = 3 * DAY;

/** Confirming another address by its link (behaviour 3.8). */
export function createEmailConfirm(deps: IdentityDeps, links: EmailLinks) {
  const { uow, clock, ids } = deps;

  /**
   * Changes the address by the link in the new one's e-mail, which proves it; links that were sent to the old address
   * become invalid, and the old address gets the link to undo it. Throws EMAIL_LINK_INVALID.
   */
  function confirm(ctx: Ctx, token: string): Promise<void> {
    const hash = ids.hash(token);
    return links.withFreeAddress(() => uow.run((tx) => confirmLocked(tx, ctx, hash)), hash, 'confirm');
  }

  async function confirmLocked(tx: Tx, ctx: Ctx, hash: string): Promise<void> {
    const { change, user } = await links.lockByLink(tx, 'confirm', hash);
    const stale = user.status !== 'active' || user.passwordVersion !== change.passwordVersion;
    if (stale || (await links.isTaken(tx, change.newEmail, user.id))) throw new DomainError('EMAIL_LINK_INVALID');
    await apply(tx, { change, user }, toSignedIn(ctx, user, ctx.actor?.sessionId ?? ''));
  }

  /** Carries a change out: the new address is set, and the old one gets the link to undo it. `by`: who changes it. */
  async function apply(
    tx: Tx,
    { change, user }: { readonly change: Pick<EmailChange, 'id' | 'newEmail'>; readonly user: UserRow },
    by: SignedIn,
    isProven = true,
  ): Promise<void> {
    const now = clock.now();
    await links.setAddress(tx, user, change.newEmail, by, isProven);
    const undo = mayUndo(user) ? ids.token() : null;
    const untilMs = undo === null ? now : now + UNDO_LIFE;
    await tx.emailChanges.markDone(change.id, { undoHash: undo && ids.hash(undo), atMs: now, untilMs });
    if (undo !== null) await sendUndo(tx, user, undo);
    const payload = { userId: user.id, from: user.email, to: change.newEmail };
    await deps.events.emit(tx, 'user.email_changed', payload, by);
  }

  /** Whoever never showed that the old address is theirs, where that is asked for, gets no say over the account. */
  function mayUndo(user: UserRow): boolean {
    return user.verifiedMs !== null || !requiresVerification(deps);
  }

  async function sendUndo(tx: Tx, user: UserRow, token: string): Promise<void> {
    await deps.mailing.send(tx, {
      userId: user.id,
      address: user.email,
      locale: user.locale,
      timeZone: user.timeZone,
      template: 'emailChanged',
      vars: {
        name: user.firstName || user.username,
        when: { at: clock.now() },
        path: `${href('auth.email')}?undo=yes&token=${token}`,
      },
    });
  }

  return { confirm, apply };
}
