import type { Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertRow } from '#server/data/row.ts';
import type { TicketAttachments } from '#server/data/schema.ts';
import type { Attachment, AttachmentsRepo } from '#server/modules/tickets/attachment-ports.ts';
import type { LineKind } from '#server/modules/tickets/ports.ts';

type Stored = Selectable<TicketAttachments>;

const toAttachment = (row: Stored): Attachment => ({
  id: row.id,
  authorId: row.author_id,
  name: row.name,
  type: row.type,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
  createdMs: row.created_ms,
});

const marks = (values: readonly string[]): string => values.map(() => '?').join(', ');

/** What files of messages are, in the database; their bytes lie elsewhere. */
export function createAttachmentsRepo(raw: Raw): AttachmentsRepo {
  return {
    add: ({ id, authorId, name, type, bytes, width, height, createdMs }) =>
      insertRow(raw, 'ticket_attachments', {
        id,
        author_id: authorId,
        ticket_id: null,
        seq: null,
        name,
        type,
        bytes,
        width,
        height,
        created_ms: createdMs,
      }),
    async find(id) {
      const row = await raw.one<Stored & { owner_id: string | null; kind: LineKind | null }>(
        `SELECT a.*, t.user_id AS owner_id, m.kind FROM ticket_attachments a
         LEFT JOIN tickets t ON t.id = a.ticket_id
         LEFT JOIN ticket_messages m ON m.ticket_id = a.ticket_id AND m.seq = a.seq
         WHERE a.id = ?`,
        [id],
      );
      return row ? { ...toAttachment(row), ownerId: row.owner_id, kind: row.kind } : null;
    },
    async bind(ids, { authorId, ticketId, seq }) {
      if (ids.length === 0) return 0;
      const { changes } = await raw.run(
        `UPDATE ticket_attachments SET ticket_id = ?, seq = ?
         WHERE id IN (${marks(ids)}) AND author_id = ? AND ticket_id IS NULL`,
        [ticketId, seq, ...ids, authorId],
      );
      return changes;
    },
    async listOfLines(ticketId, from, to) {
      const rows = await raw.all<Stored & { seq: number }>(
        'SELECT * FROM ticket_attachments WHERE ticket_id = ? AND seq BETWEEN ? AND ? ORDER BY seq, created_ms, id',
        [ticketId, from, to],
      );
      return rows.map((row) => ({ ...toAttachment(row), seq: row.seq }));
    },
    async usedBytes(authorId) {
      const row = await raw.one<{ bytes: number | null }>(
        'SELECT CAST(SUM(bytes) AS BIGINT) AS bytes FROM ticket_attachments WHERE author_id = ?',
        [authorId],
      );
      return Number(row?.bytes ?? 0);
    },
    async expireUnsent(authorId, keep) {
      await raw.run(
        `UPDATE ticket_attachments SET created_ms = 0 WHERE author_id = ? AND ticket_id IS NULL AND id NOT IN
           (SELECT id FROM ticket_attachments WHERE author_id = ? AND ticket_id IS NULL
            ORDER BY created_ms DESC, id DESC LIMIT ?)`,
        [authorId, authorId, keep],
      );
    },
    async takeUnsent(beforeMs, limit) {
      const rows = await raw.all<{ id: string }>(
        `UPDATE ticket_attachments SET author_id = '', created_ms = 0 WHERE ticket_id IS NULL AND id IN
           (SELECT id FROM ticket_attachments WHERE ticket_id IS NULL AND created_ms <= ? ORDER BY created_ms LIMIT ?)
         RETURNING id`,
        [beforeMs, limit],
      );
      return rows.map(({ id }) => id);
    },
    async remove(ids) {
      if (ids.length > 0) await raw.run(`DELETE FROM ticket_attachments WHERE id IN (${marks(ids)})`, [...ids]);
    },
  };
}
