import { DomainError, fieldError } from '#shared/errors.ts';
import { normaliseName } from '#shared/names.ts';
import { href } from '#shared/routes/href.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { LINK_LIFE, requiresVerification, toSignedIn, touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import type { EmailChange, EmailLink } from './email-ports.ts';
import { assertPassword } from './factor-codes.ts';
import type { MailBudget } from './mail-budget.ts';
import type { UserRow } from './ports.ts';
import type { ResetLinks } from './reset-links.ts';
import type { Throttle } from './throttle.ts';

/** How long the old address can undo a change, in ms (behaviour 3.8). */
const UNDO_LIFE = 3 * DAY;

/** What the account page shows of the address. */
interface EmailState {
  readonly email: string;
  /** The address that is to be confirmed, until when (UTC ms); null: no change waits. */
  readonly pending: { readonly email: string; readonly expiresMs: number } | null;
}

/**
 * Another address for an account (behaviour 3.8; attacks T36): asked for with the password, confirmed from the new
 * address, undone from the old one for three days.
 */
export function createEmailChange(
  deps: IdentityDeps,
  parts: { readonly throttle: Throttle; readonly budget: MailBudget; readonly resetLinks: Pick<ResetLinks, 'sendTo'> },
) {
  const { uow, clock, ids } = deps;

  /** The caller's address, and the one that waits for its link. Throws UNAUTHENTICATED. */
  function getState(ctx: SignedIn): Promise<EmailState> {
    return uow.read(async (tx) => {
      const user = await tx.identity.findUser(ctx.actor.userId);
      if (!user) throw new DomainError('UNAUTHENTICATED');
      const pending = await tx.emailChanges.findPending(user.id, clock.now());
      return {
        email: user.email,
        pending: pending && { email: pending.newEmail, expiresMs: pending.expiresMs },
      };
    });
  }

  /**
   * Sends a link to the new address; an earlier one becomes invalid. Nothing that is answered or shown depends on
   * whether the address is taken: then its owner gets another e-mail. Throws VALIDATION_FAILED with PASSWORD_WRONG at
   * `password` or EMAIL_TAKEN at `email` (it is the caller's own), RESEND_TOO_SOON, RATE_LIMITED, UNAUTHENTICATED.
   */
  async function request(ctx: SignedIn, input: { email: string; password: string }): Promise<void> {
    await assertPassword(deps, parts.throttle, ctx, input.password);
    await uow.run(async (tx) => {
      const user = await tx.identity.lockUser(ctx.actor.userId);
      if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
      if (normaliseName(input.email) === normaliseName(user.email)) throw fieldError('email', 'EMAIL_TAKEN');
      await takeBudget(tx, user, input.email);
      const now = clock.now();
      const token = ids.token();
      const change = {
        id: ids.uuid(),
        userId: user.id,
        oldEmail: user.email,
        newEmail: input.email,
        passwordVersion: user.passwordVersion,
        createdMs: now,
        expiresMs: now + LINK_LIFE,
      };
      await tx.emailChanges.deletePending(user.id, now);
      await tx.emailChanges.add({ ...change, confirmHash: ids.hash(token) });
      await sendConfirmation(tx, user, change, token);
      const after = { email: input.email };
      await writeAudit(tx, deps, ctx, { action: 'account.email_request', target: user.id, after });
      touchUser(tx, user.id);
    });
  }

  /** Counts the e-mail for its user and for the mailbox, so that nobody's is filled (attacks T52). */
  async function takeBudget(tx: Tx, user: UserRow, email: string): Promise<void> {
    const mailbox = ids.hash(normaliseName(email));
    const allowed =
      (await parts.budget.take(tx, `email:${user.id}`, user.id)) &&
      (await parts.budget.take(tx, `email:${mailbox}`, user.id));
    if (!allowed) throw new DomainError('RESEND_TOO_SOON', { retryAfterS: MINUTE / SECOND });
  }

  /** Sends the link; where the address has an account, a notice to its owner instead, at most one a day. */
  async function sendConfirmation(
    tx: Tx,
    user: UserRow,
    { newEmail }: Pick<EmailChange, 'newEmail'>,
    token: string,
  ): Promise<void> {
    const holder = await tx.identity.findUserByLogin(newEmail);
    if (holder) {
      const once = `emailTaken:${holder.id}:${Math.floor(clock.now() / DAY)}`;
      await deps.mailing.sendTo(tx, holder.id, 'emailTaken', { path: href('auth.login') }, once);
      return;
    }
    await deps.mailing.send(tx, {
      userId: user.id,
      address: newEmail,
      locale: user.locale,
      template: 'emailChange',
      vars: { name: user.firstName || user.username, path: `${href('auth.email')}?token=${token}` },
    });
  }

  /** Ends the caller's change that waits for its link. Throws NOT_FOUND where none does. */
  function cancel(ctx: SignedIn): Promise<void> {
    return uow.run(async (tx) => {
      await tx.identity.lockUser(ctx.actor.userId);
      if (!(await tx.emailChanges.deletePending(ctx.actor.userId, clock.now()))) throw new DomainError('NOT_FOUND');
      await writeAudit(tx, deps, ctx, { action: 'account.email_cancel', target: ctx.actor.userId });
      touchUser(tx, ctx.actor.userId);
    });
  }

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

  /**
   * Changes the address by the link in the new one's e-mail, which proves it; links that were sent to the old address
   * become invalid, and the old address gets the link to undo it. Throws EMAIL_LINK_INVALID.
   */
  function confirm(ctx: Ctx, token: string): Promise<void> {
    const hash = ids.hash(token);
    return withFreeAddress(() => uow.run((tx) => confirmLocked(tx, ctx, hash)), hash, 'confirm');
  }

  async function confirmLocked(tx: Tx, ctx: Ctx, hash: string): Promise<void> {
    const { change, user } = await lockByLink(tx, 'confirm', hash);
    const now = clock.now();
    const stale = user.status !== 'active' || user.passwordVersion !== change.passwordVersion;
    if (stale || (await isTaken(tx, change.newEmail, user.id))) throw new DomainError('EMAIL_LINK_INVALID');
    const by = toSignedIn(ctx, user, ctx.actor?.sessionId ?? '');
    await setAddress(tx, user, change.newEmail, by);
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

  /** Sets an address that a link has proven. */
  async function setAddress(tx: Tx, user: UserRow, email: string, by: SignedIn): Promise<void> {
    const now = clock.now();
    await tx.identity.setEmail(user.id, email, now);
    await tx.identity.voidTokens('verify', user.id, now);
    await tx.identity.voidTokens('reset', user.id, now);
    if (user.verifiedMs === null) await deps.events.emit(tx, 'user.verified', { userId: user.id }, by);
    touchUser(tx, user.id);
  }

  async function sendUndo(tx: Tx, user: UserRow, token: string): Promise<void> {
    await deps.mailing.send(tx, {
      userId: user.id,
      address: user.email,
      locale: user.locale,
      template: 'emailChanged',
      vars: {
        name: user.firstName || user.username,
        when: { at: clock.now() },
        path: `${href('auth.email')}?undo=yes&token=${token}`,
      },
    });
  }

  /**
   * Gives an account back to the old address by the link in its e-mail. Whoever changed it knew the password: it stops
   * working, all sessions end, a second factor set up since then is removed, later changes are void, and a link for a
   * new password is sent to the old address. Returns the user's id. Throws EMAIL_LINK_INVALID.
   */
  async function undo(ctx: Ctx, token: string): Promise<string> {
    const hash = ids.hash(token);
    // Nobody knows this password: the account is opened by the link that is sent.
    const locked = await deps.passwords.hash(ids.token());
    return withFreeAddress(() => uow.run((tx) => undoLocked(tx, ctx, hash, locked)), hash, 'undo');
  }

  async function undoLocked(tx: Tx, ctx: Ctx, hash: string, locked: string): Promise<string> {
    const { change, user } = await lockByLink(tx, 'undo', hash);
    const now = clock.now();
    if (await isTaken(tx, change.oldEmail, user.id)) throw new DomainError('EMAIL_LINK_INVALID');
    const by = toSignedIn(ctx, user, '');
    await setAddress(tx, user, change.oldEmail, by);
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
    if (restored) await parts.resetLinks.sendTo(tx, restored);
    return user.id;
  }

  return { getState, request, cancel, confirm, undo };
}
