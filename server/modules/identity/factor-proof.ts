import { DomainError, fieldError, type FieldErrors } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { isConfirmed } from './confirmed.ts';
import type { IdentityDeps } from './deps.ts';
import type { FactorCodes, TypedCode } from './factor-codes.ts';
import { lockFactor, type CommandOutcome } from './factor-setup.ts';
import { assertPassword, hasPassword } from './own-password.ts';
import type { UserRow } from './ports.ts';
import type { Throttle } from './throttle.ts';

/** What a change of a factor that is on asks for; no password of who has none. */
export interface FactorProof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/** What a second factor asks of whoever passes or changes it (behaviour 3.5; attacks T31, T32). */
export function createFactorProof(deps: IdentityDeps, throttle: Throttle, codes: FactorCodes) {
  const { uow } = deps;

  /** Runs a command if the code is right. A refusal is committed, so that the try counts, and thrown afterwards. */
  async function withCode<T>(ctx: SignedIn, typed: TypedCode, work: (tx: Tx, user: UserRow) => Promise<T>): Promise<T> {
    const outcome = await uow.run(async (tx): Promise<CommandOutcome<T>> => {
      const { user, row } = await lockFactor(tx, ctx);
      if (row.secret === null) return { refused: new DomainError('TWO_FACTOR_OFF') };
      const checked = await codes.checkCode(tx, ctx, row, typed);
      if (typeof checked === 'object')
        return { refused: new DomainError('RATE_LIMITED', { retryAfterS: checked.waitS }) };
      if (checked === 'wrong') return { refused: fieldError('code', 'CODE_WRONG') };
      if (checked === 'recovery') {
        const payload = { userId: user.id, left: await tx.factors.countUnusedCodes(user.id) };
        await deps.events.emit(tx, 'user.recovery_code_used', payload, ctx);
      }
      return { done: await work(tx, user) };
    });
    if ('refused' in outcome) throw outcome.refused;
    return outcome.done;
  }

  /**
   * Runs a command on a factor that is on: by password and code, or by neither where the session was confirmed a moment
   * ago (attacks T31), as by a passkey when the app is lost.
   */
  async function withProof<T>(
    ctx: SignedIn,
    { password, code }: FactorProof,
    device: string,
    work: (tx: Tx, user: UserRow) => Promise<T>,
  ): Promise<T> {
    if (code !== undefined) {
      await assertPassword(deps, throttle, ctx, password);
      return withCode(ctx, { code, device }, work);
    }
    return uow.run(async (tx) => {
      const { user, row } = await lockFactor(tx, ctx);
      if (row.secret === null) throw new DomainError('TWO_FACTOR_OFF');
      if (await isConfirmed(deps, tx, ctx)) return work(tx, user);
      const fields: FieldErrors = { code: ['REQUIRED'] };
      if (password === undefined && hasPassword(user)) fields.password = ['REQUIRED'];
      throw new DomainError('VALIDATION_FAILED', { fields });
    });
  }

  return { withCode, withProof };
}
