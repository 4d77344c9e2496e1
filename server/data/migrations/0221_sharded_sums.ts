import { define, type Migration, type Step } from './migration.ts';

const SAFE = 'BETWEEN -9007199254740991 AND 9007199254740991';

/**
 * Sums that everybody adds to may be kept in several rows, which are added up where they are read (decision 127): of
 * system accounts, of days and of what a source paid to everybody. Nothing else has another row than that of shard 0.
 */
export const shardedSums: Migration = {
  name: '0221_sharded_sums',
  up: (step) => (step.dialect === 'postgres' ? addToKeys(step) : copyTables(step)),
};

const TABLES = [
  {
    table: 'ledger_balances',
    key: 'account',
    check: "shard = 0 OR substr(account, 1, 7) = 'system:'",
    columns: 'account, balance, frozen_ms',
    definition: `account TEXT NOT NULL,
      balance INTEGER NOT NULL CHECK (balance ${SAFE}) CHECK (balance >= 0 OR substr(account, 1, 7) = 'system:'),
      frozen_ms INTEGER`,
    indexes: [
      "CREATE INDEX ledger_balances_wealth ON ledger_balances (balance, account) WHERE substr(account, 1, 5) = 'user:'",
      'CREATE INDEX ledger_balances_frozen ON ledger_balances (account) WHERE frozen_ms IS NOT NULL',
    ],
  },
  {
    table: 'ledger_days',
    key: 'day, account, kind',
    check: 'shard >= 0',
    columns: 'day, account, kind, minted, burnt, moved, other, moves',
    definition: `day TEXT NOT NULL,
      account TEXT NOT NULL,
      kind TEXT NOT NULL,
      minted INTEGER NOT NULL CHECK (minted >= 0),
      burnt INTEGER NOT NULL CHECK (burnt >= 0),
      moved INTEGER NOT NULL CHECK (moved >= 0),
      other INTEGER NOT NULL,
      moves INTEGER NOT NULL CHECK (moves > 0)`,
    indexes: [],
  },
  {
    table: 'earn_counters',
    key: 'user_id, source, day',
    check: "shard = 0 OR user_id = '*'",
    columns: 'user_id, source, day, credits',
    definition: `user_id TEXT NOT NULL,
      source TEXT NOT NULL,
      day TEXT NOT NULL,
      credits INTEGER NOT NULL CHECK (credits >= 0)`,
    indexes: ['CREATE INDEX earn_counters_day ON earn_counters (day, source)'],
  },
] as const;

async function addToKeys(step: Step): Promise<void> {
  for (const { table, key, check } of TABLES)
    await define(step, [
      `ALTER TABLE ${table} ADD COLUMN shard INTEGER NOT NULL DEFAULT 0 CHECK (${check})`,
      `ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey`,
      `ALTER TABLE ${table} ADD PRIMARY KEY (${key}, shard)`,
    ]);
}

/** SQLite cannot change a key, so the tables are made anew and their rows are copied. */
async function copyTables(step: Step): Promise<void> {
  for (const { table, key, check, columns, definition, indexes } of TABLES)
    await define(step, [
      `CREATE TABLE ${table}_new (
      ${definition},
      shard INTEGER NOT NULL DEFAULT 0 CHECK (${check}),
      PRIMARY KEY (${key}, shard)
    )KEYED`,
      `INSERT INTO ${table}_new (${columns}) SELECT ${columns} FROM ${table}`,
      `DROP TABLE ${table}`,
      `ALTER TABLE ${table}_new RENAME TO ${table}`,
      ...indexes,
    ]);
}
