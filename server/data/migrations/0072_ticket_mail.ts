import { define, type Migration } from './migration.ts';

/**
 * Tickets by mail (behaviour 7.3): of which ticket a mail of the outbox is; the mails that became lines of tickets,
 * each once (`key`: a hash of sender and Message-ID); how far the mailbox was read, since when it cannot be, and why.
 */
export const ticketMail: Migration = {
  name: '0072_ticket_mail',
  up: (step) =>
    define(step, [
      'ALTER TABLE mails ADD COLUMN ticket_id TEXT',
      `CREATE TABLE ticket_mails (
        key TEXT NOT NULL PRIMARY KEY CHECK (length(key) = 64),
        ticket_id TEXT NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL CHECK (seq > 0),
        message_id TEXT NOT NULL,
        received_ms INTEGER NOT NULL
      )KEYED`,
      'CREATE INDEX ticket_mails_of ON ticket_mails (ticket_id, received_ms)',
      `CREATE TABLE ticket_mailbox (
        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
        mailbox TEXT NOT NULL,
        uid_validity TEXT NOT NULL,
        last_uid INTEGER NOT NULL,
        read_ms INTEGER,
        failing_ms INTEGER,
        fault TEXT
      )STRICT`,
    ]),
};
