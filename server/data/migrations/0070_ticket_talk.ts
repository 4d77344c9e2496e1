import { define, type Migration } from './migration.ts';

/**
 * What belongs to the conversation of a ticket (behaviour 7.3). `rating`: what its user thought of it in the end, 1 to
 * 5; `staff_seq`: the last line that any of staff has read; `merged_into`: the ticket that has its lines now. A file of
 * a message has no ticket until the message is sent, and none any more when the ticket is gone: then it is deleted.
 */
export const ticketTalk: Migration = {
  name: '0070_ticket_talk',
  up: (step) =>
    define(step, [
      'ALTER TABLE tickets ADD COLUMN rating INTEGER CHECK (rating BETWEEN 1 AND 5)',
      "ALTER TABLE tickets ADD COLUMN rating_text TEXT NOT NULL DEFAULT ''",
      'ALTER TABLE tickets ADD COLUMN rated_ms INTEGER',
      'ALTER TABLE tickets ADD COLUMN staff_seq INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE tickets ADD COLUMN merged_into TEXT',
      `CREATE TABLE ticket_attachments (
        id TEXT NOT NULL PRIMARY KEY,
        author_id TEXT NOT NULL,
        ticket_id TEXT REFERENCES tickets (id) ON DELETE SET NULL,
        seq INTEGER,
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        bytes INTEGER NOT NULL CHECK (bytes > 0),
        width INTEGER,
        height INTEGER,
        created_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX ticket_attachments_of_line ON ticket_attachments (ticket_id, seq)',
      'CREATE INDEX ticket_attachments_of_author ON ticket_attachments (author_id, ticket_id, bytes)',
      'CREATE INDEX ticket_attachments_unsent ON ticket_attachments (created_ms) WHERE ticket_id IS NULL',
      `CREATE TABLE ticket_blocks (
        user_id TEXT NOT NULL PRIMARY KEY,
        reason TEXT NOT NULL,
        by_id TEXT,
        created_ms INTEGER NOT NULL
      )STRICT`,
    ]),
};
