import { define, type Migration } from './migration.ts';

/** What is known of the feed of releases: one row. */
export const updateFeed: Migration = {
  name: '0064_update_feed',
  up: (step) =>
    define(step, [
      `CREATE TABLE update_feed (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        public_key TEXT NOT NULL,
        checked_ms INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        content TEXT
      )`,
    ]),
};
