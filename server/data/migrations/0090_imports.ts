import { IMPORT_KINDS, IMPORT_PRODUCTS, IMPORT_STATES } from '#shared/imports.ts';
import { define, oneOf, type Migration } from './migration.ts';

/**
 * What was brought from other dashboards: the runs; which of our rows each row there became, so that a second run makes
 * none twice; their payments, for the books alone; and who has used a code there.
 */
export const imports: Migration = {
  name: '0090_imports',
  up: (step) =>
    define(step, [
      `CREATE TABLE import_runs (
        id TEXT NOT NULL PRIMARY KEY,
        ${oneOf('product', IMPORT_PRODUCTS)},
        instance TEXT NOT NULL,
        ${oneOf('state', IMPORT_STATES)},
        fault TEXT,
        options TEXT NOT NULL,
        summary TEXT NOT NULL,
        started_by TEXT,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX import_runs_by_time ON import_runs (created_ms, id)',
      `CREATE TABLE imported_rows (
        product TEXT NOT NULL,
        instance TEXT NOT NULL,
        ${oneOf('kind', IMPORT_KINDS)},
        source_id TEXT NOT NULL,
        run_id TEXT NOT NULL,
        target_id TEXT NOT NULL,
        made INTEGER NOT NULL CHECK (made IN (0, 1)),
        credits INTEGER NOT NULL CHECK (credits >= 0),
        undo TEXT NOT NULL,
        PRIMARY KEY (product, instance, kind, source_id)
      )KEYED`,
      'CREATE INDEX imported_rows_of_run ON imported_rows (run_id, kind, source_id)',
      'CREATE INDEX imported_rows_of_target ON imported_rows (target_id)',
      `CREATE TABLE imported_payments (
        id TEXT NOT NULL PRIMARY KEY,
        run_id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        gateway TEXT NOT NULL,
        reference TEXT NOT NULL,
        status TEXT NOT NULL,
        amount TEXT,
        currency TEXT NOT NULL,
        credits INTEGER,
        paid_ms INTEGER
      )STRICT`,
      'CREATE INDEX imported_payments_of_user ON imported_payments (user_id, paid_ms)',
      `CREATE TABLE imported_code_uses (
        code_id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        PRIMARY KEY (code_id, user_id)
      )KEYED`,
      'CREATE INDEX imported_code_uses_of_user ON imported_code_uses (user_id)',
    ]),
};
