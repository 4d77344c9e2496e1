import { define, type Migration } from './migration.ts';

/**
 * By which ways notifications reach users (behaviour 7.5): what each of them chose, what waits for their mail of the
 * day, and browsers that take pushes. A mail may wait for the end of its reader's quiet hours.
 */
export const notificationWays: Migration = {
  name: '0074_notification_ways',
  up: (step) =>
    define(step, [
      // Whether it is listed in the app; what is not counts as read.
      'ALTER TABLE notifications ADD COLUMN shown INTEGER NOT NULL DEFAULT 1 CHECK (shown IN (0, 1))',
      // Whether it waits for the mail of the day.
      'ALTER TABLE notifications ADD COLUMN digest INTEGER NOT NULL DEFAULT 0 CHECK (digest IN (0, 1))',
      'CREATE INDEX notifications_digest ON notifications (user_id, created_ms, id) WHERE digest = 1',
      'CREATE INDEX notifications_created ON notifications (created_ms)',
      'ALTER TABLE mails ADD COLUMN due_ms INTEGER',
      'DROP INDEX mails_state',
      'CREATE INDEX mails_state ON mails (state, created_ms, id, due_ms)',
      `CREATE TABLE notification_choices (
        user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        choices TEXT NOT NULL,
        digest_hour INTEGER NOT NULL,
        quiet_from INTEGER,
        quiet_until INTEGER,
        updated_ms INTEGER NOT NULL
      )STRICT`,
      `CREATE TABLE notification_digests (
        user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        due_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX notification_digests_due ON notification_digests (due_ms)',
      `CREATE TABLE push_keys (
        id TEXT NOT NULL PRIMARY KEY,
        public_key TEXT NOT NULL,
        private_key TEXT NOT NULL,
        created_ms INTEGER NOT NULL
      )STRICT`,
      `CREATE TABLE push_subscriptions (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        endpoint TEXT NOT NULL UNIQUE,
        public_key TEXT NOT NULL,
        auth TEXT NOT NULL,
        device TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        reached_ms INTEGER
      )STRICT`,
      'CREATE INDEX push_subscriptions_of_user ON push_subscriptions (user_id, created_ms)',
      'CREATE INDEX push_subscriptions_of_session ON push_subscriptions (session_id)',
    ]),
};
