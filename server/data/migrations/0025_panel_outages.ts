import { define, oneOf, type Migration } from './migration.ts';

/** Panels and machines that do not take orders just now, and since when an entry of the queue waits for one. */
export const panelOutages: Migration = {
  name: '0025_panel_outages',
  up: (step) =>
    define(step, [
      // panel '': the embedded one. node '': the whole panel. next_ms: when it is tried again; tries: how often that
      // was in vain; notified_ms: when staff were notified.
      `CREATE TABLE panel_outages (
        panel TEXT NOT NULL,
        node TEXT NOT NULL,
        ${oneOf('cause', ['panel', 'key', 'node', 'maintenance', 'off'])},
        reason TEXT,
        since_ms INTEGER NOT NULL,
        next_ms INTEGER NOT NULL,
        tries INTEGER NOT NULL,
        notified_ms INTEGER,
        PRIMARY KEY (panel, node)
      )KEYED`,
      'ALTER TABLE server_queue ADD COLUMN held_since_ms INTEGER',
    ]),
};
