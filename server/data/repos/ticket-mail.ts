import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow, insertNew } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { MailboxFaultCode, TicketMailRepo } from '#server/modules/ticket-mail/ports.ts';

/** Mails that became lines of tickets, and how far the mailbox was read. */
export function createTicketMailRepo(db: Kysely<DB>, raw: Raw): TicketMailRepo {
  return {
    add: ({ key, ticketId, seq, messageId, receivedMs }) =>
      insertNew(raw, 'ticket_mails', {
        key,
        ticket_id: ticketId,
        seq,
        message_id: messageId,
        received_ms: receivedMs,
      }),
    isKnown: async (key) => (await findRow(raw, 'ticket_mails', { key })) !== undefined,
    async countSince(ticketId, sinceMs) {
      const { n } = await db
        .selectFrom('ticket_mails')
        .select((is) => is.fn.countAll<number>().as('n'))
        .where('ticket_id', '=', ticketId)
        .where('received_ms', '>', sinceMs)
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    async lastMessageId(ticketId) {
      const row = await db
        .selectFrom('ticket_mails')
        .select('message_id')
        .where('ticket_id', '=', ticketId)
        .where('message_id', '<>', '')
        .orderBy('received_ms', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.message_id ?? null;
    },
    async findMailbox() {
      const row = await findRow(raw, 'ticket_mailbox', { id: 1 });
      if (!row) return null;
      return {
        mailbox: row.mailbox,
        uidValidity: row.uid_validity,
        lastUid: row.last_uid,
        readMs: row.read_ms,
        failingMs: row.failing_ms,
        fault: row.fault as MailboxFaultCode | null,
      };
    },
    async putMailbox({ mailbox, uidValidity, lastUid, readMs, failingMs, fault }) {
      const state = {
        mailbox,
        uid_validity: uidValidity,
        last_uid: lastUid,
        read_ms: readMs,
        failing_ms: failingMs,
        fault,
      };
      await db
        .insertInto('ticket_mailbox')
        .values({ id: 1, ...state })
        .onConflict((on) => on.column('id').doUpdateSet(state))
        .execute();
    },
  };
}
