import { bit, define, type Migration } from './migration.ts';

/**
 * Deletions by staff (behaviour 8.3): whether the row of the user goes as well, which is possible where no records need
 * it. Accounts in panels are found by their user.
 */
export const staffDeletion: Migration = {
  name: '0046_staff_deletion',
  up: (step) =>
    define(step, [
      `ALTER TABLE account_deletions ADD COLUMN ${bit('whole')} DEFAULT 0`,
      'CREATE INDEX panel_accounts_user ON panel_accounts (user_id)',
    ]),
};
