import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { touchRotatedSession, type IdentityDeps } from './deps.ts';
import { createFactorCodes } from './factor-codes.ts';
import { createFactorProof, type FactorProof } from './factor-proof.ts';
import { createFactorSetup, touchAllSessions } from './factor-setup.ts';
import type { UserRow } from './ports.ts';
import { SESSION_LIFE } from './resolver.ts';
import { lockForStaff } from './staff-lock.ts';
import type { Throttle } from './throttle.ts';

export type TwoFactor = ReturnType<typeof createTwoFactor>;

/**
 * The second factor (behaviour 3.5; attacks T30–T32). Every command locks the user's row, so concurrent ones run one
 * after the other.
 */
export function createTwoFactor(deps: IdentityDeps, throttle: Throttle) {
  const { uow, clock, ids } = deps;
  const codes = createFactorCodes(deps);
  const { withCode, withProof } = createFactorProof(deps, throttle, codes);

  /**
   * Passes the second factor for the caller's session with a code of the app or a recovery code. Returns the session's
   * new secret (attacks T35). Throws TWO_FACTOR_OFF, VALIDATION_FAILED with CODE_WRONG at `code`, RATE_LIMITED (five
   * wrong codes of the app in fifteen minutes), UNAUTHENTICATED.
   */
  function verify(ctx: SignedIn, code: string, device = ''): Promise<string> {
    return withCode(ctx, { code, device }, (tx, user) => markPassed(tx, ctx, user, device));
  }

  /** Records that the caller's session passed the factor, and gives it a new secret, which is returned. */
  async function markPassed(tx: Tx, ctx: SignedIn, user: UserRow, device: string): Promise<string> {
    const now = clock.now();
    const secret = ids.token();
    if (!(await tx.identity.rotateSession(ctx.actor.sessionId, ids.hash(secret), now + SESSION_LIFE)))
      throw new DomainError('UNAUTHENTICATED');
    await tx.factors.markPassed(ctx.actor.sessionId, now);
    await tx.factors.trustDevice(user.id, ids.hash(device), now);
    touchRotatedSession(tx, ctx.actor.sessionId);
    await writeAudit(tx, deps, ctx, { action: 'account.second_factor', target: user.id });
    return secret;
  }

  /**
   * Passes the second factor for the caller's session by something that is as good as a code, such as a passkey.
   * Returns the session's new secret. Throws TWO_FACTOR_OFF, UNAUTHENTICATED.
   */
  async function passFactor(tx: Tx, ctx: SignedIn, user: UserRow, device: string): Promise<string> {
    if (user.status !== 'active') throw new DomainError('UNAUTHENTICATED');
    if ((await tx.factors.find(user.id))?.secret == null) throw new DomainError('TWO_FACTOR_OFF');
    return markPassed(tx, ctx, user, device);
  }

  /** Removes a factor in a running transaction; `ctx` null: by the operator. */
  async function removeFactor(tx: Tx, ctx: SignedIn | null, userId: string): Promise<void> {
    await tx.factors.remove(userId);
    await deps.events.emit(tx, 'user.two_factor_disabled', { userId }, ctx);
    await touchAllSessions(tx, userId, clock.now());
  }

  /**
   * Turns the factor off. Throws TWO_FACTOR_OFF, VALIDATION_FAILED with REQUIRED at what is missing, and as
   * `assertPassword` and `verify`.
   */
  async function disable(ctx: SignedIn, proof: FactorProof, device = ''): Promise<void> {
    await withProof(ctx, proof, device, (tx, user) => removeFactor(tx, ctx, user.id));
  }

  /**
   * Turns the factor of a user off, for staff, when app and codes are lost. Throws as `lockForStaff`, and
   * TWO_FACTOR_OFF.
   */
  function disableOf(ctx: SignedIn, userId: string): Promise<void> {
    return uow.run(async (tx) => {
      const { username } = await lockForStaff(deps, tx, ctx, userId);
      if ((await tx.factors.find(userId))?.secret == null) throw new DomainError('TWO_FACTOR_OFF');
      await tx.factors.remove(userId);
      await deps.events.emit(tx, 'user.two_factor_removed', { userId, username }, ctx);
      await touchAllSessions(tx, userId, clock.now());
    });
  }

  /** Replaces the recovery codes. Returns the new ones. Throws as `disable`. */
  function renewCodes(ctx: SignedIn, proof: FactorProof, device = ''): Promise<string[]> {
    return withProof(ctx, proof, device, async (tx, user) => {
      await writeAudit(tx, deps, ctx, { action: 'account.recovery_codes', target: user.id });
      return codes.replaceCodes(tx, user.id);
    });
  }

  /** Removes a user's factor for the operator, when codes and app are lost. Throws NOT_FOUND, TWO_FACTOR_OFF. */
  function remove(login: string): Promise<void> {
    return uow.run(async (tx) => {
      const found = await tx.identity.findUserByLogin(login);
      const user = found && (await tx.identity.lockUser(found.id));
      if (!user) throw new DomainError('NOT_FOUND');
      if ((await tx.factors.find(user.id))?.secret == null) throw new DomainError('TWO_FACTOR_OFF');
      await removeFactor(tx, null, user.id);
    });
  }

  return {
    ...createFactorSetup(deps, throttle, codes),
    rehashOldCodes: codes.rehashOldCodes,
    withCode,
    verify,
    passFactor,
    disable,
    disableOf,
    renewCodes,
    remove,
  };
}
