import { bit, define, type Migration } from './migration.ts';

/**
 * Passkeys (behaviour 3.5): what an authenticator calls a credential, its public key (base64url, up to 4 KB), counter
 * and backup. When whoever sits at a session last confirmed who they are stands with the session.
 */
export const passkeys: Migration = {
  name: '0042_passkeys',
  up: (step) =>
    define(step, [
      `CREATE TABLE passkeys (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        credential_id TEXT NOT NULL UNIQUE,
        public_key TEXT NOT NULL,
        counter INTEGER NOT NULL,
        transports TEXT NOT NULL,
        ${bit('multi_device')},
        ${bit('backed_up')},
        name TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        used_ms INTEGER,
        copied_ms INTEGER
      )STRICT`,
      'CREATE INDEX passkeys_user ON passkeys (user_id, created_ms)',
      'ALTER TABLE sessions ADD COLUMN confirmed_ms INTEGER',
    ]),
};
