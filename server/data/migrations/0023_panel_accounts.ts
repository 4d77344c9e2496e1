import { define, type Migration } from './migration.ts';

/**
 * A panel's public address beside the one that the product uses, and codes by which players prove that an account in
 * the panel with their address is theirs: the latest one of a user and panel, as a hash.
 */
export const panelAccounts: Migration = {
  name: '0023_panel_accounts',
  up: (step) =>
    define(step, [
      'ALTER TABLE panels ADD COLUMN public_url TEXT',
      `CREATE TABLE panel_account_codes (
        panel_id TEXT NOT NULL REFERENCES panels (id),
        user_id TEXT NOT NULL,
        account TEXT NOT NULL,
        email TEXT NOT NULL,
        code_hash TEXT NOT NULL,
        tries INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL,
        PRIMARY KEY (panel_id, user_id)
      )STRICT`,
    ]),
};
