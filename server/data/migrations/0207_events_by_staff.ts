import { define, type Migration } from './migration.ts';

/** What staff do on somebody's server is said to be theirs in its history. */
export const eventsByStaff: Migration = {
  name: '0207_events_by_staff',
  up: (step) => define(step, ['ALTER TABLE server_events ADD COLUMN by_staff INTEGER NOT NULL DEFAULT 0']),
};
