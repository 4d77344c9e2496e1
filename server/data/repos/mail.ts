import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertNew } from '#server/data/row.ts';
import type { DB, Mails } from '#server/data/schema.ts';
import type { MailCursor, MailOrigin, MailRepo, StoredMail } from '#server/modules/mailing/ports.ts';
import { toLocale } from '#shared/i18n/locales.ts';
import type { MailState } from '#shared/mails.ts';
import { createOutboxQuestions } from './outbox.ts';

const toMail = (row: Selectable<Mails>): StoredMail => ({
  id: row.id,
  userId: row.user_id,
  address: row.address,
  template: row.template as MailOrigin,
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
  triedMs: row.tried_ms,
  replyCode: row.reply_code,
  bounced: row.bounced === 1,
  ticketId: row.ticket_id,
});

/** The outbox in the database. */
export function createMailRepo(db: Kysely<DB>, raw: Raw): MailRepo {
  async function move(id: string, from: readonly MailState[], to: MailState): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('mails')
      .set({ state: to })
      .where('id', '=', id)
      .where('state', 'in', [...from])
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }
  return {
    async purge(beforeMs, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('mails')
        .where('id', 'in', (from) =>
          from
            .selectFrom('mails')
            .select('id')
            .where('created_ms', '<', beforeMs)
            .where('state', 'not in', ['queued', 'sending'])
            .orderBy('created_ms')
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
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
        tried_ms: null,
        reply_code: null,
        bounced: 0,
        due_ms: row.dueMs,
        ticket_id: row.ticketId,
      });
    },
    async find(id) {
      const row = await db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toMail(row) : null;
    },
    async beginTry(id, nowMs, { sinceMs, most }) {
      const { n } = await db
        .selectFrom('mails')
        .select((is) => is.fn.countAll<number>().as('n'))
        .where('tried_ms', '>', sinceMs)
        .executeTakeFirstOrThrow();
      if (Number(n) >= most) return false;
      await db.updateTable('mails').set({ tried_ms: nowMs }).where('id', '=', id).execute();
      return true;
    },
    beginHandOver: (id) => move(id, ['queued'], 'sending'),
    move,
    async setFate(id, { state, attempts, error, sentMs, replyCode, bounced }) {
      await db
        .updateTable('mails')
        .set({
          state,
          attempts,
          last_error: error,
          sent_ms: sentMs,
          reply_code: replyCode,
          bounced: bounced ? 1 : 0,
        })
        .where('id', '=', id)
        .where('state', 'in', ['queued', 'sending', 'unknown'])
        .execute();
    },
    async replaceBodies(id, text, html) {
      await db.updateTable('mails').set({ text, html }).where('id', '=', id).execute();
    },
    ...outboxLists(db, raw),
  };
}

/** The mails of the outbox, in lists and counted. */
function outboxLists(
  db: Kysely<DB>,
  raw: Raw,
): Pick<MailRepo, 'listOf' | 'listLatest' | 'listOutbox' | 'count' | 'oldest'> {
  const outbox = createOutboxQuestions(raw);
  const newest = (before: MailCursor | null, limit: number) => {
    const rows = db.selectFrom('mails').selectAll().orderBy('created_ms', 'desc').orderBy('id', 'desc').limit(limit);
    return before === null
      ? rows
      : rows.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_ms', 'id'), '<', tuple(before.createdMs, before.id)),
        );
  };
  return {
    listOf: async (userId, before, limit) =>
      (await newest(before, limit).where('user_id', '=', userId).execute()).map(toMail),
    listLatest: async (limit) => (await newest(null, limit).execute()).map(toMail),
    listOutbox: async (query, before, limit) => (await outbox.list(query, before, limit)).map(toMail),
    async count(state, sinceMs) {
      const { n } = await db
        .selectFrom('mails')
        .select((is) => is.fn.countAll<number>().as('n'))
        .where('state', '=', state)
        .where('created_ms', '>=', sinceMs)
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    async oldest(state, sinceMs, nowMs) {
      const row = await db
        .selectFrom('mails')
        .select('created_ms')
        .where('state', '=', state)
        .where('created_ms', '>=', sinceMs)
        .where((is) => is.or([is('due_ms', 'is', null), is('due_ms', '<=', nowMs)]))
        .orderBy('created_ms')
        .limit(1)
        .executeTakeFirst();
      return row?.created_ms ?? null;
    },
  };
}
