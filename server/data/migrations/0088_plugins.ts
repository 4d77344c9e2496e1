import { bit, define, type Migration } from './migration.ts';

/**
 * Plugins (behaviour 8.8) that were ever turned on or set. `settings`: JSON of what is stored of their fields;
 * `secrets`: JSON of the sealed ones. `plugin_budgets`: credits that each paid on a day.
 */
export const plugins: Migration = {
  name: '0088_plugins',
  up: (step) =>
    define(step, [
      `CREATE TABLE plugins (
        identifier TEXT NOT NULL PRIMARY KEY,
        ${bit('enabled')},
        settings TEXT NOT NULL,
        secrets TEXT NOT NULL,
        revision INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL
      )STRICT`,
      `CREATE TABLE plugin_budgets (
        identifier TEXT NOT NULL,
        day TEXT NOT NULL,
        credits INTEGER NOT NULL,
        PRIMARY KEY (identifier, day)
      )KEYED`,
    ]),
};
