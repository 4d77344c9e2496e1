import { define, oneOf, type Migration } from './migration.ts';

/**
 * Early supporters (behaviour 4.7): who may become one, who is, and how many places are taken. Places are counted in
 * one row, so that two who qualify at once never share the last one; `walked_id` is the last account that was looked at
 * for what it did before the feature was on. Who chose the parts of their profile shows the badge as well.
 */
export const earlySupporters: Migration = {
  name: '0049_early_supporters',
  up: (step) =>
    define(step, [
      `CREATE TABLE early_supporters (
        user_id TEXT NOT NULL PRIMARY KEY,
        ${oneOf('state', ['pending', 'qualified', 'paid', 'held', 'refused'])},
        reason TEXT CHECK (reason IN ('budget', 'cap', 'unverified')),
        credits INTEGER NOT NULL CHECK (credits >= 0),
        tx_id TEXT UNIQUE,
        created_ms INTEGER NOT NULL,
        next_check_ms INTEGER NOT NULL,
        qualified_ms INTEGER
      )STRICT`,
      "CREATE INDEX early_supporters_pending ON early_supporters (next_check_ms) WHERE state = 'pending'",
      "CREATE INDEX early_supporters_qualified ON early_supporters (next_check_ms) WHERE state = 'qualified'",
      `CREATE TABLE early_supporter_places (
        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
        taken INTEGER NOT NULL CHECK (taken >= 0),
        walked_id TEXT NOT NULL
      )STRICT`,
      "INSERT INTO early_supporter_places (id, taken, walked_id) VALUES (1, 0, '')",
      `UPDATE user_privacy SET fields = CASE fields WHEN '[]' THEN '["supporter"]'
        ELSE '["supporter",' || substr(fields, 2) END`,
    ]),
};
