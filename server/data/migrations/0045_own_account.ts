import { define, oneOf, type Migration } from './migration.ts';

/**
 * Changes of a user's address (behaviour 3.8): one that waits for its link, and those that can still be undone. While
 * it can be undone, the old address is kept for its user. Accounts that are to be deleted, and when. Exports of users'
 * data. The audit log knows the device, and what was done to somebody is found by it.
 */
export const ownAccount: Migration = {
  name: '0045_own_account',
  up: (step) =>
    define(step, [
      `CREATE TABLE email_changes (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        old_email TEXT NOT NULL,
        old_email_key TEXT NOT NULL,
        new_email TEXT NOT NULL,
        password_version INTEGER NOT NULL,
        confirm_hash TEXT NOT NULL UNIQUE,
        undo_hash TEXT UNIQUE,
        created_ms INTEGER NOT NULL,
        done_ms INTEGER,
        expires_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX email_changes_user ON email_changes (user_id, created_ms)',
      'CREATE INDEX email_changes_old ON email_changes (old_email_key)',
      'CREATE INDEX email_changes_expiry ON email_changes (expires_ms)',
      `CREATE TABLE account_deletions (
        user_id TEXT NOT NULL PRIMARY KEY,
        requested_ms INTEGER NOT NULL,
        due_ms INTEGER NOT NULL
      )KEYED`,
      'CREATE INDEX account_deletions_due ON account_deletions (due_ms)',
      `CREATE TABLE data_exports (
        user_id TEXT NOT NULL PRIMARY KEY,
        id TEXT NOT NULL,
        ${oneOf('state', ['working', 'ready', 'failed'])},
        requested_ms INTEGER NOT NULL,
        expires_ms INTEGER,
        size INTEGER,
        body TEXT
      )STRICT`,
      'CREATE INDEX data_exports_expiry ON data_exports (expires_ms)',
      'ALTER TABLE audit ADD COLUMN device TEXT',
      'CREATE INDEX audit_target ON audit (target, at_ms)',
    ]),
};
