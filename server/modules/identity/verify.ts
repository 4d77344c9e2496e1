import { DomainError } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { asUser, LINK_LIFE, touchUser, type IdentityDeps } from './deps.ts';
import type { PendingPart } from './pending.ts';

/** Shortest time between two e-mails, and most e-mails in 24 hours (behaviour 3.1; attacks T52). */
const RESEND_AFTER = MINUTE;
const MAILS_A_DAY = 5;

/** Confirming an address by a link (behaviour 3.1). */
export function createVerify(deps: IdentityDeps, pending: Pick<PendingPart, 'confirm'>) {
  const { uow, clock, ids } = deps;

  /** Sends a link to a user; the links of earlier e-mails end. */
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
   * Confirms the address a link was sent to, which brings an account that waited for it to life; each link works once.
   * Throws VERIFY_LINK_INVALID.
   */
  async function verify(ctx: Ctx, token: string): Promise<void> {
    try {
      await uow.run(async (tx) => (await pending.confirm(tx, ctx, ids.hash(token))) || confirm(tx, ctx, token));
    } catch (error) {
      // Somebody else was first: with another link of the same address, or the operator with the name.
      throw error instanceof DomainError && error.code === 'VALIDATION_FAILED'
        ? new DomainError('VERIFY_LINK_INVALID')
        : error;
    }
  }

  /** The same of an account that is there already. */
  async function confirm(tx: Tx, ctx: Ctx, token: string): Promise<void> {
    const now = clock.now();
    const used = await tx.identity.useToken('verify', ids.hash(token), now);
    const user = used?.userId ? await tx.identity.user(used.userId) : null;
    if (!user || user.status === 'deleted') throw new DomainError('VERIFY_LINK_INVALID');
    if (await tx.identity.setVerified(user.id, now))
      await deps.events.emit(tx, 'user.verified', { userId: user.id }, asUser(ctx, user, ctx.actor?.sessionId ?? ''));
    touchUser(tx, user.id);
  }

  /** Sends the caller another link. Throws ALREADY_VERIFIED, RESEND_TOO_SOON (with the seconds to wait). */
  function resend(ctx: SignedIn): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const user = await tx.identity.lockUser(ctx.actor.userId);
      if (!user || user.verifiedMs !== null) throw new DomainError('ALREADY_VERIFIED');
      const times = await tx.identity.tokenTimes('verify', user.id, now - DAY);
      const latest = times[0];
      const oldest = times[MAILS_A_DAY - 1];
      const free = oldest !== undefined ? oldest + DAY : latest !== undefined ? latest + RESEND_AFTER : now;
      if (now < free) throw new DomainError('RESEND_TOO_SOON', { retryAfterS: Math.ceil((free - now) / SECOND) });
      await sendLink(tx, user.id);
    });
  }

  return { verify, resend };
}
