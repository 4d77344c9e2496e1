import { define, type Migration } from './migration.ts';

/**
 * What needs a person (behaviour 8.2): what each of staff put off, what staff were notified of, and the layout that
 * each chose for the overview.
 */
export const attention: Migration = {
  name: '0059_attention',
  up: (step) =>
    define(step, [
      `CREATE TABLE attention_snoozes (
        user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        item TEXT NOT NULL,
        count INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        PRIMARY KEY (user_id, item)
      )STRICT`,
      `CREATE TABLE attention_reports (
        item TEXT NOT NULL PRIMARY KEY,
        reported_ms INTEGER NOT NULL,
        ended_ms INTEGER
      )STRICT`,
      `CREATE TABLE overview_layouts (
        user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        layout TEXT NOT NULL
      )STRICT`,
    ]),
};
