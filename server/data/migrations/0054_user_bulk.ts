import { define, oneOf, type Migration } from './migration.ts';

/**
 * Commands on all users who fit a filter (behaviour 8.3): what is asked for, how far it has come, and the user it came
 * to last. Only one is under way at a time. What was searched for and written is emptied at the end.
 */
export const userBulk: Migration = {
  name: '0054_user_bulk',
  up: (step) =>
    define(step, [
      `CREATE TABLE user_bulk_runs (
        id TEXT NOT NULL PRIMARY KEY,
        ${oneOf('kind', ['setRole', 'confirm', 'write'])},
        ${oneOf('state', ['running', 'done', 'cancelled', 'stopped'])},
        started_by TEXT NOT NULL,
        question TEXT NOT NULL,
        input TEXT NOT NULL,
        total INTEGER NOT NULL CHECK (total >= 0),
        done INTEGER NOT NULL CHECK (done >= 0),
        refused INTEGER NOT NULL CHECK (refused >= 0),
        position TEXT,
        created_ms INTEGER NOT NULL,
        finished_ms INTEGER
      )STRICT`,
      "CREATE UNIQUE INDEX user_bulk_runs_running ON user_bulk_runs (state) WHERE state = 'running'",
      'CREATE INDEX user_bulk_runs_created ON user_bulk_runs (created_ms)',
    ]),
};
