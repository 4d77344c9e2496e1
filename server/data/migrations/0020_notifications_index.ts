import { define, type Migration } from './migration.ts';

/**
 * One index that answers both what is new and how much is unread: every command that tells somebody writes to each of
 * them.
 */
export const notificationsIndex: Migration = {
  name: '0020_notifications_index',
  up: (step) =>
    define(step, [
      'DROP INDEX notifications_user',
      'DROP INDEX notifications_unread',
      'CREATE INDEX notifications_of_user ON notifications (user_id, created_ms, id, read_ms)',
    ]),
};
