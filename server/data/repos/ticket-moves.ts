import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import { docOf, wordsOfLine } from './ticket-search.ts';
import type { TicketMovesRepo } from '#server/modules/tickets/moves-ports.ts';

/** Lines that go from one ticket to another, and users who may not open tickets, in the database. */
export function createTicketMovesRepo(db: Kysely<DB>): TicketMovesRepo {
  const latest = (ticketId: string) =>
    db.selectFrom('ticket_messages').where('ticket_id', '=', ticketId).orderBy('seq', 'desc').limit(1);
  return {
    async moveLines({ from, into, firstSeq, by }) {
      await db
        .updateTable('ticket_messages')
        .set((eb) => ({ ticket_id: into.id, seq: eb('seq', '+', by) }))
        .where('ticket_id', '=', from.id)
        .where('seq', '>=', firstSeq)
        .execute();
      await db
        .updateTable('ticket_texts')
        .set((eb) => ({ doc: eb('doc', '+', docOf(into.number, by) - docOf(from.number, 0)) }))
        .where('doc', '>=', docOf(from.number, firstSeq))
        .where('doc', '<', docOf(from.number + 1, 0))
        .execute();
      await db
        .updateTable('ticket_attachments')
        .set((eb) => ({ ticket_id: into.id, seq: eb('seq', '+', by) }))
        .where('ticket_id', '=', from.id)
        .where('seq', '>=', firstSeq)
        .execute();
    },
    async addSubjectWords({ id, number, subject }) {
      const line = await db
        .selectFrom('ticket_messages')
        .select(['seq', 'text'])
        .where('ticket_id', '=', id)
        .where('seq', '=', 1)
        .executeTakeFirst();
      if (!line) return;
      await db
        .updateTable('ticket_texts')
        .set({ words: wordsOfLine(subject, line) })
        .where('doc', '=', docOf(number, line.seq))
        .execute();
    },
    async factsOf(ticketId) {
      const last = await latest(ticketId).select('seq').executeTakeFirst();
      const answer = await latest(ticketId).where('kind', '=', 'staff').select('seq').executeTakeFirst();
      const said = await latest(ticketId)
        .where('kind', 'in', ['user', 'staff'])
        .select(['kind', 'created_ms'])
        .executeTakeFirst();
      const first = await db
        .selectFrom('ticket_messages')
        .select((eb) => eb.fn.min('created_ms').as('ms'))
        .where('ticket_id', '=', ticketId)
        .where('kind', '=', 'staff')
        .executeTakeFirst();
      return {
        last: last?.seq ?? 0,
        answeredSeq: answer?.seq ?? 0,
        firstAnswerMs: first?.ms ?? null,
        updatedMs: said?.created_ms ?? null,
        updatedBy: said ? (said.kind === 'user' ? 'user' : 'staff') : null,
      };
    },
    async findBlock(userId) {
      const row = await db.selectFrom('ticket_blocks').selectAll().where('user_id', '=', userId).executeTakeFirst();
      return row ? { userId: row.user_id, reason: row.reason, byId: row.by_id, createdMs: row.created_ms } : null;
    },
    async addBlock({ userId, reason, byId, createdMs }) {
      const { numInsertedOrUpdatedRows: added } = await db
        .insertInto('ticket_blocks')
        .values({ user_id: userId, reason, by_id: byId, created_ms: createdMs })
        .onConflict((conflict) => conflict.column('user_id').doNothing())
        .executeTakeFirst();
      return added === 1n;
    },
    async removeBlock(userId) {
      const { numDeletedRows: removed } = await db
        .deleteFrom('ticket_blocks')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return removed === 1n;
    },
  };
}
