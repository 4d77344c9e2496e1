import type { Ctx } from '../kernel.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import type { DeletionDeps } from './deps.ts';

/** Kind of the job that deletes one account. */
export const DELETION_JOB = 'accounts.delete';

/** Closes an account for good: nobody gets in any more. The caller holds the lock of its row. `ctx`: who closes it. */
export async function closeAccount(
  { clock, events }: Pick<DeletionDeps, 'clock' | 'events'>,
  tx: Tx,
  userId: string,
  ctx?: Ctx | null,
): Promise<void> {
  await tx.identity.setStatus(userId, 'deleted', { reason: null, untilMs: null }, clock.now());
  const ended = await tx.identity.endSessions(userId, null);
  tx.touch(...ended.map((id) => `session:${id}`), `account:${userId}`, `user:${userId}`);
  await events.emit(tx, 'user.deleted', { userId }, ctx);
}

/** Enqueues the job that goes on with a deletion, unless it is enqueued. */
export async function enqueueDeletion({ ids, clock }: DeletionDeps, tx: Tx, userId: string): Promise<void> {
  const uniqueKey = `${DELETION_JOB}:${userId}`;
  await enqueue(tx, ids, clock, { kind: DELETION_JOB, payload: { userId }, uniqueKey });
}
