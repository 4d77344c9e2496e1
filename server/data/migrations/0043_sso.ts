import { bit, define, oneOf, type Migration } from './migration.ts';

/**
 * Services that people sign in with (behaviour 3.6): providers, ways there that were begun, and people a provider has
 * told us of who have no account yet. What a provider says of a person is sealed.
 */
export const sso: Migration = {
  name: '0043_sso',
  up: (step) =>
    define(step, [
      `CREATE TABLE sso_providers (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        ${oneOf('kind', ['discord', 'github', 'google', 'oidc'])},
        issuer TEXT NOT NULL,
        client_id TEXT NOT NULL,
        secret TEXT,
        secret_set_ms INTEGER,
        scopes TEXT NOT NULL,
        icon TEXT NOT NULL,
        position INTEGER NOT NULL,
        ${bit('enabled')},
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE UNIQUE INDEX sso_providers_name ON sso_providers (lower(name))',
      'CREATE UNIQUE INDEX sso_providers_issuer ON sso_providers (issuer)',
      'CREATE INDEX sso_providers_position ON sso_providers (position, id)',
      // `binding`: the session that links, or the browser that signs in; nobody else may end what was begun.
      `CREATE TABLE sso_attempts (
        state_hash TEXT NOT NULL PRIMARY KEY,
        provider_id TEXT NOT NULL,
        ${oneOf('purpose', ['signIn', 'link'])},
        binding TEXT NOT NULL,
        secrets TEXT NOT NULL,
        expires_ms INTEGER NOT NULL
      )KEYED`,
      'CREATE INDEX sso_attempts_expires ON sso_attempts (expires_ms)',
      `CREATE TABLE sso_registrations (
        id TEXT NOT NULL PRIMARY KEY,
        device_key TEXT,
        provider_id TEXT NOT NULL,
        person TEXT NOT NULL,
        expires_ms INTEGER NOT NULL
      )KEYED`,
      'CREATE UNIQUE INDEX sso_registrations_device ON sso_registrations (device_key)',
      'CREATE INDEX sso_registrations_expires ON sso_registrations (expires_ms)',
      "ALTER TABLE pending_accounts ADD COLUMN sso_registration TEXT NOT NULL DEFAULT ''",
      // The accounts of a service elsewhere, for its page and its deletion.
      'CREATE INDEX linked_identities_provider ON linked_identities (provider, user_id)',
    ]),
};
