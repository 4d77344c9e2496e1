import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertNew } from '#server/data/row.ts';
import type { DB, Mails } from '#server/data/schema.ts';
import type { MailRepo, MailTemplate, StoredMail } from '#server/modules/mailing/ports.ts';
import { toLocale } from '#shared/i18n/locales.ts';

const toMail = (row: Selectable<Mails>): StoredMail => ({
  id: row.id,
  userId: row.user_id,
  address: row.address,
  template: row.template as MailTemplate,
  locale: toLocale(row.locale),
  subject: row.subject,
  text: row.text,
  html: row.html,
  state: row.state,
  attempts: row.attempts,
  lastError: row.last_error,
  messageId: row.message_id,
  uniqueKey: row.unique_key,
  createdMs: row.created_ms,
  sentMs: row.sent_ms,
});

/** The outbox in the database. */
export function createMailRepo(db: Kysely<DB>, raw: Raw): MailRepo {
  return {
    add(row) {
      return insertNew(raw, 'mails', {
        id: row.id,
        user_id: row.userId,
        address: row.address,
        template: row.template,
        locale: row.locale,
        subject: row.subject,
        text: row.text,
        html: row.html,
        state: row.state,
        attempts: 0,
        last_error: null,
        message_id: row.messageId,
        unique_key: row.uniqueKey,
        created_ms: row.createdMs,
        sent_ms: null,
      });
    },
    async find(id) {
      const row = await db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toMail(row) : null;
    },
    async setState(id, state, attempts, error, sentMs) {
      await db
        .updateTable('mails')
        .set({ state, attempts, last_error: error, sent_ms: sentMs })
        .where('id', '=', id)
        .execute();
    },
    async replaceBodies(id, text, html) {
      await db.updateTable('mails').set({ text, html }).where('id', '=', id).execute();
    },
    async listOf(userId, before, limit) {
      const rows = db
        .selectFrom('mails')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      const page =
        before === null
          ? rows
          : rows.where(({ eb, refTuple, tuple }) =>
              eb(refTuple('created_ms', 'id'), '<', tuple(before.createdMs, before.id)),
            );
      return (await page.execute()).map(toMail);
    },
    async listLatest(limit) {
      const rows = await db
        .selectFrom('mails')
        .selectAll()
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toMail);
    },
  };
}
