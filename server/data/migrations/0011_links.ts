import { define, oneOf, type Migration } from './migration.ts';

/** Claims of links for rewards, and the proofs they came back with (behaviour 4.5). */
export const links: Migration = {
  name: '0011_links',
  up: (step) => define(step, TABLES),
};

const TABLES = [
  // The token itself is nowhere in clear: hashed to find the claim, sealed to hand the same link out again.
  `CREATE TABLE link_claims (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    token_sealed TEXT,
    link_sealed TEXT,
    credits INTEGER NOT NULL CHECK (credits > 0),
    ${oneOf('state', ['open', 'paid', 'held', 'expired', 'rejected'])},
    session_id TEXT NOT NULL,
    network TEXT,
    started_ms INTEGER NOT NULL,
    ready_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    checking_ms INTEGER,
    answer TEXT,
    tx_id TEXT UNIQUE,
    closed_ms INTEGER,
    CHECK ((state IN ('paid', 'held', 'rejected')) = (tx_id IS NOT NULL)),
    CHECK ((state = 'open') = (closed_ms IS NULL))
  )STRICT`,
  "CREATE UNIQUE INDEX link_claims_one_open ON link_claims (user_id, provider) WHERE state = 'open'",
  "CREATE INDEX link_claims_open ON link_claims (expires_ms) WHERE state = 'open'",
  'CREATE INDEX link_claims_user ON link_claims (user_id, started_ms)',
  'CREATE INDEX link_claims_paid ON link_claims (user_id, provider, closed_ms) WHERE tx_id IS NOT NULL',
  'CREATE INDEX link_claims_closed ON link_claims (closed_ms) WHERE network IS NOT NULL',
  // What a provider takes twice we take once.
  // `at_ms` of a proof that paid lies beyond all time: it is never forgotten.
  `CREATE TABLE link_proofs (
    provider TEXT NOT NULL,
    proof_hash TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (provider, proof_hash)
  )KEYED`,
  'CREATE INDEX link_proofs_age ON link_proofs (at_ms)',
];
