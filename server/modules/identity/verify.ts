import { DomainError } from '#shared/errors.ts';
import { href } from '#shared/routes/staff-href.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { toSignedIn, LINK_LIFE, touchUser, type IdentityDeps } from './deps.ts';
import type { PendingAccounts } from './pending.ts';

/** Shortest time in ms between two e-mails, and most e-mails in 24 hours (behaviour 3.1; attacks T52). */
const RESEND_INTERVAL = MINUTE;
const MAX_MAILS_PER_DAY = 5;

/** Confirming an address by a link (behaviour 3.1). */
export function createVerify(deps: IdentityDeps, pending: Pick<PendingAccounts, 'confirm'>) {
  const { uow, clock, ids } = deps;

  /** Sends a link to a user; earlier links become invalid. */
  async function sendLink(tx: Tx, userId: string): Promise<void> {
    const now = clock.now();
    const token = ids.token();
    await tx.identity.voidTokens('verify', userId, now);
    await tx.identity.addToken({
      id: ids.uuid(),
      kind: 'verify',
      userId,
      tokenHash: ids.hash(token),
      createdMs: now,
      expiresMs: now + LINK_LIFE,
    });
    await deps.mailing.sendTo(tx, userId, 'verify', { path: `${href('auth.verify')}?token=${token}` });
  }

  /**
   * Confirms the address a link was sent to, and creates the account if it waited for that; each link works once.
   * Throws VERIFY_LINK_INVALID.
   */
  async function verify(ctx: Ctx, token: string): Promise<void> {
    try {
      await uow.run(async (tx) => (await pending.confirm(tx, ctx, ids.hash(token))) || confirm(tx, ctx, token));
    } catch (error) {
      // The name or the address was taken meanwhile: by another link of the same address, or by the operator.
      throw error instanceof DomainError && error.code === 'VALIDATION_FAILED'
        ? new DomainError('VERIFY_LINK_INVALID')
        : error;
    }
  }

  /** Confirms the address of an existing account. */
  async function confirm(tx: Tx, ctx: Ctx, token: string): Promise<void> {
    const now = clock.now();
    const used = await tx.identity.useToken('verify', ids.hash(token), now);
    const user = used?.userId ? await tx.identity.findUser(used.userId) : null;
    if (!user || user.status === 'deleted') throw new DomainError('VERIFY_LINK_INVALID');
    if (await tx.identity.setVerified(user.id, now))
      await deps.events.emit(
        tx,
        'user.verified',
        { userId: user.id },
        toSignedIn(ctx, user, ctx.actor?.sessionId ?? ''),
      );
    touchUser(tx, user.id);
  }

  /**
   * Confirms a user's address in the place of their link, which is void then. Throws NOT_FOUND, ALREADY_VERIFIED, and
   * FORBIDDEN for whoever may not edit users and for a user of the caller's rank or above.
   */
  const confirmForUser = (ctx: SignedIn, userId: string): Promise<void> => uow.run((tx) => confirmIn(tx, ctx, userId));

  /** The same within a running transaction. */
  async function confirmIn(tx: Tx, ctx: SignedIn, userId: string): Promise<void> {
    assertMay(ctx, 'admin.users.edit');
    const now = clock.now();
    const user = await tx.identity.lockUser(userId);
    if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
    await assertOutranks(tx, ctx, user.roleId);
    if (!(await tx.identity.setVerified(userId, now))) throw new DomainError('ALREADY_VERIFIED');
    await tx.identity.voidTokens('verify', userId, now);
    await deps.events.emit(tx, 'user.verified', { userId }, ctx);
    touchUser(tx, userId);
  }

  /** Sends the caller another link. Throws ALREADY_VERIFIED, RESEND_TOO_SOON (with the seconds to wait). */
  function resend(ctx: SignedIn): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const user = await tx.identity.lockUser(ctx.actor.userId);
      if (!user || user.verifiedMs !== null) throw new DomainError('ALREADY_VERIFIED');
      const times = await tx.identity.listTokenTimes('verify', user.id, now - DAY);
      const latest = times[0];
      const oldest = times[MAX_MAILS_PER_DAY - 1];
      const allowedMs = oldest !== undefined ? oldest + DAY : latest !== undefined ? latest + RESEND_INTERVAL : now;
      if (now < allowedMs)
        throw new DomainError('RESEND_TOO_SOON', { retryAfterS: Math.ceil((allowedMs - now) / SECOND) });
      await sendLink(tx, user.id);
    });
  }

  return { verify, confirmForUser, confirmIn, resend, sendLink };
}
