import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { touchUser, type IdentityDeps } from './deps.ts';
import type { EmailChange, EmailLink } from './email-ports.ts';
import type { UserRow } from './ports.ts';

export type EmailLinks = ReturnType<typeof createEmailLinks>;

/** What the two links of a change of address have in common: whose they are, and the address they set. */
export function createEmailLinks({ uow, clock, events }: Pick<IdentityDeps, 'uow' | 'clock' | 'events'>) {
  /** The change and its user, both locked until the commit. Throws EMAIL_LINK_INVALID. */
  async function lockByLink(tx: Tx, link: EmailLink, hash: string): Promise<{ change: EmailChange; user: UserRow }> {
    const now = clock.now();
    const found = await tx.emailChanges.findByLink(link, hash, now);
    const user = found && (await tx.identity.lockUser(found.userId));
    // Once more under the lock: of two concurrent uses of a link, the second finds it used.
    const change = user && (await tx.emailChanges.findByLink(link, hash, now));
    if (!user || !change || user.status === 'deleted') throw new DomainError('EMAIL_LINK_INVALID');
    return { change, user };
  }

  /**
   * Sets an address where nobody else has it. Two users who confirm one address at once meet at the database: the
   * second is refused here as if the first had been earlier.
   */
  async function withFreeAddress<T>(work: () => Promise<T>, hash: string, link: EmailLink): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DomainError) throw error;
      const taken = await uow.read(async (tx) => {
        const change = await tx.emailChanges.findByLink(link, hash, clock.now());
        const email = link === 'confirm' ? change?.newEmail : change?.oldEmail;
        const holder = email === undefined ? null : await tx.identity.findUserByLogin(email);
        return holder !== null && holder.id !== change?.userId;
      });
      throw taken ? new DomainError('EMAIL_LINK_INVALID') : error;
    }
  }

  /** Whether an address is another user's, or kept for one who may still go back to it. */
  async function isTaken(tx: Tx, email: string, userId: string): Promise<boolean> {
    const holder = await tx.identity.findUserByLogin(email);
    return (holder !== null && holder.id !== userId) || (await tx.emailChanges.isReserved(email, userId, clock.now()));
  }

  /** Sets an address; `isProven`: a link, or staff, show that it is the user's. */
  async function setAddress(tx: Tx, user: UserRow, email: string, by: SignedIn, isProven = true): Promise<void> {
    const now = clock.now();
    await tx.identity.setEmail(user.id, email, isProven ? now : null, now);
    await tx.identity.voidTokens('verify', user.id, now);
    await tx.identity.voidTokens('reset', user.id, now);
    if (isProven && user.verifiedMs === null) await events.emit(tx, 'user.verified', { userId: user.id }, by);
    touchUser(tx, user.id);
  }

  return { lockByLink, withFreeAddress, isTaken, setAddress };
}
