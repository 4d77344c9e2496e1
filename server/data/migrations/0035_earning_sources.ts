import { define, oneOf, type Migration } from './migration.ts';

const COLUMNS = `id, user_id, source, amount, parts, reference, subject, pool, cause, score, reasons, tx_id, hold_id, state,
  release_ms, created_ms, updated_ms, decided_ms, decided_by, note, note_ms, counted_day, counted`;

/**
 * Which sources there are is no longer written into the table: a new one needs no migration (decision 032). SQLite
 * cannot drop a constraint, so there the table is made anew and its rows are copied.
 */
export const earningSources: Migration = {
  name: '0035_earning_sources',
  async up(step) {
    if (step.dialect === 'postgres') {
      await step.raw.run('ALTER TABLE held_rewards DROP CONSTRAINT held_rewards_source_check');
      return;
    }
    await define(step, [
      `CREATE TABLE held_rewards_new (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        source TEXT NOT NULL,
        amount INTEGER NOT NULL CHECK (amount > 0),
        parts INTEGER NOT NULL CHECK (parts > 0),
        reference TEXT NOT NULL UNIQUE,
        subject TEXT,
        pool TEXT,
        ${oneOf('cause', ['score', 'proof'])},
        score INTEGER NOT NULL CHECK (score >= 0),
        reasons TEXT NOT NULL,
        tx_id TEXT NOT NULL,
        hold_id TEXT NOT NULL UNIQUE,
        ${oneOf('state', ['open', 'released', 'rejected'])},
        release_ms INTEGER,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        decided_ms INTEGER,
        decided_by TEXT,
        note TEXT CHECK (length(note) BETWEEN 1 AND 1000),
        note_ms INTEGER,
        counted_day TEXT,
        counted INTEGER NOT NULL DEFAULT 0,
        CHECK ((state = 'open') = (decided_ms IS NULL))
      )STRICT`,
      `INSERT INTO held_rewards_new (${COLUMNS}) SELECT ${COLUMNS} FROM held_rewards`,
      'DROP TABLE held_rewards',
      'ALTER TABLE held_rewards_new RENAME TO held_rewards',
      "CREATE UNIQUE INDEX held_rewards_pool ON held_rewards (user_id, pool) WHERE state = 'open' AND pool IS NOT NULL",
      'CREATE INDEX held_rewards_state ON held_rewards (state, created_ms)',
      'CREATE INDEX held_rewards_user ON held_rewards (user_id, created_ms)',
      "CREATE INDEX held_rewards_due ON held_rewards (release_ms) WHERE state = 'open' AND release_ms IS NOT NULL",
    ]);
  },
};
