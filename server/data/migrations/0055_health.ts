import { define, type Migration } from './migration.ts';

/** What the checks said in the last day, how the last runs of what is repeated went, and the audit log by request. */
export const health: Migration = {
  name: '0055_health',
  up: (step) =>
    define(step, [
      `CREATE TABLE health_samples (
        at_ms INTEGER NOT NULL,
        check_key TEXT NOT NULL,
        subject TEXT NOT NULL,
        status_rank INTEGER NOT NULL,
        figure INTEGER,
        PRIMARY KEY (at_ms, check_key, subject)
      )KEYED`,
      // Staff find what a request changed by its id.
      'CREATE INDEX audit_request ON audit (request_id) WHERE request_id IS NOT NULL',
      'ALTER TABLE schedules ADD COLUMN took_ms INTEGER',
      // A run without a length is under way: those of before ended.
      'UPDATE schedules SET took_ms = 0 WHERE last_ms IS NOT NULL',
      // One letter a run, the last one at the end: o went well, f failed.
      "ALTER TABLE schedules ADD COLUMN recent TEXT NOT NULL DEFAULT ''",
    ]),
};
