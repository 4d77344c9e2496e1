import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { Tx } from '../tx.ts';
import { closeAccount, DELETION_JOB, enqueueDeletion } from './close.ts';
import type { DeletionDeps } from './deps.ts';

/** Due accounts that are read in one go. */
const BATCH = 100;

/**
 * The deletion itself: the account closes, its servers are removed from their panels, and what is personal is erased.
 * Every step is a transaction that finds out for itself what is left to do, so a kill between two of them costs
 * nothing.
 */
export function createDeletionWork(deps: DeletionDeps) {
  const { uow, clock, ledger } = deps;

  /** Enqueues a job for each account that is due, for the scheduler: what is not over is tried again. */
  async function enqueueDue(): Promise<void> {
    for (let after = ''; ;) {
      const from = after;
      const due = await uow.run(async (tx) => {
        const found = await tx.deletions.listDue(clock.now(), from, BATCH);
        for (const userId of found) await enqueueDeletion(deps, tx, userId);
        return found;
      });
      after = due.at(-1) ?? '';
      if (due.length < BATCH) return;
    }
  }

  /** The job: goes on with a deletion where it stands. What still has servers is gone on with by a later job. */
  async function work(userId: string): Promise<void> {
    const closed = await uow
      .run((tx) => close(tx, userId))
      .catch((error: unknown) => {
        // Who became the last owner meanwhile stays, until there is another.
        if (error instanceof DomainError && error.code === 'LAST_OWNER') return false;
        throw error;
      });
    if (!closed) return;
    await deps.servers.removeAllOf(userId);
    await uow.run((tx) => erase(tx, userId));
  }

  /**
   * Closes an account whose time has come: nobody gets in any more. False where it is not to be deleted now: its user
   * changed their mind, or is banned (a ban is not got rid of this way). Throws LAST_OWNER.
   */
  async function close(tx: Tx, userId: string): Promise<boolean> {
    await deps.access.assertNotLastOwner(tx, userId);
    const user = await tx.identity.lockUser(userId);
    const deletion = await tx.deletions.find(userId);
    const now = clock.now();
    if (!user || !deletion || deletion.dueMs > now) return false;
    if (user.status === 'deleted') return true;
    if (user.status === 'banned' && (user.bannedUntilMs === null || user.bannedUntilMs > now)) return false;
    await closeAccount(deps, tx, userId);
    return true;
  }

  /** Erases a closed account once its servers are gone, and removes its row where that is wanted and possible. */
  async function erase(tx: Tx, userId: string): Promise<void> {
    const user = await tx.identity.lockUser(userId);
    const deletion = await tx.deletions.find(userId);
    if (user?.status !== 'deleted' || !deletion) return;
    if ((await tx.servers.listIdsByUser(userId)).length > 0) return;
    await burnCredits(tx, userId);
    const name = `deleted-${userId.replaceAll('-', '').slice(-20)}`;
    const role = await tx.access.defaultRole();
    await tx.deletions.erase(
      userId,
      { username: name, email: `${name}@deleted.invalid`, roleId: role.id },
      clock.now(),
    );
    await tx.deletions.remove(userId);
    await writeAudit(tx, deps, null, { action: 'users.erase', target: userId });
    // Accounts in panels get the new name and address; who has none may have no records at all.
    if (deletion.whole && !(await tx.deletions.hasRecords(userId))) await tx.deletions.removeUser(userId);
    else await deps.events.emit(tx, 'user.renamed', { userId });
    tx.touch(`account:${userId}`, `user:${userId}`);
  }

  /** Takes what is left in the wallet out of circulation; what a hold keeps goes back to where its hold says. */
  async function burnCredits(tx: Tx, userId: string): Promise<void> {
    const amount = await ledger.balance(tx, `user:${userId}`);
    if (amount <= 0) return;
    await ledger.transfer(tx, {
      kind: 'adjustment',
      reference: `deletion:${userId}`,
      postings: [{ source: `user:${userId}`, destination: 'system:adjustment', amount: toCredits(amount) }],
    });
  }

  const job = {
    leaseMs: 5 * MINUTE,
    async handle(payload: unknown): Promise<void> {
      const { userId } = payload as { userId?: unknown };
      if (typeof userId === 'string') await work(userId);
    },
  };

  return { enqueueDue, jobs: { [DELETION_JOB]: job } };
}
