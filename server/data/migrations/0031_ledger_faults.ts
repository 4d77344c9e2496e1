import { define, type Migration } from './migration.ts';

/** What the last proof of the ledger found, and since when an account is frozen for it: nothing leaves a frozen account. */
export const ledgerFaults: Migration = {
  name: '0031_ledger_faults',
  up: (step) =>
    define(step, [
      'ALTER TABLE ledger_balances ADD COLUMN frozen_ms INTEGER',
      // id: proof and what it is about. account or row: what is wrong; stored, expected: credits.
      `CREATE TABLE ledger_faults (
        id TEXT NOT NULL PRIMARY KEY,
        proof TEXT NOT NULL,
        account TEXT,
        row_id TEXT,
        stored INTEGER,
        expected INTEGER,
        first_ms INTEGER NOT NULL,
        seen_ms INTEGER NOT NULL
      )STRICT`,
    ]),
};
