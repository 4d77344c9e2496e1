import { define, oneOf, type Migration } from './migration.ts';

/** When the product did not run, what deleted servers leave owed, and indexes that show accounts which come in a burst. */
export const rules: Migration = {
  name: '0026_rules',
  up: (step) =>
    define(step, [
      // One row: when some process over this database last said that it runs.
      `CREATE TABLE uptime (
        id TEXT NOT NULL PRIMARY KEY,
        beat_ms INTEGER NOT NULL
      )KEYED`,
      // Where there are schedules, the last of them says when the version before this one ran.
      "INSERT INTO uptime (id, beat_ms) SELECT 'here', last_ms FROM schedules WHERE last_ms IS NOT NULL ORDER BY last_ms DESC LIMIT 1",
      `CREATE TABLE downtimes (
        from_ms INTEGER NOT NULL PRIMARY KEY,
        until_ms INTEGER NOT NULL,
        CHECK (until_ms > from_ms)
      )KEYED`,
      // A period that a deleted server ran out of, or would have. open: the next server made takes it over; taken: one
      // is being made; closed: one was made. owed 0: nothing is to be paid, the new server only ends when the old one
      // would have.
      `CREATE TABLE server_debts (
        server_id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        name TEXT NOT NULL,
        owed INTEGER NOT NULL CHECK (owed >= 0),
        ended_ms INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        ${oneOf('state', ['open', 'taken', 'closed'])},
        taken_by TEXT,
        hold_id TEXT UNIQUE,
        created_ms INTEGER NOT NULL,
        CHECK ((state = 'open') = (taken_by IS NULL))
      )STRICT`,
      "CREATE INDEX server_debts_open ON server_debts (user_id, ended_ms, server_id) WHERE state = 'open'",
      "CREATE UNIQUE INDEX server_debts_taken ON server_debts (taken_by) WHERE state = 'taken'",
      'CREATE INDEX redeem_uses_code ON redeem_uses (code_id, at_ms)',
      'CREATE INDEX abuse_signals_first ON abuse_signals (kind, value, first_ms)',
    ]),
};
