import type { Tx } from '../tx.ts';
import { accrualsOf } from './accruals.ts';
import { append, type LedgerDeps, type Transfer, type Transferred } from './append.ts';
import { debtsOf } from './debts.ts';
import { holdsOf } from './holds.ts';
import type { Account, HistoryPage, HistoryQuery, LedgerFault } from './ports.ts';
import { createUndo } from './undo.ts';

export type Ledger = ReturnType<typeof createLedger>;

/**
 * The one way in which credits move (behaviour 2). Every function works inside the caller's transaction; after its
 * commit the users whose credits moved are told (topic `user:<id>`). All amounts are whole credits; what is none throws
 * RangeError.
 */
export function createLedger(deps: LedgerDeps) {
  return {
    /**
     * Moves credits. Out: id of the transaction and the balances of all accounts it touched. Throws
     * INSUFFICIENT_CREDITS, SPENDING_BLOCKED (the user has a debt), WALLET_FULL or DUPLICATE_REFERENCE; after each of
     * them nothing has moved and the caller may go on.
     */
    transfer: (tx: Tx, facts: Transfer): Promise<Transferred> => append(deps, tx, facts),
    ...createUndo(deps),
    ...holdsOf(deps),
    ...debtsOf(deps),
    ...accrualsOf(deps),
    /** What an account has, with what is not posted yet; 0 for one that never moved. */
    balance: (tx: Tx, account: Account): Promise<number> => tx.ledger.balance(account),
    /**
     * A part of the statement of an account, newest first, from a cursor on. Filtered by kind it may take long
     * (LongReads).
     */
    history: (tx: Tx, account: Account, query: HistoryQuery): Promise<HistoryPage> => tx.ledger.history(account, query),
    /** Balance at the end of each of the moments (UTC ms, ascending). */
    balanceAt: (tx: Tx, account: Account, moments: readonly number[]): Promise<number[]> =>
      tx.ledger.balanceAt(account, moments),
    /** Credits from rewards since a moment (UTC ms). */
    earnedSince: (tx: Tx, account: Account, sinceMs: number): Promise<number> =>
      tx.ledger.earnedSince(account, sinceMs),
    /**
     * Proves the ledger on the caller's view (proveLedger does it for a whole installation). Out: faults; empty when
     * all is well.
     */
    verify: (tx: Tx): Promise<LedgerFault[]> => tx.ledger.verify(),
  };
}
