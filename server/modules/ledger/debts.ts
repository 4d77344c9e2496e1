import { toCredits } from '#shared/credits.ts';
import type { Tx } from '../tx.ts';
import { append, wallet, type LedgerDeps } from './append.ts';
import type { Account, Posting } from './ports.ts';

interface Facts {
  readonly userId: string;
  readonly amount: number;
  /** The system account that gives them (`system:payment.stripe`). */
  readonly account: Account;
  readonly kind: string;
  readonly reference: string;
  readonly subject?: string | null | undefined;
  readonly actor?: string | null | undefined;
  readonly reason?: string | null | undefined;
}

/**
 * The other side of what users owe. A debt stands twice: `debt:<user>` has it, and this account is below zero by twice
 * as much, because it also lent the system account whose credits were spent what that one was to get back. So every
 * `system:payment.*` always equals its orders, and this account is zero once nobody owes anything.
 */
export const DEBT_SOURCE: Account = 'system:debt';

/** What a user owes after a charge-back of credits already spent (behaviour 2): `debt:<user>`, which blocks spending. */
export function debtsOf(deps: LedgerDeps) {
  const debt = (userId: string): Account => `debt:${userId}`;

  /**
   * Gives back what a charge-back took (a dispute was won), or lets somebody off: first off the debt, the rest to the
   * wallet. Out: the debt that is left, what of the amount went into it, and the wallet where something was left for
   * it. Throws DUPLICATE_REFERENCE.
   */
  async function returnCredits(
    tx: Tx,
    { userId, amount, account, ...facts }: Facts,
  ): Promise<{ id: string; debt: number; off: number; balance: number | null }> {
    await tx.ledger.lock([debt(userId), wallet(userId)]);
    const owed = await tx.ledger.balance(debt(userId));
    const repaid = Math.min(toCredits(amount), owed);
    const postings: Posting[] = [];
    if (repaid > 0)
      postings.push(
        { source: debt(userId), destination: DEBT_SOURCE, amount: toCredits(repaid) },
        { source: account, destination: DEBT_SOURCE, amount: toCredits(repaid) },
      );
    if (amount > repaid)
      postings.push({ source: account, destination: wallet(userId), amount: toCredits(amount - repaid) });
    const { id, balances } = await append(deps, tx, { ...facts, postings });
    return { id, debt: owed - repaid, off: repaid, balance: balances.get(wallet(userId)) ?? null };
  }

  /**
   * Pays a debt out of the wallet, at most `amount` of it, as far as both reach. Out: what was paid; 0 where there is
   * nothing to pay, and nothing is written. Throws DUPLICATE_REFERENCE.
   */
  async function payDebt(tx: Tx, { userId, amount, ...facts }: Omit<Facts, 'account'>): Promise<number> {
    await tx.ledger.lock([debt(userId), wallet(userId)]);
    const paid = Math.min(
      toCredits(amount),
      await tx.ledger.balance(debt(userId)),
      await tx.ledger.balance(wallet(userId)),
    );
    if (paid === 0) return 0;
    const postings: Posting[] = [debt(userId), wallet(userId)].map((source) => ({
      source,
      destination: DEBT_SOURCE,
      amount: toCredits(paid),
    }));
    await append(deps, tx, { ...facts, postings });
    return paid;
  }

  return { returnCredits, payDebt };
}
