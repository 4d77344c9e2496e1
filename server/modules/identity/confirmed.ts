import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';

/** How long a session may do what is dangerous after it was confirmed, in ms. */
const CONFIRMED_FOR = 10 * MINUTE;

/** Whether the caller's session was confirmed a moment ago (confirmation.ts). */
export async function isConfirmed({ clock }: Pick<IdentityDeps, 'clock'>, tx: Tx, ctx: SignedIn): Promise<boolean> {
  const atMs = await tx.factors.confirmedAt(ctx.actor.sessionId);
  return atMs !== null && clock.now() - atMs < CONFIRMED_FOR;
}

/** Asserts that the caller's session was confirmed within the last ten minutes. Throws CONFIRM_REQUIRED. */
export async function assertConfirmed(deps: Pick<IdentityDeps, 'clock'>, tx: Tx, ctx: SignedIn): Promise<void> {
  if (!(await isConfirmed(deps, tx, ctx))) throw new DomainError('CONFIRM_REQUIRED');
}
