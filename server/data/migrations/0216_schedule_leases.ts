import { define, type Migration } from './migration.ts';

/** A run of what is repeated belongs to the process that has its lease, until it ends or dies. */
export const scheduleLeases: Migration = {
  name: '0216_schedule_leases',
  up: (step) =>
    define(step, [
      'ALTER TABLE schedules ADD COLUMN lease_token TEXT',
      'ALTER TABLE schedules ADD COLUMN lease_until_ms INTEGER NOT NULL DEFAULT 0',
    ]),
};
