import { define, type Migration } from './migration.ts';

/** The event that waits as a call: its input begins with `{"id":"`. */
const EVENT_ID = 'substr(input, 8, 36)';

/**
 * Plugins hear of events by a cursor each, where a call a plugin and event stood before (decision 092).
 * `plugin_events`: what plugins hear of, numbered in its order; the events themselves are those of webhooks.
 * `plugin_cursors`: the number up to which a plugin heard, how often the next one failed, and when it is tried again. A
 * task whose turn came waits in its own row. What waited as calls is taken over; a plugin may hear of an event once
 * more.
 */
export const pluginCursors: Migration = {
  name: '0186_plugin_cursors',
  up: (step) =>
    define(step, [
      `CREATE TABLE plugin_events (
        number INTEGER NOT NULL PRIMARY KEY,
        event_id TEXT NOT NULL,
        name TEXT NOT NULL
      )STRICT`,
      `CREATE TABLE plugin_cursors (
        identifier TEXT NOT NULL PRIMARY KEY,
        heard INTEGER NOT NULL,
        tries INTEGER NOT NULL,
        next_ms INTEGER NOT NULL
      )KEYED`,
      'ALTER TABLE plugin_tasks ADD COLUMN due_ms INTEGER',
      'ALTER TABLE plugin_tasks ADD COLUMN tries INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE plugin_tasks ADD COLUMN retry_ms INTEGER NOT NULL DEFAULT 0',
      `INSERT INTO plugin_events (number, event_id, name)
        SELECT ROW_NUMBER() OVER (ORDER BY event_id), event_id, name
        FROM (SELECT DISTINCT ${EVENT_ID} AS event_id, name FROM plugin_calls WHERE hook_group = 'events') AS waiting`,
      `INSERT INTO plugin_cursors (identifier, heard, tries, next_ms)
        SELECT p.identifier, COALESCE(
          (SELECT MIN(e.number) - 1 FROM plugin_calls c JOIN plugin_events e ON e.event_id = substr(c.input, 8, 36)
            WHERE c.identifier = p.identifier AND c.hook_group = 'events'),
          (SELECT MAX(number) FROM plugin_events), 0), 0, 0 FROM plugin_packages p`,
      `UPDATE plugin_tasks SET due_ms = next_ms WHERE EXISTS (SELECT 1 FROM plugin_calls c
        WHERE c.identifier = plugin_tasks.identifier AND c.name = plugin_tasks.name AND c.hook_group = 'tasks')`,
      'DROP TABLE plugin_calls',
      'ALTER TABLE plugin_packages DROP COLUMN last_call',
    ]),
};
