import { define, type Migration } from './migration.ts';

/**
 * Accounts that wait for the link in their e-mail (behaviour 3.1): a name each, reserved until the link ends, whether
 * or not the address was free. Which browsers a user has passed the second factor in, and which session a set-up
 * belongs to (behaviour 3.5).
 */
export const pendingAccounts: Migration = {
  name: '0022_accounts',
  up: (step) =>
    define(step, [
      `CREATE TABLE pending_accounts (
        username_key TEXT NOT NULL PRIMARY KEY,
        username TEXT NOT NULL,
        email TEXT NOT NULL,
        email_key TEXT NOT NULL,
        password_hash TEXT NOT NULL,
        first_name TEXT NOT NULL,
        last_name TEXT NOT NULL,
        locale TEXT NOT NULL,
        referral TEXT NOT NULL,
        address TEXT NOT NULL,
        device_key TEXT NOT NULL,
        token_hash TEXT NOT NULL UNIQUE,
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL
      )KEYED`,
      'CREATE INDEX pending_accounts_email ON pending_accounts (email_key, created_ms)',
      'CREATE INDEX pending_accounts_expiry ON pending_accounts (expires_ms)',
      'ALTER TABLE known_devices ADD COLUMN factor_ms INTEGER',
      'ALTER TABLE second_factors ADD COLUMN pending_session TEXT',
    ]),
};
