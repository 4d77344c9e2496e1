import { define, type Migration } from './migration.ts';

/** The few wallets that a proof froze are found among millions. */
export const frozenBalances: Migration = {
  name: '0220_frozen_balances',
  up: (step) =>
    define(step, ['CREATE INDEX ledger_balances_frozen ON ledger_balances (account) WHERE frozen_ms IS NOT NULL']),
};
