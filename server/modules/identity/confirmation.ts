import { fieldError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { assertConfirmed, isConfirmed } from './confirmed.ts';
import type { IdentityDeps } from './deps.ts';
import { lockFactor } from './factor-setup.ts';
import { assertPassword, hasPassword } from './own-password.ts';
import type { TwoFactor } from './two-factor.ts';
import { blockOf, type Throttle } from './throttle.ts';

/**
 * Confirming who sits at a session before what is dangerous (step-up): a session that was stolen, or a browser left
 * open, must not change the ways in (attacks T31). Password and, where it is on, a code; or a passkey (module
 * `passkeys`).
 */
export function createConfirmation(deps: IdentityDeps, throttle: Throttle, twoFactor: Pick<TwoFactor, 'withCode'>) {
  const { uow, clock, ids } = deps;

  /** Records that the caller confirmed who they are, in this browser (its device token) and network (behaviour 3.11). */
  async function markConfirmed(tx: Tx, ctx: SignedIn, device: string): Promise<void> {
    const { sessionId } = ctx.actor;
    await tx.factors.markConfirmed(sessionId, clock.now());
    const binding = { device: device === '' ? null : ids.hash(device), network: blockOf(ctx.address) };
    await tx.identity.bindSession(sessionId, binding);
    await writeAudit(tx, deps, ctx, { action: 'account.confirm', target: ctx.actor.userId });
  }

  /**
   * Confirms who the caller is, by password, and by a code of the app or a recovery code where the second factor is on.
   * Throws as `assertPassword`, VALIDATION_FAILED with REQUIRED or CODE_WRONG at `code`, RATE_LIMITED,
   * UNAUTHENTICATED.
   */
  async function confirm(
    ctx: SignedIn,
    { password, code = '' }: { password?: string | undefined; code?: string | undefined },
    device = '',
  ): Promise<void> {
    await assertPassword(deps, throttle, ctx, password);
    if (code !== '') {
      const factor = await uow.read((tx) => tx.factors.find(ctx.actor.userId));
      if (factor?.secret != null)
        return twoFactor.withCode(ctx, { code, device }, (tx) => markConfirmed(tx, ctx, device));
    }
    return uow.run(async (tx) => {
      const { row } = await lockFactor(tx, ctx);
      if (row.secret !== null) throw fieldError('code', 'REQUIRED');
      await markConfirmed(tx, ctx, device);
    });
  }

  /** Whether confirming asks for a password: who has none must have just signed in elsewhere. */
  async function needsPassword(tx: Tx, ctx: SignedIn): Promise<boolean> {
    const user = await tx.identity.findUser(ctx.actor.userId);
    return user !== null && hasPassword(user);
  }

  return {
    confirm,
    needsPassword,
    markConfirmed,
    assertConfirmed: (tx: Tx, ctx: SignedIn): Promise<void> => assertConfirmed(deps, tx, ctx),
    isConfirmed: (tx: Tx, ctx: SignedIn): Promise<boolean> => isConfirmed(deps, tx, ctx),
  };
}
