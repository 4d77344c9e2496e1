import { define, oneOf, type Migration, type Step } from './migration.ts';

/** The ledger, idempotency keys, settings, audit trail, jobs and schedules. */
export const core: Migration = {
  name: '0001_core',
  async up(step) {
    await define(step, LEDGER);
    await appendOnly(step, 'ledger_transactions');
    await appendOnly(step, 'ledger_postings');
    await define(step, REST);
  },
};

/** Every sum stays a whole number that a program can hold exactly. */
const SAFE = 'BETWEEN -9007199254740991 AND 9007199254740991';

const LEDGER = [
  `CREATE TABLE ledger_transactions (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    subject TEXT,
    actor TEXT,
    reason TEXT,
    reverses TEXT REFERENCES ledger_transactions (id),
    created_ms INTEGER NOT NULL
  )KEYED`,
  'CREATE UNIQUE INDEX ledger_transactions_reference ON ledger_transactions (reference)',
  'CREATE UNIQUE INDEX ledger_transactions_reverses ON ledger_transactions (reverses) WHERE reverses IS NOT NULL',
  `CREATE TABLE ledger_postings (
    tx_id TEXT NOT NULL REFERENCES ledger_transactions (id),
    seq INTEGER NOT NULL,
    source TEXT NOT NULL,
    destination TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0 AND amount <= 1000000000000),
    source_after INTEGER NOT NULL,
    destination_after INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (tx_id, seq),
    CHECK (source <> destination)
  )KEYED`,
  'CREATE INDEX ledger_postings_source ON ledger_postings (source, created_ms, tx_id, seq)',
  'CREATE INDEX ledger_postings_destination ON ledger_postings (destination, created_ms, tx_id, seq)',
  `CREATE TABLE ledger_balances (
    account TEXT NOT NULL PRIMARY KEY,
    balance INTEGER NOT NULL CHECK (balance ${SAFE}),
    CHECK (balance >= 0 OR substr(account, 1, 7) = 'system:')
  )KEYED`,
  `CREATE TABLE ledger_holds (
    id TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    reference TEXT NOT NULL,
    ${oneOf('state', ['open', 'captured', 'released'])},
    created_ms INTEGER NOT NULL,
    closed_ms INTEGER,
    CHECK ((state = 'open') = (closed_ms IS NULL))
  )STRICT`,
  'CREATE UNIQUE INDEX ledger_holds_reference ON ledger_holds (reference)',
  "CREATE INDEX ledger_holds_open ON ledger_holds (account) WHERE state = 'open'",
];

const REST = [
  `CREATE TABLE idempotency_keys (
    user_id TEXT NOT NULL,
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    answer TEXT,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, key)
  )KEYED`,
  'CREATE INDEX idempotency_keys_age ON idempotency_keys (created_ms)',
  `CREATE TABLE settings (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    updated_ms INTEGER NOT NULL
  )KEYED`,
  `CREATE TABLE audit (
    id TEXT NOT NULL PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    actor_id TEXT,
    action TEXT NOT NULL,
    target TEXT,
    before TEXT,
    after TEXT,
    address TEXT,
    request_id TEXT
  )STRICT`,
  'CREATE INDEX audit_at ON audit (at_ms)',
  'CREATE INDEX audit_actor ON audit (actor_id, at_ms)',
  `CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    unique_key TEXT,
    run_at_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    max_attempts INTEGER NOT NULL CHECK (max_attempts > 0),
    lease_until_ms INTEGER NOT NULL,
    lease_token TEXT,
    rerun INTEGER NOT NULL CHECK (rerun IN (0, 1)),
    ${oneOf('state', ['ready', 'done', 'dead'])},
    last_error TEXT,
    created_ms INTEGER NOT NULL,
    done_ms INTEGER
  )STRICT`,
  "CREATE UNIQUE INDEX jobs_unique_key ON jobs (unique_key) WHERE state = 'ready'",
  "CREATE INDEX jobs_due ON jobs (run_at_ms, id) WHERE state = 'ready'",
  "CREATE INDEX jobs_done ON jobs (done_ms) WHERE state = 'done'",
  "CREATE INDEX jobs_dead ON jobs (done_ms) WHERE state = 'dead'",
  `CREATE TABLE schedules (
    name TEXT NOT NULL PRIMARY KEY,
    next_ms INTEGER NOT NULL,
    last_ms INTEGER,
    last_error TEXT
  )KEYED`,
];

/** The database itself refuses to change or delete rows of the table. */
async function appendOnly({ raw, dialect }: Step, table: string): Promise<void> {
  if (dialect === 'postgres') {
    await raw.run(
      `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'append only'; END $$`,
    );
    await raw.run(
      `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
    );
    return;
  }
  for (const verb of ['UPDATE', 'DELETE']) {
    await raw.run(
      `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} BEGIN SELECT RAISE(ABORT, 'append only'); END`,
    );
  }
}
