import { define, type Migration } from './migration.ts';

/**
 * Users for staff (behaviour 3.9, 8.3): who banned somebody and when, what staff noted of them, and the PIN by which
 * support finds an account. Bans that end, sessions of an address and users whose address is not confirmed are found by
 * an index.
 */
export const users: Migration = {
  name: '0041_users',
  up: (step) =>
    define(step, [
      'ALTER TABLE users ADD COLUMN banned_by TEXT',
      'ALTER TABLE users ADD COLUMN banned_ms INTEGER',
      'CREATE INDEX users_ban_end ON users (banned_until_ms) WHERE banned_until_ms IS NOT NULL',
      'CREATE INDEX users_unverified ON users (created_ms) WHERE verified_ms IS NULL',
      'CREATE INDEX sessions_address ON sessions (address)',
      `CREATE TABLE user_notes (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        author_id TEXT NOT NULL,
        text TEXT NOT NULL,
        created_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX user_notes_user ON user_notes (user_id, created_ms, id)',
      `CREATE TABLE support_pins (
        user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        pin TEXT NOT NULL UNIQUE,
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL
      )STRICT`,
    ]),
};
