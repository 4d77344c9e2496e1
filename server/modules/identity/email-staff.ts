import { DomainError, fieldError } from '#shared/errors.ts';
import { normaliseName } from '#shared/names.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { LINK_LIFE, requiresVerification, type IdentityDeps } from './deps.ts';
import type { createEmailConfirm } from './email-confirm.ts';
import type { EmailLinks } from './email-links.ts';
import { lockForStaff } from './staff-lock.ts';

interface Parts {
  readonly links: EmailLinks;
  readonly apply: ReturnType<typeof createEmailConfirm>['apply'];
  /** Sends a link by which a user confirms the address of the account. */
  readonly sendLink: (tx: Tx, userId: string) => Promise<void>;
}

/** Changing a user's address in the place of the user (behaviour 8.3; attacks T36). */
export function createStaffEmail(deps: IdentityDeps, { links, apply, sendLink }: Parts) {
  const { uow, clock, ids } = deps;

  /**
   * Sets a user's address. The old one gets the link to undo it, as if the user had changed it. `isConfirmed`: staff
   * know that it is the user's; otherwise it gets a link to confirm it, where the host asks for that. Throws as
   * `lockForStaff`, and EMAIL_TAKEN at `email`.
   */
  async function setFor(
    ctx: SignedIn,
    userId: string,
    { email, isConfirmed }: { readonly email: string; readonly isConfirmed: boolean },
  ): Promise<void> {
    try {
      await uow.run((tx) => setLocked(tx, ctx, userId, email, isConfirmed));
    } catch (error) {
      if (error instanceof DomainError) throw error;
      // Two at once who set one address meet at the database: the second is refused as if the first had been earlier.
      const holder = await uow.read((tx) => tx.identity.findUserByLogin(email));
      throw holder !== null && holder.id !== userId ? fieldError('email', 'EMAIL_TAKEN') : error;
    }
  }

  async function setLocked(tx: Tx, ctx: SignedIn, userId: string, email: string, isConfirmed: boolean): Promise<void> {
    const user = await lockForStaff(deps, tx, ctx, userId);
    const isSame = normaliseName(email) === normaliseName(user.email);
    if (isSame || (await links.isTaken(tx, email, userId))) throw fieldError('email', 'EMAIL_TAKEN');
    const now = clock.now();
    const change = {
      id: ids.uuid(),
      userId,
      oldEmail: user.email,
      newEmail: email,
      passwordVersion: user.passwordVersion,
      createdMs: now,
      expiresMs: now + LINK_LIFE,
    };
    await tx.emailChanges.deletePending(userId, now);
    // Nobody knows its link.
    await tx.emailChanges.add({ ...change, confirmHash: ids.hash(ids.token()) });
    await apply(tx, { change, user }, ctx, isConfirmed);
    if (!isConfirmed && requiresVerification(deps)) await sendLink(tx, userId);
  }

  return { setFor };
}
