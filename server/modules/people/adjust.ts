import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import type { SettingValues } from '#shared/settings.ts';
import { writeAudit } from '../audit/index.ts';
import type { Events } from '../events/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { UserRow } from '../identity/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import { assertAmount, assertMay, assertOutranks } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Pick<Ledger, 'transfer' | 'balance' | 'returnCredits'>;
  readonly settings: { current(): SettingValues };
  readonly events: Pick<Events, 'emit'>;
}
interface Adjustment {
  /** Whole credits; negative to take them. Never 0. */
  readonly amount: number;
  /** What the user reads in the statement. */
  readonly reason: string;
  /** What the caller names it by; absent: every call is one of its own. */
  readonly reference?: string | undefined;
}
interface Adjusted {
  readonly balance: number;
  /** It had happened before, by its reference; nothing moved now. */
  readonly repeated?: true;
}
/** Where adjusted credits come from and go to. */
const ADJUSTMENT = 'system:adjustment';

/** Credits that staff give and take. */
export function createAdjustments(deps: Deps) {
  const { uow, clock, ids, ledger } = deps;

  /**
   * Gives or takes credits with a reason (behaviour 2): a transaction like any other, once an Idempotency-Key, once a
   * reference of the caller, in the audit log, and the user is notified. What is given to somebody with a debt pays
   * that first: nothing else lets them off, and a debt blocks spending. Out: the balance. Throws NOT_FOUND, CONFLICT
   * for a deleted user, FORBIDDEN for who may not, for the wallet of somebody of the caller's rank or above, and for
   * their own (nobody pays themselves, but who may do everything: `admin.root`), APPROVAL_REQUIRED above
   * `staff_amount_max`, INSUFFICIENT_CREDITS (a wallet never goes below zero), WALLET_FULL, SPENDING_BLOCKED where
   * credits are taken from somebody who has a debt, DUPLICATE_REFERENCE where the reference was used for another user
   * or amount.
   */
  function adjust(ctx: SignedIn, userId: string, adjustment: Adjustment): Promise<Adjusted> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const user = await existing(tx, userId);
      if (userId === ctx.actor.userId && !can(ctx.actor.permissions, 'admin.root')) throw new DomainError('FORBIDDEN');
      await assertOutranks(tx, ctx, user.roleId);
      if (user.status === 'deleted') throw new DomainError('CONFLICT');
      const { amount } = adjustment;
      if (!Number.isSafeInteger(amount) || amount === 0)
        throw new RangeError('an adjustment moves at least one whole credit');
      assertAmount(ctx, deps.settings.current(), Math.abs(amount));
      const reference = `adjustment:${adjustment.reference === undefined ? ids.uuid() : `${ctx.actor.userId}:${adjustment.reference}`}`;
      const before = await findRepeated(tx, reference, userId, amount);
      if (before) return before;
      try {
        return await move(tx, ctx, user, { ...adjustment, reference });
      } catch (error) {
        // On PostgreSQL the same reference may have been written since, by a transaction that has ended now.
        const isRace = error instanceof DomainError && error.code === 'DUPLICATE_REFERENCE';
        const done = isRace ? await findRepeated(tx, reference, userId, amount) : null;
        if (done) return done;
        throw error;
      }
    });
  }

  /** What a reference came to. Null where it is new; throws DUPLICATE_REFERENCE where it was something else. */
  async function findRepeated(tx: Tx, reference: string, userId: string, amount: number): Promise<Adjusted | null> {
    const transaction = await tx.ledger.byReference(reference);
    if (!transaction) return null;
    const moved = transaction.postings.reduce(
      (sum, posting) =>
        sum +
        (posting.source === ADJUSTMENT ? posting.amount : posting.destination === ADJUSTMENT ? -posting.amount : 0),
      0,
    );
    const own = [`user:${userId}`, `debt:${userId}`];
    const isOfUser = transaction.postings.some(
      ({ source, destination }) => own.includes(source) || own.includes(destination),
    );
    if (!isOfUser || moved !== amount) throw new DomainError('DUPLICATE_REFERENCE');
    return { balance: await ledger.balance(tx, `user:${userId}`), repeated: true };
  }

  async function move(
    tx: Tx,
    ctx: SignedIn,
    { id: userId, username }: UserRow,
    { amount, reason, reference }: Adjustment & { readonly reference: string },
  ): Promise<Adjusted> {
    const account = `user:${userId}` as const;
    const size = toCredits(Math.abs(amount));
    const facts = { kind: 'adjustment', reference, actor: ctx.actor.userId, reason };
    const {
      id,
      debt,
      off,
      balance: known,
    } = amount > 0
      ? await ledger.returnCredits(tx, { ...facts, userId, amount: size, account: ADJUSTMENT })
      : {
          ...(await ledger.transfer(tx, {
            ...facts,
            postings: [{ source: account, destination: ADJUSTMENT, amount: size }],
          })),
          debt: 0,
          off: 0,
          balance: null,
        };
    const balance = known ?? (await ledger.balance(tx, account));
    await writeAudit(tx, deps, ctx, {
      action: 'users.adjust',
      target: userId,
      before: { username, credits: balance - amount + off, ...(off > 0 ? { debt: debt + off } : {}) },
      after: { username, credits: balance, ...(off > 0 ? { debt } : {}), reason },
    });
    await deps.events.emit(tx, 'credits.adjusted', { userId, adjustmentId: id, amount, reason }, ctx);
    return { balance };
  }

  return { adjust };
}

/** Throws NOT_FOUND for an id that is nobody's. */
export async function existing(tx: Tx, userId: string): Promise<UserRow> {
  const user = await tx.identity.findUser(userId);
  if (!user) throw new DomainError('NOT_FOUND');
  return user;
}
