import { fieldError } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import { normaliseName } from '#shared/names.ts';
import { MINUTE } from '#shared/time.ts';
import { enqueue } from '../jobs/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { addUser } from './add-user.ts';
import { toSignedIn, LINK_LIFE, type IdentityDeps } from './deps.ts';
import type { Requester, MailBudget } from './mail-budget.ts';
import type { PendingAccount } from './ports.ts';

/** Kind of the job that sends the link again. */
const RESEND_JOB = 'identity.verify_again';

/** A registration, with the password hashed. */
type Registration = Pick<
  PendingAccount,
  'username' | 'email' | 'passwordHash' | 'firstName' | 'lastName' | 'referral' | 'ssoRegistration' | 'deviceKey'
>;

/**
 * Accounts whose address is not confirmed yet (behaviour 3.1). They cannot log in, and their name is reserved whether
 * or not the address already has an account: only its mailbox learns that. Nothing can be attached to an account before
 * its address is confirmed.
 */
export function createPendingAccounts(deps: IdentityDeps, budget: MailBudget) {
  const { uow, clock, ids } = deps;

  /**
   * Reserves the name and e-mails the address: the link, or, when it already has an account, a notice of the attempt.
   * Throws VALIDATION_FAILED (USERNAME_TAKEN).
   */
  async function add(tx: Tx, ctx: Ctx, registration: Registration, requester: Requester): Promise<void> {
    const now = clock.now();
    const token = ids.token();
    const account: PendingAccount = {
      ...registration,
      locale: ctx.locale,
      address: ctx.address,
      tokenHash: ids.hash(token),
      createdMs: now,
      expiresMs: now + LINK_LIFE,
    };
    if (!(await tx.pending.add(account))) throw fieldError('username', 'USERNAME_TAKEN');
    await sendLink(tx, account, token, requester);
  }

  /** Sends the e-mail to a registered address, within the budget. Both kinds share one budget. */
  async function sendLink(tx: Tx, account: PendingAccount, token: string, requester: Requester): Promise<void> {
    if (!(await budget.take(tx, `verify:${ids.hash(normaliseName(account.email))}`, requester.network))) return;
    const holder = await tx.identity.findUserByLogin(account.email);
    if (holder) {
      const day = Math.floor(clock.now() / LINK_LIFE);
      await deps.mailing.sendTo(
        tx,
        holder.id,
        'accountExists',
        { path: href('auth.login') },
        `accountExists:${holder.id}:${day}`,
      );
      return;
    }
    await deps.mailing.send(tx, {
      userId: null,
      address: account.email,
      locale: account.locale,
      template: 'verify',
      vars: { name: account.firstName || account.username, path: `${href('auth.verify')}?token=${token}` },
    });
  }

  /**
   * Enqueues another e-mail for an address. The response and its timing are the same for all: only the job looks up
   * whether an account waits.
   */
  function enqueueLink(email: string, requester: Requester): Promise<void> {
    const uniqueKey = `verify:${ids.hash(normaliseName(email))}:${requester.network}`;
    return uow.run((tx) => enqueue(tx, ids, clock, { kind: RESEND_JOB, payload: { email, ...requester }, uniqueKey }));
  }

  function sendLinkAgain(email: string, requester: Requester): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const account = await tx.pending.findLatest(email, now);
      if (!account) return;
      const token = ids.token();
      await tx.pending.renew(account.username, ids.hash(token), now + LINK_LIFE);
      await sendLink(tx, account, token, requester);
    });
  }

  /**
   * Creates the account that a link belongs to, its address confirmed. Returns whether the link belongs to one. Throws
   * VALIDATION_FAILED when the name or the address was taken meanwhile.
   */
  async function confirm(tx: Tx, ctx: Ctx, tokenHash: string): Promise<boolean> {
    const account = await tx.pending.take(tokenHash, clock.now());
    if (!account) return false;
    const role = await tx.access.defaultRole();
    const { username, email, firstName: first_name, lastName: last_name, passwordHash: hash, locale } = account;
    const user = await addUser(deps, tx, {
      username,
      email,
      first_name,
      last_name,
      hash,
      locale,
      role,
      verified: true,
    });
    const { referral, ssoRegistration, address } = account;
    const signedIn = toSignedIn(ctx, user, '');
    await deps.events.emit(
      tx,
      'user.registered',
      { userId: user.id, role: role.name, referral, ssoRegistration, address, device: null },
      signedIn,
    );
    await tx.identity.recordDevice(user.id, account.deviceKey, clock.now());
    await deps.events.emit(tx, 'user.verified', { userId: user.id }, signedIn);
    return true;
  }

  return { add, enqueueLink, confirm, jobs: { [RESEND_JOB]: jobOf(sendLinkAgain) } };
}

/** The job that sends the link again. */
function jobOf(send: (email: string, requester: Requester) => Promise<void>) {
  return {
    leaseMs: MINUTE,
    handle(payload: unknown): Promise<void> {
      const { email, network, device } = payload as { email?: unknown; network?: unknown; device?: unknown };
      return typeof email === 'string' && typeof network === 'string' && typeof device === 'string'
        ? send(email, { network, device })
        : Promise.resolve();
    },
  };
}
export type PendingAccounts = ReturnType<typeof createPendingAccounts>;
