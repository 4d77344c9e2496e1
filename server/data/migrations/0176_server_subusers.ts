import { define, type Migration } from './migration.ts';

/**
 * Who works on servers of others, and what they may do there; one row a server and user, which stays when the right
 * ends, so that names can be taken out of what was said of it. Events of a server know who caused them.
 */
export const serverSubusers: Migration = {
  name: '0176_server_subusers',
  up: (step) =>
    define(step, [
      // rights: a list in JSON. ended_ms: since when they work on it no more.
      `CREATE TABLE server_subusers (
        server_id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        rights TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        PRIMARY KEY (server_id, user_id)
      )STRICT`,
      'CREATE INDEX server_subusers_user ON server_subusers (user_id)',
      // Null: the system, staff, or nobody knows.
      'ALTER TABLE server_events ADD COLUMN actor_id TEXT',
    ]),
};
