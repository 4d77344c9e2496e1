import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { subscriber, type Events } from '../events/index.ts';
import type { Identity } from '../identity/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Servers } from '../servers/index.ts';
import type { Tx, UnitOfWork } from '../tx.ts';

/** Kind of the job that deletes one account. */
export const DELETION_JOB = 'accounts.delete';
/** Time to change one's mind, in ms (behaviour 3.8). */
const GRACE = 7 * DAY;
/** Due accounts that are read in one go. */
const BATCH = 100;

export interface DeletionDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
  readonly identity: Pick<Identity, 'assertPassword'>;
  readonly ledger: Pick<Ledger, 'balance' | 'transfer'>;
  readonly servers: Pick<Servers, 'removeAllOf'>;
}
/** How it stands with the deletion of an account, and what goes with it. */
interface DeletionState {
  /** When it begins, UTC ms; null: nobody asked for it. */
  readonly dueMs: number | null;
  /** Names of the servers that are deleted with it. */
  readonly servers: readonly string[];
  /** Credits that are lost with it. */
  readonly credits: number;
  /** The installation has no other owner: it cannot be deleted. */
  readonly lastOwner: boolean;
}
export type Deletions = ReturnType<typeof createDeletion>;

/**
 * Deleting one's account (behaviour 3.8; attacks T56): asked for with the password, seven days to change one's mind,
 * then a job: the account closes, its servers are removed from their panels, and what is personal is erased. Every step
 * is a transaction that finds out for itself what is left to do, so a kill between two of them costs nothing.
 */
export function createDeletion(deps: DeletionDeps) {
  const { uow, clock, ledger } = deps;

  /** What the caller's account page shows. */
  function getState(ctx: SignedIn): Promise<DeletionState> {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => ({
      dueMs: (await tx.deletions.find(userId))?.dueMs ?? null,
      servers: (await tx.servers.listByUser(userId)).map(({ name }) => name),
      credits: await ledger.balance(tx, `user:${userId}`),
      lastOwner: await isLastOwner(tx, userId),
    }));
  }

  /** Whether nobody else in good standing may do everything. */
  async function isLastOwner(tx: Tx, userId: string): Promise<boolean> {
    const owners = await tx.access.holders(['admin.root'], 2);
    return owners.length === 1 && owners[0] === userId;
  }

  /**
   * Asks for the deletion of the caller's account; asking twice is no error. Returns when it begins (UTC ms). Throws
   * VALIDATION_FAILED with PASSWORD_WRONG at `password`, LAST_OWNER, RATE_LIMITED, UNAUTHENTICATED.
   */
  async function request(ctx: SignedIn, password: string): Promise<number> {
    await deps.identity.assertPassword(ctx, password);
    const { userId } = ctx.actor;
    return uow.run(async (tx) => {
      await tx.deletions.lockOwners();
      const user = await tx.identity.lockUser(userId);
      if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
      if (await isLastOwner(tx, userId)) throw new DomainError('LAST_OWNER');
      const now = clock.now();
      const dueMs = now + GRACE;
      if (!(await tx.deletions.add({ userId, requestedMs: now, dueMs })))
        return (await tx.deletions.find(userId))?.dueMs ?? dueMs;
      await deps.events.emit(tx, 'user.deletion_requested', { userId, dueMs }, ctx);
      tx.touch(`user:${userId}`);
      return dueMs;
    });
  }

  /** Keeps the caller's account. Throws NOT_FOUND where its deletion was not asked for. */
  function cancel(ctx: SignedIn): Promise<void> {
    return uow.run(async (tx) => {
      const { userId } = ctx.actor;
      await tx.identity.lockUser(userId);
      if (!(await tx.deletions.remove(userId))) throw new DomainError('NOT_FOUND');
      await deps.events.emit(tx, 'user.deletion_cancelled', { userId }, ctx);
      tx.touch(`user:${userId}`);
    });
  }

  /** Enqueues a job for each account that is due, for the scheduler: what is not over is tried again. */
  async function enqueueDue(): Promise<void> {
    for (let after = ''; ;) {
      const from = after;
      const due = await uow.run(async (tx) => {
        const found = await tx.deletions.listDue(clock.now(), from, BATCH);
        for (const userId of found)
          await enqueue(tx, deps.ids, clock, {
            kind: DELETION_JOB,
            payload: { userId },
            uniqueKey: `${DELETION_JOB}:${userId}`,
          });
        return found;
      });
      after = due.at(-1) ?? '';
      if (due.length < BATCH) return;
    }
  }

  /** The job: goes on with a deletion where it stands. What still has servers is gone on with by a later job. */
  async function work(userId: string): Promise<void> {
    if (!(await uow.run((tx) => close(tx, userId)))) return;
    await deps.servers.removeAllOf(userId);
    await uow.run((tx) => erase(tx, userId));
  }

  /**
   * Closes an account whose time has come: nobody gets in any more. False where it is not to be deleted now: its user
   * changed their mind, is banned (a ban is not got rid of this way), or became the last owner.
   */
  async function close(tx: Tx, userId: string): Promise<boolean> {
    await tx.deletions.lockOwners();
    const user = await tx.identity.lockUser(userId);
    const deletion = await tx.deletions.find(userId);
    const now = clock.now();
    if (!user || !deletion || deletion.dueMs > now) return false;
    if (user.status === 'deleted') return true;
    if (user.status === 'banned' || (await isLastOwner(tx, userId))) return false;
    await tx.identity.setStatus(userId, 'deleted', { reason: null, untilMs: null }, now);
    const ended = await tx.identity.endSessions(userId, null);
    tx.touch(...ended.map((id) => `session:${id}`), `account:${userId}`, `user:${userId}`);
    await deps.events.emit(tx, 'user.deleted', { userId });
    return true;
  }

  /** Erases a closed account once its servers are gone. */
  async function erase(tx: Tx, userId: string): Promise<void> {
    const user = await tx.identity.lockUser(userId);
    if (user?.status !== 'deleted' || !(await tx.deletions.find(userId))) return;
    if ((await tx.servers.listByUser(userId)).length > 0) return;
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
    // Accounts in panels get the new name and address.
    await deps.events.emit(tx, 'user.renamed', { userId });
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

  /** Whoever took the account over may have asked for its end: the owner who takes it back keeps it. */
  const restored = subscriber('user.email_restored', (tx, { userId }) => tx.deletions.remove(userId));

  const job = {
    leaseMs: 5 * MINUTE,
    async handle(payload: unknown): Promise<void> {
      const { userId } = payload as { userId?: unknown };
      if (typeof userId === 'string') await work(userId);
    },
  };

  return { getState, request, cancel, enqueueDue, jobs: { [DELETION_JOB]: job }, subscriptions: [restored] };
}
