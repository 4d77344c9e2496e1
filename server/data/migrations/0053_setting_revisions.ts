import { define, type Migration } from './migration.ts';

/** How often a setting was stored: who changes it says which revision they saw, so that nobody overwrites another. */
export const settingRevisions: Migration = {
  name: '0053_setting_revisions',
  up: (step) => define(step, ['ALTER TABLE settings ADD COLUMN revision INTEGER NOT NULL DEFAULT 1']),
};
