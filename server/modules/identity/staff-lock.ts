import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { Tx } from '../tx.ts';
import type { SessionRow, UserRow } from './ports.ts';

/** How long after a log-in, a second factor or a confirmation staff do what is dangerous without another, in ms. */
const STEP_UP_AFTER = 15 * MINUTE;

/** Whether whoever sits at a session showed who they are a moment ago. */
export function isProven(session: SessionRow, nowMs: number): boolean {
  const provenMs = Math.max(session.createdMs, session.factorMs ?? 0, session.confirmedMs ?? 0);
  return nowMs - provenMs < STEP_UP_AFTER;
}

/**
 * Locks the row of a user whose ways in staff are about to change, whether or not the host asks for zero trust: it is
 * as good as taking the account over. Nobody does it to their own account, which has forms of its own that ask for the
 * password. Throws NOT_FOUND, FORBIDDEN for the caller's own account and for one of their rank or above, CONFLICT for a
 * deleted one, TRUST_REQUIRED where the caller has to confirm first who they are.
 */
export async function lockForStaff(
  { clock }: { readonly clock: Clock },
  tx: Tx,
  ctx: SignedIn,
  userId: string,
): Promise<UserRow> {
  assertMay(ctx, 'admin.users.edit');
  const user = await tx.identity.lockUser(userId);
  if (!user) throw new DomainError('NOT_FOUND');
  if (userId === ctx.actor.userId) throw new DomainError('FORBIDDEN');
  await assertOutranks(tx, ctx, user.roleId);
  if (user.status === 'deleted') throw new DomainError('CONFLICT');
  const session = await tx.identity.findSession(ctx.actor.sessionId);
  if (!session || !isProven(session, clock.now())) throw new DomainError('TRUST_REQUIRED');
  return user;
}
