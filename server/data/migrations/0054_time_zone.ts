import { define, type Migration } from './migration.ts';

/** The time zone a user reads times in (behaviour 3.8), an IANA name; null: that of the installation. */
export const timeZone: Migration = {
  name: '0054_time_zone',
  up: (step) => define(step, ['ALTER TABLE users ADD COLUMN time_zone TEXT']),
};
