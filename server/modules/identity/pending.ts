import { fieldError } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import { normaliseName } from '#shared/names.ts';
import { MINUTE } from '#shared/time.ts';
import { enqueue } from '../jobs/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { addUser } from './add-user.ts';
import { asUser, LINK_LIFE, type IdentityDeps } from './deps.ts';
import type { Asker, MailBudget } from './mail-budget.ts';
import type { PendingAccount } from './ports.ts';

/** Kind of the job that sends another link. */
const AGAIN_JOB = 'identity.verify_again';

/** What somebody registers with, the password hashed. */
type Registration = Pick<
  PendingAccount,
  'username' | 'email' | 'passwordHash' | 'firstName' | 'lastName' | 'referral' | 'deviceKey'
>;

/**
 * Accounts that wait for the link in their e-mail (behaviour 3.1). Nobody logs in before it, and the name is reserved,
 * whether or not the address was free: what an address has stays between the server and its mailbox. Nothing can be
 * attached to an account before its address is proven.
 */
export function createPending(deps: IdentityDeps, budget: MailBudget) {
  const { uow, clock, ids } = deps;

  /**
   * Reserves the name and writes to the address: the link, or to who has an account already that somebody tried. Throws
   * VALIDATION_FAILED (USERNAME_TAKEN).
   */
  async function add(tx: Tx, ctx: Ctx, person: Registration, asker: Asker): Promise<void> {
    const now = clock.now();
    const token = ids.token();
    const account: PendingAccount = {
      ...person,
      locale: ctx.locale,
      address: ctx.address,
      tokenHash: ids.hash(token),
      createdMs: now,
      expiresMs: now + LINK_LIFE,
    };
    if (!(await tx.pending.add(account))) throw fieldError('username', 'USERNAME_TAKEN');
    await sendLink(tx, account, token, asker);
  }

  /** The e-mail to an address that was registered with. Both kinds come out of the same budgets. */
  async function sendLink(tx: Tx, account: PendingAccount, token: string, asker: Asker): Promise<void> {
    if (!(await budget.take(tx, `verify:${ids.hash(normaliseName(account.email))}`, asker.network))) return;
    const holder = await tx.identity.userByLogin(account.email);
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
   * Orders another e-mail for an address. The answer and its time are the same for all: who waits is known to the job
   * alone.
   */
  function resend(email: string, asker: Asker): Promise<void> {
    const uniqueKey = `verify:${ids.hash(normaliseName(email))}:${asker.network}`;
    return uow.run((tx) => enqueue(tx, ids, clock, { kind: AGAIN_JOB, payload: { email, ...asker }, uniqueKey }));
  }

  function enqueueResend(email: string, asker: Asker): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const account = await tx.pending.latest(email, now);
      if (!account) return;
      const token = ids.token();
      await tx.pending.renew(account.username, ids.hash(token), now + LINK_LIFE);
      await sendLink(tx, account, token, asker);
    });
  }

  /**
   * Makes the account that a link belongs to, its address confirmed. Out: whether the link belongs to one. Throws
   * VALIDATION_FAILED where the operator or an earlier link of the same address was first.
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
    const { referral, address } = account;
    const by = asUser(ctx, user, '');
    await deps.events.emit(
      tx,
      'user.registered',
      { userId: user.id, role: role.name, referral, address, device: null },
      by,
    );
    await tx.identity.recordDevice(user.id, account.deviceKey, clock.now());
    await deps.events.emit(tx, 'user.verified', { userId: user.id }, by);
    return true;
  }

  return { add, resend, confirm, jobs: { [AGAIN_JOB]: jobOf(enqueueResend) } };
}

/** The job that sends another link. */
function jobOf(sendAgain: (email: string, asker: Asker) => Promise<void>) {
  return {
    leaseMs: MINUTE,
    handle(payload: unknown): Promise<void> {
      const { email, network, device } = payload as { email?: unknown; network?: unknown; device?: unknown };
      return typeof email === 'string' && typeof network === 'string' && typeof device === 'string'
        ? sendAgain(email, { network, device })
        : Promise.resolve();
    },
  };
}
export type PendingPart = ReturnType<typeof createPending>;
