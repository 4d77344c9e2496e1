import { define, oneOf, type Migration } from './migration.ts';

const KIND = oneOf('kind', ['news', 'offers']);

/**
 * The host's own mails, what was sent of them to whom, and who wants none of a kind. `contents`: JSON, by language;
 * `audience`: JSON; `last_user_id`: the user that the next ones follow.
 */
export const ownMails: Migration = {
  name: '0058_own_mails',
  up: (step) =>
    define(step, [
      `CREATE TABLE own_mails (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        ${KIND},
        link TEXT NOT NULL,
        contents TEXT NOT NULL,
        revision INTEGER NOT NULL CHECK (revision > 0),
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        updated_by TEXT
      )STRICT`,
      `CREATE TABLE mail_campaigns (
        id TEXT NOT NULL PRIMARY KEY,
        mail_id TEXT NOT NULL,
        name TEXT NOT NULL,
        ${KIND},
        link TEXT NOT NULL,
        contents TEXT NOT NULL,
        audience TEXT NOT NULL,
        ${oneOf('state', ['sending', 'done', 'cancelled'])},
        last_user_id TEXT NOT NULL,
        total INTEGER NOT NULL,
        written INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        created_by TEXT,
        ended_ms INTEGER
      )STRICT`,
      'CREATE INDEX mail_campaigns_mail ON mail_campaigns (mail_id, created_ms)',
      // One at a time of each mail.
      "CREATE UNIQUE INDEX mail_campaigns_sending ON mail_campaigns (mail_id) WHERE state = 'sending'",
      `CREATE TABLE mail_opt_outs (
        user_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        PRIMARY KEY (user_id, kind)
      )KEYED`,
    ]),
};
