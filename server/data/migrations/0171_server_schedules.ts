import { bit, define, type Migration } from './migration.ts';

/**
 * What is done by itself with servers (decision 094). timing, steps, run: JSON. next_ms: null while it is off. The last
 * run that is over keeps when it was due, how it ended, and which step that is about.
 */
export const serverSchedules: Migration = {
  name: '0171_server_schedules',
  up: (step) =>
    define(step, [
      `CREATE TABLE server_schedules (
        id TEXT NOT NULL PRIMARY KEY,
        server_id TEXT NOT NULL,
        name TEXT NOT NULL,
        ${bit('enabled')},
        ${bit('only_online')},
        timing TEXT NOT NULL,
        time_zone TEXT NOT NULL,
        steps TEXT NOT NULL,
        next_ms INTEGER,
        run TEXT,
        last_ms INTEGER,
        last_outcome TEXT,
        last_step INTEGER,
        created_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX server_schedules_of_server ON server_schedules (server_id, created_ms)',
      'CREATE INDEX server_schedules_due ON server_schedules (next_ms) WHERE next_ms IS NOT NULL',
    ]),
};
