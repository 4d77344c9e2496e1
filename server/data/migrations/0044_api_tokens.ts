import { define, type Migration } from './migration.ts';

/** Keys of the API (behaviour 3.8): as hashes, with what each may do, from where and until when. */
export const apiTokens: Migration = {
  name: '0044_api_tokens',
  up: (step) =>
    define(step, [
      `CREATE TABLE api_tokens (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        name TEXT NOT NULL,
        token_hash TEXT NOT NULL UNIQUE,
        tail TEXT NOT NULL,
        scopes TEXT NOT NULL,
        addresses TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER,
        used_ms INTEGER,
        used_address TEXT
      )STRICT`,
      'CREATE INDEX api_tokens_user ON api_tokens (user_id, created_ms)',
      'CREATE INDEX api_tokens_expiry ON api_tokens (expires_ms) WHERE expires_ms IS NOT NULL',
    ]),
};
