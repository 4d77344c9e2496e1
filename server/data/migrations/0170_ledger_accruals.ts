import { define, type Migration } from './migration.ts';

/**
 * What a wallet earns minute by minute and has not been posted yet: at most one row a wallet, posted as one transaction
 * when its hour is over, and before anything else moves in that wallet (decision 117).
 */
export const ledgerAccruals: Migration = {
  name: '0170_ledger_accruals',
  up: (step) =>
    define(step, [
      // reference: of the transaction to come. day: the day its credits count for. due_ms: when it has to be posted.
      `CREATE TABLE ledger_accruals (
        account TEXT NOT NULL PRIMARY KEY,
        source TEXT NOT NULL,
        kind TEXT NOT NULL,
        reference TEXT NOT NULL,
        amount INTEGER NOT NULL CHECK (amount > 0 AND amount <= 1000000000000),
        day TEXT NOT NULL,
        started_ms INTEGER NOT NULL,
        due_ms INTEGER NOT NULL,
        CHECK (substr(account, 1, 5) = 'user:')
      )KEYED`,
      'CREATE INDEX ledger_accruals_due ON ledger_accruals (due_ms)',
    ]),
};
