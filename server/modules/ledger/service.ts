import type { Tx } from '../tx.ts';
import { append, type LedgerDeps, type Transfer, type Transferred } from './append.ts';
import { debtsOf } from './debts.ts';
import { holdsOf } from './holds.ts';
import type { Account, HistoryQuery, LedgerEntry } from './ports.ts';
import { undoOf } from './undo.ts';

export type Ledger = ReturnType<typeof createLedger>;

/**
 * The one way in which credits move (behaviour 2). Every function works inside the caller's transaction; after its commit the users
 * whose credits moved are told (topic `user:<id>`). All amounts are whole credits; what is none throws RangeError.
 */
export function createLedger(deps: LedgerDeps) {
  return {
    /**
     * Moves credits. Out: id of the transaction and the balances of all accounts it touched.
     * Throws INSUFFICIENT_CREDITS, SPENDING_BLOCKED (the user has a debt), WALLET_FULL or DUPLICATE_REFERENCE; after each of them nothing has moved
     * and the caller may go on.
     */
    transfer: (tx: Tx, facts: Transfer): Promise<Transferred> => append(deps, tx, facts),
    ...undoOf(deps),
    ...holdsOf(deps),
    ...debtsOf(deps),
    /** Balance of an account; 0 for one that never moved. */
    balance: (tx: Tx, account: Account): Promise<number> => tx.ledger.balance(account),
    /** One page of the statement of an account, newest first, and how many lines fit the query. */
    history: (tx: Tx, account: Account, query: HistoryQuery): Promise<{ rows: LedgerEntry[]; total: number }> => tx.ledger.history(account, query),
    /** Kinds that occur in the statement, for its filter. */
    kinds: (tx: Tx, account: Account): Promise<string[]> => tx.ledger.kinds(account),
    /** Balance at the end of each of the moments (UTC ms, ascending). */
    balanceAt: (tx: Tx, account: Account, moments: readonly number[]): Promise<number[]> => tx.ledger.balanceAt(account, moments),
    /** Credits from rewards since a moment (UTC ms). */
    earnedSince: (tx: Tx, account: Account, sinceMs: number): Promise<number> => tx.ledger.earnedSince(account, sinceMs),
    /** Credits of all users, and what was minted and burnt since a moment (UTC ms). */
    totals: (tx: Tx, sinceMs: number): Promise<{ circulation: number; minted: number; burnt: number }> => tx.ledger.totals(sinceMs),
    /** Proves the ledger. Out: faults in plain words; empty when all is well. */
    verify: (tx: Tx): Promise<string[]> => tx.ledger.verify(),
  };
}
