import { DomainError, fieldError } from '#shared/errors.ts';
import { normaliseName } from '#shared/names.ts';
import { href } from '#shared/routes/href.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { LINK_LIFE, touchUser, type IdentityDeps } from './deps.ts';
import type { EmailChange } from './email-ports.ts';
import { assertOwner } from './own-password.ts';
import type { MailBudget } from './mail-budget.ts';
import type { UserRow } from './ports.ts';
import type { Throttle } from './throttle.ts';

/** What the account page shows of the address. */
interface EmailState {
  readonly email: string;
  /** The address that is to be confirmed, until when (UTC ms); null: no change waits. */
  readonly pending: { readonly email: string; readonly expiresMs: number } | null;
}

/** Asking for another address (behaviour 3.8; attacks T36): by the owner, and confirmed by a link. */
export function createEmailRequest(
  deps: IdentityDeps,
  parts: { readonly throttle: Throttle; readonly budget: MailBudget },
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
  async function request(ctx: SignedIn, input: { email: string; password?: string | undefined }): Promise<void> {
    await assertOwner(deps, parts.throttle, ctx, input.password);
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
      timeZone: user.timeZone,
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

  return { getState, request, cancel };
}
