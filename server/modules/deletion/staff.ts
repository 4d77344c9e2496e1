import { DomainError } from '#shared/errors.ts';
import type { UserRow } from '../identity/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay, assertOutranks, outranks } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { closeAccount, enqueueDeletion } from './close.ts';
import type { DeletionDeps } from './deps.ts';
import type { DependantCounts } from './ports.ts';
import { isLastOwner } from './request.ts';

/** An account, and what hangs on it, for who is about to delete it. */
export interface AccountDependants {
  readonly user: Pick<UserRow, 'id' | 'username' | 'email' | 'status' | 'createdMs'>;
  readonly servers: readonly { readonly id: string; readonly name: string }[];
  readonly credits: number;
  /** Credits that holds keep. */
  readonly reserved: number;
  readonly debt: number;
  readonly counts: DependantCounts;
  /** Records that must stay name it: it can be anonymised, its row stays. */
  readonly hasRecords: boolean;
  /** When its own user has it deleted, UTC ms; null: they did not ask for it. */
  readonly dueMs: number | null;
  /** Why the caller may not delete it; null: they may. */
  readonly refusal: 'deleted' | 'own' | 'rank' | 'lastOwner' | null;
}
/** How staff delete an account. */
interface StaffDeletion {
  /** Its username as typed, a guard against accidents. */
  readonly name: string;
  /** The row of the user goes as well; otherwise it stays under another name. */
  readonly whole: boolean;
}

/** Deleting somebody else's account (behaviour 8.3): at once, and banned ones too. */
export function createStaffDeletion(deps: DeletionDeps) {
  const { uow, clock, ledger } = deps;

  /** What hangs on an account. Throws FORBIDDEN, NOT_FOUND. */
  async function getDependants(ctx: SignedIn | null, userId: string): Promise<AccountDependants> {
    if (ctx) assertMay(ctx, 'admin.users.delete');
    return uow.read(async (tx) => {
      const user = await tx.identity.findUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      return {
        user,
        servers: (await tx.servers.listByUser(userId)).map(({ id, name }) => ({ id, name })),
        credits: await ledger.balance(tx, `user:${userId}`),
        reserved: await ledger.held(tx, userId),
        debt: await ledger.balance(tx, `debt:${userId}`),
        counts: await tx.deletions.countDependants(userId),
        hasRecords: await tx.deletions.hasRecords(userId),
        dueMs: (await tx.deletions.find(userId))?.dueMs ?? null,
        refusal: await refusalOf(tx, ctx, user),
      };
    });
  }

  async function refusalOf(tx: Tx, ctx: SignedIn | null, user: UserRow): Promise<AccountDependants['refusal']> {
    if (user.status === 'deleted') return 'deleted';
    if (ctx?.actor.userId === user.id) return 'own';
    if (ctx && !(await outranks(tx, ctx, user.roleId))) return 'rank';
    return (await isLastOwner(tx, user.id)) ? 'lastOwner' : null;
  }

  /**
   * Closes an account at once; its servers are removed and what is personal erased by the job. `ctx` is null for the
   * operator's command line. Throws FORBIDDEN for oneself and for accounts of the caller's rank or above, NOT_FOUND,
   * NAME_MISMATCH, CONFLICT where it is deleted, or `whole` is asked for and records name it, LAST_OWNER.
   */
  function deleteOf(ctx: SignedIn | null, userId: string, { name, whole }: StaffDeletion): Promise<void> {
    return uow.run(async (tx) => {
      if (ctx) assertMay(ctx, 'admin.users.delete');
      // Before the user's row, as whoever changes roles does: in the other order two of them could wait for each other.
      await tx.access.lock();
      const user = await tx.identity.lockUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      if (ctx?.actor.userId === userId) throw new DomainError('FORBIDDEN');
      if (ctx) await assertOutranks(tx, ctx, user.roleId);
      if (user.status === 'deleted') throw new DomainError('CONFLICT');
      if (name.trim() !== user.username)
        throw new DomainError('NAME_MISMATCH', { fields: { name: ['NAME_MISMATCH'] } });
      await deps.access.assertNotLastOwner(tx, userId);
      if (whole && (await tx.deletions.hasRecords(userId))) throw new DomainError('CONFLICT');
      const now = clock.now();
      await tx.deletions.put({ userId, requestedMs: now, dueMs: now, whole });
      await closeAccount(deps, tx, userId, ctx);
      await enqueueDeletion(deps, tx, userId);
    });
  }

  return { getDependants, deleteOf };
}
