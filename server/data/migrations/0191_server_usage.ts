import { define, type Migration } from './migration.ts';

/**
 * What servers of this machine used, by server and hour: sums of the measurements of the hour, and the highest of each.
 * memory, disk: bytes; cpu: tenths of a percent of one core; received, sent: bytes a second.
 */
export const serverUsage: Migration = {
  name: '0191_server_usage',
  up: (step) =>
    define(step, [
      `CREATE TABLE server_usage_hours (
        server_id TEXT NOT NULL,
        hour_ms INTEGER NOT NULL,
        measurements INTEGER NOT NULL,
        memory_sum INTEGER NOT NULL,
        memory_max INTEGER NOT NULL,
        cpu_sum INTEGER NOT NULL,
        cpu_max INTEGER NOT NULL,
        disk_sum INTEGER NOT NULL,
        disk_max INTEGER NOT NULL,
        received_sum INTEGER NOT NULL,
        received_max INTEGER NOT NULL,
        sent_sum INTEGER NOT NULL,
        sent_max INTEGER NOT NULL,
        PRIMARY KEY (server_id, hour_ms)
      )KEYED`,
      'CREATE INDEX server_usage_hours_hour ON server_usage_hours (hour_ms)',
    ]),
};
