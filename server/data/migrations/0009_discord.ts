import { bit, define, oneOf, type Migration } from './migration.ts';

/** Linked identities of users, and join for rewards. */
export const discord: Migration = {
  name: '0009_discord',
  up: (step) => define(step, [...IDENTITIES, ...J4R]),
};

const IDENTITIES = [
  `CREATE TABLE linked_identities (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    tokens TEXT,
    version INTEGER NOT NULL,
    refreshing_until_ms INTEGER NOT NULL,
    linked_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE UNIQUE INDEX linked_identities_subject ON linked_identities (provider, subject)',
  'CREATE UNIQUE INDEX linked_identities_user ON linked_identities (user_id, provider)',
  // Who was ever linked to an identity: it outlives the link, so that unlinking makes nobody a stranger (attacks T15,
  // T16). Here and in the claims below the subject is a keyed hash of the provider's id (attacks T56).
  `CREATE TABLE identity_history (
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (provider, subject, user_id)
  )KEYED`,
  'CREATE INDEX identity_history_user ON identity_history (user_id)',
  `CREATE TABLE link_attempts (
    state_hash TEXT NOT NULL PRIMARY KEY,
    provider TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    verifier TEXT NOT NULL,
    expires_ms INTEGER NOT NULL
  )KEYED`,
  'CREATE INDEX link_attempts_expires ON link_attempts (expires_ms)',
];

const J4R = [
  `CREATE TABLE j4r_servers (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    invite TEXT NOT NULL,
    guild_id TEXT UNIQUE,
    guild_name TEXT,
    members INTEGER,
    ${oneOf('lookup', ['pending', 'found', 'unknown', 'duplicate'])},
    lookup_ms INTEGER NOT NULL,
    credits INTEGER NOT NULL CHECK (credits > 0),
    ${bit('pays_members')},
    min_account_days INTEGER NOT NULL CHECK (min_account_days >= 0),
    position INTEGER NOT NULL,
    ${bit('enabled')},
    since_ms INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE INDEX j4r_servers_name ON j4r_servers (name, id)',
  'CREATE INDEX j4r_servers_position ON j4r_servers (position, id)',
  // Which Discord identity was paid for which Discord server. Rows stay for good: neither unlinking nor a new entry nor
  // another account earns twice.
  `CREATE TABLE j4r_claims (
    id TEXT NOT NULL PRIMARY KEY,
    guild_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    server_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    credits INTEGER NOT NULL CHECK (credits > 0),
    reference TEXT NOT NULL UNIQUE,
    tx_id TEXT NOT NULL,
    ${oneOf('state', ['vesting', 'kept', 'left'])},
    ${bit('held')},
    joined_ms INTEGER NOT NULL,
    evidence TEXT NOT NULL,
    claimed_ms INTEGER NOT NULL,
    vests_ms INTEGER NOT NULL,
    check_ms INTEGER,
    unlinked_ms INTEGER,
    ended_ms INTEGER,
    taken INTEGER NOT NULL CHECK (taken >= 0 AND taken <= credits),
    taken_tx_id TEXT
  )STRICT`,
  'CREATE UNIQUE INDEX j4r_claims_identity ON j4r_claims (guild_id, subject)',
  'CREATE UNIQUE INDEX j4r_claims_user ON j4r_claims (guild_id, user_id)',
  'CREATE INDEX j4r_claims_of_user ON j4r_claims (user_id, claimed_ms)',
  'CREATE INDEX j4r_claims_subject ON j4r_claims (subject)',
  'CREATE INDEX j4r_claims_server ON j4r_claims (server_id)',
  'CREATE INDEX j4r_claims_due ON j4r_claims (check_ms) WHERE check_ms IS NOT NULL',
];
