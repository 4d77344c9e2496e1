import { define, type Migration } from './migration.ts';

/** What hosts write in the place of the product's own mails: one row a mail and language, `blocks` as JSON. */
export const mailTexts: Migration = {
  name: '0058_mail_texts',
  up: (step) =>
    define(step, [
      `CREATE TABLE mail_texts (
        template TEXT NOT NULL,
        locale TEXT NOT NULL,
        subject TEXT NOT NULL,
        blocks TEXT NOT NULL,
        revision INTEGER NOT NULL CHECK (revision > 0),
        updated_ms INTEGER NOT NULL,
        updated_by TEXT,
        PRIMARY KEY (template, locale)
      )KEYED`,
    ]),
};
