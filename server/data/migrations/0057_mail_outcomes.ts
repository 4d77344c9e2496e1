import { bit, define, oneOf, type Migration } from './migration.ts';

const COLUMNS =
  'id, user_id, address, template, locale, subject, text, html, state, attempts, last_error, message_id, unique_key, created_ms, sent_ms';

/**
 * What can become of a mail: while it is handed over it is `sending`, and where the server's answer was lost it is
 * `unknown`, so that nobody gets it twice; staff may cancel one that waits. When it was tried last, for the rate; the
 * server's reply, and whether it refused the address.
 */
export const mailOutcomes: Migration = {
  name: '0057_mail_outcomes',
  async up(step) {
    await define(step, [
      `CREATE TABLE mails_new (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT,
        address TEXT NOT NULL,
        template TEXT NOT NULL,
        locale TEXT NOT NULL,
        subject TEXT NOT NULL,
        text TEXT NOT NULL,
        html TEXT NOT NULL,
        ${oneOf('state', ['queued', 'sending', 'sent', 'unknown', 'failed', 'cancelled', 'kept'])},
        attempts INTEGER NOT NULL CHECK (attempts >= 0),
        last_error TEXT,
        message_id TEXT NOT NULL UNIQUE,
        unique_key TEXT UNIQUE,
        created_ms INTEGER NOT NULL,
        sent_ms INTEGER,
        tried_ms INTEGER,
        reply_code INTEGER,
        ${bit('bounced')} DEFAULT 0
      )STRICT`,
      `INSERT INTO mails_new (${COLUMNS}, bounced) SELECT ${COLUMNS}, 0 FROM mails`,
      'DROP TABLE mails',
      'ALTER TABLE mails_new RENAME TO mails',
      'CREATE INDEX mails_created ON mails (created_ms, id)',
      'CREATE INDEX mails_user ON mails (user_id, created_ms, id)',
      'CREATE INDEX mails_state ON mails (state, created_ms, id)',
      'CREATE INDEX mails_template ON mails (template, created_ms, id)',
      'CREATE INDEX mails_address ON mails (address, created_ms, id)',
      'CREATE INDEX mails_tried ON mails (tried_ms)',
    ]);
  },
};
