import { define, type Migration } from './migration.ts';

/**
 * The second factor (behaviour 3.5): the secret that is on, and one that is being set up, both sealed; the last time
 * step that was accepted; recovery codes as hashes. When a session passed the factor stands with the session.
 */
export const twoFactor: Migration = {
  name: '0017_two_factor',
  up: (step) =>
    define(step, [
      `CREATE TABLE second_factors (
        user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        secret TEXT,
        enabled_ms INTEGER,
        last_step INTEGER NOT NULL,
        pending TEXT,
        pending_ms INTEGER
      )KEYED`,
      `CREATE TABLE recovery_codes (
        user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        code_hash TEXT NOT NULL,
        used_ms INTEGER,
        PRIMARY KEY (user_id, code_hash)
      )KEYED`,
    ]),
};
