import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import type { Tx } from '../tx.ts';
import { append, RESERVE, wallet, type LedgerDeps } from './append.ts';
import { DEBT_SOURCE } from './debts.ts';
import type { Account, Posting } from './ports.ts';

interface ChargeBack {
  readonly userId: string;
  readonly amount: number;
  /** Where the credits once came from (`system:payment.stripe`). */
  readonly destination: Account;
  readonly kind: string;
  readonly reference: string;
  readonly subject?: string | null | undefined;
}

/** Taking back what was moved. */
export function createUndo(deps: LedgerDeps) {
  /**
   * Undoes a transaction by one that moves everything back. What was paid out of a hold goes back to the wallet, as the
   * hold is closed. Throws NOT_FOUND, ALREADY_REVERSED, CONFLICT for the placing or the release of a hold (release or
   * hold again instead), or INSUFFICIENT_CREDITS where the credits are spent.
   */
  async function reverse(
    tx: Tx,
    id: string,
    { reason, actor }: { reason: string; actor?: string | null | undefined },
  ): Promise<{ id: string }> {
    const original = await tx.ledger.byId(id);
    if (!original) throw new DomainError('NOT_FOUND');
    if (await tx.ledger.reversalOf(id)) throw new DomainError('ALREADY_REVERSED');
    const postings = original.postings
      .toReversed()
      .map(({ source, destination, amount }) => ({ source: destination, destination: openWallet(source), amount }));
    if (postings.some(({ source, destination }) => source === destination || source.startsWith(RESERVE)))
      throw new DomainError('CONFLICT');
    const facts = { kind: 'reversal', reference: `reversal:${id}`, postings, subject: original.subject, actor, reason };
    return { id: (await append(deps, tx, facts, id)).id };
  }

  /**
   * Takes paid credits back after a charge-back (behaviour 2): what the wallet still has, and the rest as a debt, which
   * blocks spending. Out: the user's whole debt, for the caller to tell the admins. Throws DUPLICATE_REFERENCE.
   */
  async function chargeBack(tx: Tx, facts: ChargeBack): Promise<{ id: string; debt: number }> {
    const { userId, destination, kind, reference, subject } = facts;
    const amount = toCredits(facts.amount);
    // Both at once, and in the order of every payer: what locks one after the other can wait for a purchase that waits
    // for it.
    await tx.ledger.lock([`debt:${userId}`, wallet(userId)]);
    // A wallet that is blocked by an older debt is left as it is: paying that debt comes first.
    const blocked = (await tx.ledger.balance(`debt:${userId}`)) > 0;
    const taken = blocked ? 0 : Math.min(amount, await tx.ledger.balance(wallet(userId)));
    const postings: Posting[] = [];
    if (taken > 0) postings.push({ source: wallet(userId), destination, amount: toCredits(taken) });
    const owed = toCredits(amount - taken);
    if (owed > 0)
      postings.push(
        { source: DEBT_SOURCE, destination: `debt:${userId}`, amount: owed },
        { source: DEBT_SOURCE, destination, amount: owed },
      );
    const { id } = await append(deps, tx, { kind, reference, subject, postings });
    return { id, debt: await tx.ledger.balance(`debt:${userId}`) };
  }

  return { reverse, chargeBack };
}

/** Where credits go back to: a closed hold's owner has a wallet. */
function openWallet(account: Account): Account {
  return account.startsWith(RESERVE) ? wallet(account.slice(RESERVE.length)) : account;
}
