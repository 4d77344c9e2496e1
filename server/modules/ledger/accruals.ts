import { MAX_CREDITS, toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { dayIn, HOUR, MINUTE } from '#shared/time.ts';
import type { Tx } from '../tx.ts';
import { postAccrual, WALLET, type LedgerDeps } from './append.ts';
import type { Account } from './ports.ts';

/** A part of what is posted once an hour. */
interface Part {
  readonly userId: string;
  /** 1 to `MAX_CREDITS` credits. */
  readonly amount: number;
  /** The system account that gives them (`system:reward.afk`). */
  readonly source: Account;
  readonly kind: string;
  /** What earns them, as `afk:<session>`; the transaction's reference is this and the hour. */
  readonly by: string;
}

/**
 * Earning in small parts (behaviour 4.1): a part is the user's at once, and is spent like everything else, but the
 * parts of an hour are posted as one transaction (decision 117).
 */
export function accrualsOf(deps: LedgerDeps) {
  const dayOf = (ms: number): string => deps.day?.(ms) ?? dayIn(ms, 'UTC');

  /**
   * Adds a part to what the user has. Throws WALLET_FULL where the wallet would hold more than MAX_CREDITS, and nothing
   * is written then. Out: credits of the wallet afterwards.
   */
  async function accrue(tx: Tx, { userId, amount, source, kind, by }: Part): Promise<number> {
    const account = `user:${userId}` as const;
    const now = deps.clock.now();
    await tx.ledger.lock([account]);
    const balance = (await tx.ledger.balance(account)) + toCredits(amount);
    if (balance > MAX_CREDITS) throw new DomainError('WALLET_FULL');
    const hour = Math.floor(now / HOUR);
    const part = {
      account,
      source,
      kind,
      reference: `${by}:${hour}`,
      amount: toCredits(amount),
      day: dayOf(now),
      startedMs: now,
      dueMs: (hour + 1) * HOUR,
    };
    if ((await tx.ledger.accrue(part)) === null) {
      await postAccrual(deps, tx, account);
      if ((await tx.ledger.accrue(part)) === null) throw new Error('a wallet has an accrual that was posted');
    }
    tx.touch(WALLET + userId);
    // The next part would count for another hour or day: this transaction is whole, and stands in its own.
    if (dayOf(now + MINUTE) !== part.day || now + MINUTE >= part.dueMs) await postAccrual(deps, tx, account);
    return balance;
  }

  return {
    accrue,
    /** Credits of a user that no posting shows yet; they are part of the balance. */
    accrued: async (tx: Tx, userId: string): Promise<number> =>
      (await tx.ledger.accrualOf(`user:${userId}`))?.amount ?? 0,
    /** Posts what a user has earned in small parts so far (they stopped); false where nothing is open. */
    postAccrual: (tx: Tx, userId: string): Promise<boolean> => postAccrual(deps, tx, `user:${userId}`),
    /** Users whose parts are due to be posted, at most `limit`: those who went away without stopping. */
    dueAccruals: async (tx: Tx, limit: number): Promise<string[]> =>
      (await tx.ledger.dueAccruals(deps.clock.now(), limit)).map((account) => account.slice(WALLET.length)),
  };
}
