import { define, type Migration } from './migration.ts';

/**
 * The set-up guide: which steps somebody completed or left out. An installation that has servers was set up before
 * there was a guide: it is not asked.
 */
export const setupGuide: Migration = {
  name: '0060_setup_guide',
  up: (step) =>
    define(step, [
      `CREATE TABLE setup_steps (
        step TEXT PRIMARY KEY,
        state TEXT NOT NULL CHECK (state IN ('done', 'skipped')),
        evidence TEXT NOT NULL,
        at_ms INTEGER NOT NULL
      )`,
      ...['address', 'mail', 'panel', 'catalogue', 'newUsers', 'earning', 'payments', 'legal'].map(
        (name) =>
          `INSERT INTO setup_steps (step, state, evidence, at_ms)
           SELECT '${name}', 'skipped', '', 0 WHERE EXISTS (SELECT 1 FROM servers)`,
      ),
    ]),
};
