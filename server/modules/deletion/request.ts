import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { DeletionDeps } from './deps.ts';

/** Time to change one's mind, in ms (behaviour 3.8). */
const GRACE = 7 * DAY;

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

/** Asking for the end of one's account, and changing one's mind (behaviour 3.8). */
export function createDeletionRequest(deps: DeletionDeps) {
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

  /**
   * Asks for the deletion of the caller's account; asking twice is no error. Returns when it begins (UTC ms). Throws
   * VALIDATION_FAILED with PASSWORD_WRONG at `password`, LAST_OWNER, RATE_LIMITED, UNAUTHENTICATED.
   */
  async function request(ctx: SignedIn, password: string | undefined): Promise<number> {
    await deps.identity.assertOwner(ctx, password);
    const { userId } = ctx.actor;
    return uow.run(async (tx) => {
      await deps.access.assertNotLastOwner(tx, userId);
      const user = await tx.identity.lockUser(userId);
      if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
      const now = clock.now();
      const dueMs = now + GRACE;
      if (!(await tx.deletions.add({ userId, requestedMs: now, dueMs })))
        return (await tx.deletions.find(userId))?.dueMs ?? dueMs;
      await deps.events.emit(tx, 'user.deletion_requested', { userId, dueMs }, ctx);
      tx.touch(`user:${userId}`);
      return dueMs;
    });
  }

  /**
   * Keeps the caller's account. Throws NOT_FOUND where its deletion was not asked for, UNAUTHENTICATED where the
   * account has closed meanwhile.
   */
  function cancel(ctx: SignedIn): Promise<void> {
    return uow.run(async (tx) => {
      const { userId } = ctx.actor;
      // What has closed is erased to its end, so its deletion stays.
      if ((await tx.identity.lockUser(userId))?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
      if (!(await tx.deletions.remove(userId))) throw new DomainError('NOT_FOUND');
      await deps.events.emit(tx, 'user.deletion_cancelled', { userId }, ctx);
      tx.touch(`user:${userId}`);
    });
  }

  return { getState, request, cancel };
}

/** Whether nobody else in good standing may do everything. */
export async function isLastOwner(tx: Tx, userId: string): Promise<boolean> {
  const owners = await tx.access.holders(['admin.root'], 2);
  return owners.length === 1 && owners[0] === userId;
}
