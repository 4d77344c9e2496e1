import { expect, setDefaultTimeout, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

setDefaultTimeout(300_000);

test.each(ENGINES)('mails of before keep everything, and their table takes what can become of them now (%s)', (kind) =>
  withMigrations(
    kind,
    (name) => name < '0057_mail_outcomes',
    async (engine) => {
      const insert = (id: string, state: string) =>
        engine.write(({ raw }) =>
          raw.run(
            `INSERT INTO mails (id, user_id, address, template, locale, subject, text, html, state, attempts, last_error, message_id, unique_key, created_ms, sent_ms)
             VALUES (?, 'u', 'a@mail.example', 'verify', 'ro', 's', 't', 'h', ?, 2, 'busy', ?, ?, 5, 6)`,
            [id, state, `<${id}>`, `key:${id}`],
          ),
        );
      await insert('m1', 'failed');
      await migrate(engine, TEST_START);
      await insert('m2', 'unknown');
      expect(await engine.read(({ raw }) => raw.all('SELECT * FROM mails ORDER BY id'))).toEqual(
        [
          ['m1', 'failed'],
          ['m2', 'unknown'],
        ].map(([id, state]) => ({
          id,
          user_id: 'u',
          address: 'a@mail.example',
          template: 'verify',
          locale: 'ro',
          subject: 's',
          text: 't',
          html: 'h',
          state,
          attempts: 2,
          last_error: 'busy',
          message_id: `<${id}>`,
          unique_key: `key:${id}`,
          created_ms: 5,
          sent_ms: 6,
          tried_ms: null,
          reply_code: null,
          bounced: 0,
          due_ms: null,
          ticket_id: null,
        })),
      );
    },
  ),
);
