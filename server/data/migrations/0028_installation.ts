import { define, type Migration } from './migration.ts';

/** Which key for secrets at rest belongs to this database: a name made of the key, which tells nothing about it. */
export const installation: Migration = {
  name: '0028_installation',
  up: (step) =>
    define(step, [
      'CREATE TABLE installation (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), key_name TEXT NOT NULL)',
      // What a development version's migration of panels did not have yet, or had otherwise, when it was called
      // 0018_panels.
      'DROP INDEX IF EXISTS book_ports_free',
      'CREATE INDEX book_ports_free ON book_ports (panel_id, node, ip, port, allocation) WHERE assigned = 0 AND taken_by IS NULL AND vanished_ms IS NULL',
      "CREATE INDEX IF NOT EXISTS server_queue_waiting ON server_queue (user_id, priority DESC, created_ms, id) WHERE state = 'queued'",
      'CREATE INDEX IF NOT EXISTS server_queue_begun ON server_queue (user_id, started_ms) WHERE started_ms IS NOT NULL',
    ]),
};
