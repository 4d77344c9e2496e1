import type { Selectable } from 'kysely';
import { alongIndex, type Param, type Raw } from '#server/data/raw.ts';
import { insertRow, lockRow, updateRow } from '#server/data/row.ts';
import type { Tickets } from '#server/data/schema.ts';
import type { LineKind, NamedTicket, TicketChange, TicketRow, TicketsRepo } from '#server/modules/tickets/ports.ts';
import type { TicketPriority, TicketStatus } from '#shared/tickets.ts';
import { LISTS } from './ticket-lists.ts';
import { addLineWords } from './ticket-search.ts';

type Stored = Selectable<Tickets>;
export type Named = Stored & Record<'username' | 'department' | 'server' | 'assignee', string | null>;

const toTicket = (row: Stored): TicketRow => ({
  id: row.id,
  number: row.number,
  userId: row.user_id,
  departmentId: row.department_id,
  subject: row.subject,
  priority: row.priority as TicketPriority,
  status: row.status as TicketStatus,
  serverId: row.server_id,
  assigneeId: row.assignee_id,
  messages: row.messages,
  answeredSeq: row.answered_seq,
  readSeq: row.read_seq,
  createdMs: row.created_ms,
  sinceMs: row.since_ms,
  updatedMs: row.updated_ms,
  firstAnswerMs: row.first_answer_ms,
  closedMs: row.closed_ms,
  rating: row.rating,
  ratingText: row.rating_text,
  ratedMs: row.rated_ms,
  staffSeq: row.staff_seq,
  mergedInto: row.merged_into,
});
export const toNamed = (row: Named): NamedTicket => ({
  ...toTicket(row),
  username: row.username,
  department: row.department,
  server: row.server,
  assignee: row.assignee,
});

const COLUMNS: Readonly<Record<keyof TicketChange, keyof Stored>> = {
  departmentId: 'department_id',
  priority: 'priority',
  status: 'status',
  assigneeId: 'assignee_id',
  messages: 'messages',
  answeredSeq: 'answered_seq',
  readSeq: 'read_seq',
  sinceMs: 'since_ms',
  updatedMs: 'updated_ms',
  firstAnswerMs: 'first_answer_ms',
  closedMs: 'closed_ms',
  rating: 'rating',
  ratingText: 'rating_text',
  ratedMs: 'rated_ms',
  staffSeq: 'staff_seq',
  mergedInto: 'merged_into',
};

/** The tickets that a statement names `t`, with the names they refer to. */
export const NAMED = `SELECT t.*, u.username, d.name AS department, s.name AS server, a.username AS assignee`;
export const NAMES = `LEFT JOIN users u ON u.id = t.user_id LEFT JOIN departments d ON d.id = t.department_id
  LEFT JOIN servers s ON s.id = t.server_id LEFT JOIN users a ON a.id = t.assignee_id`;

/** The latest tickets of a user, among which the unread ones are counted. */
const UNREAD_AMONG = 25;

/** Tickets and their lines in the database. */
export function createTicketsRepo(raw: Raw): TicketsRepo {
  return { ...ticketsPart(raw), ...linesPart(raw), ...userPart(raw), ...silentPart(raw), ...figuresPart(raw) };
}

type Single = 'takeNumber' | 'add' | 'lock' | 'find' | 'findByNumber' | 'update';
function ticketsPart(raw: Raw): Pick<TicketsRepo, Single> {
  const named = async (condition: string, value: Param): Promise<NamedTicket | null> => {
    const row = await raw.one<Named>(`${NAMED} FROM tickets t ${NAMES} WHERE ${condition}`, [value]);
    return row ? toNamed(row) : null;
  };
  return {
    async takeNumber() {
      const row = await raw.one<{ last: number }>(
        'UPDATE ticket_counter SET last = last + 1 WHERE id = 1 RETURNING last',
      );
      if (!row) throw new Error('the counter of tickets has no row');
      return row.last;
    },
    add: (ticket) =>
      insertRow(raw, 'tickets', {
        id: ticket.id,
        number: ticket.number,
        user_id: ticket.userId,
        department_id: ticket.departmentId,
        subject: ticket.subject,
        priority: ticket.priority,
        status: ticket.status,
        server_id: ticket.serverId,
        assignee_id: ticket.assigneeId,
        messages: ticket.messages,
        answered_seq: ticket.answeredSeq,
        read_seq: ticket.readSeq,
        created_ms: ticket.createdMs,
        since_ms: ticket.sinceMs,
        updated_ms: ticket.updatedMs,
        first_answer_ms: ticket.firstAnswerMs,
        closed_ms: ticket.closedMs,
        rating: ticket.rating,
        rating_text: ticket.ratingText,
        rated_ms: ticket.ratedMs,
        staff_seq: ticket.staffSeq,
        merged_into: ticket.mergedInto,
      }),
    async lock(id) {
      const row = await lockRow(raw, 'tickets', { id });
      return row ? toTicket(row) : null;
    },
    find: (id) => named('t.id = ?', id),
    findByNumber: (number) => named('t.number = ?', number),
    async update(id, change) {
      const columns = Object.entries(change).map(([name, value]) => [COLUMNS[name as keyof TicketChange], value]);
      if (columns.length > 0) await updateRow(raw, 'tickets', Object.fromEntries(columns), { id });
    },
  };
}

function linesPart(raw: Raw): Pick<TicketsRepo, 'addLine' | 'listLines'> {
  return {
    async addLine(ticketId, { id, seq, kind, authorId, text, createdMs }) {
      await insertRow(raw, 'ticket_messages', {
        id,
        ticket_id: ticketId,
        seq,
        kind,
        author_id: authorId,
        text,
        created_ms: createdMs,
      });
      if (kind !== 'event') await addLineWords(raw, ticketId, { id, seq, text });
    },
    async listLines(ticketId, { withNotes, before, limit }) {
      const rows = await raw.all<{
        id: string;
        seq: number;
        kind: string;
        author_id: string | null;
        author: string | null;
        text: string;
        created_ms: number;
      }>(
        `SELECT m.id, m.seq, m.kind, m.author_id, u.username AS author, m.text, m.created_ms
         FROM ticket_messages m LEFT JOIN users u ON u.id = m.author_id
         WHERE m.ticket_id = ?${before === null ? '' : ' AND m.seq < ?'}${withNotes ? '' : " AND m.kind <> 'note'"}
         ORDER BY m.seq DESC LIMIT ?`,
        [ticketId, ...(before === null ? [] : [before]), limit],
      );
      return rows.map(({ author_id: authorId, created_ms: createdMs, kind, ...row }) => ({
        ...row,
        kind: kind as LineKind,
        authorId,
        createdMs,
      }));
    },
  };
}

/** How many rows a statement finds, counted up to a bound where it has one. */
export async function countRows(raw: Raw, sql: string, params: readonly Param[]): Promise<number> {
  return Number((await raw.one<{ n: number }>(`SELECT COUNT(*) AS n FROM (${sql}) AS found`, params))?.n ?? 0);
}

function userPart(raw: Raw): Pick<TicketsRepo, 'countOpen' | 'countUnread' | 'listOfUser' | 'countOfUser'> {
  return {
    countOpen: (userId) =>
      countRows(raw, "SELECT 1 AS one FROM tickets WHERE user_id = ? AND status <> 'closed'", [userId]),
    countUnread: (userId) =>
      countRows(
        raw,
        `SELECT 1 AS one FROM (
           SELECT answered_seq, read_seq FROM tickets${alongIndex(raw, 'tickets_of_user')}
           WHERE user_id = ? ORDER BY updated_ms DESC, id DESC LIMIT ?) AS latest
         WHERE answered_seq > read_seq`,
        [userId, UNREAD_AMONG],
      ),
    countOfUser: (userId) => countRows(raw, 'SELECT 1 AS one FROM tickets WHERE user_id = ? LIMIT 1000', [userId]),
    async listOfUser(userId, before, limit, share) {
      // Few are open at a time, so few are passed over among the closed ones.
      const index = share === 'open' ? 'tickets_open_of_user' : 'tickets_of_user';
      const where = { open: "AND t.status <> 'closed'", closed: "AND t.status = 'closed'" };
      const rows = await raw.all<Named>(
        `${NAMED} FROM tickets t${alongIndex(raw, index)} ${NAMES} WHERE t.user_id = ? ${share ? where[share] : ''}
         ${before ? 'AND (t.updated_ms, t.id) < (?, ?)' : ''} ORDER BY t.updated_ms DESC, t.id DESC LIMIT ?`,
        [userId, ...(before ? [before.ms, before.id] : []), limit],
      );
      return rows.map(toNamed);
    },
  };
}

function silentPart(raw: Raw): Pick<TicketsRepo, 'listSilent'> {
  return {
    async listSilent(beforeMs, limit) {
      const rows = await raw.all<{ id: string }>(
        `SELECT id FROM tickets${alongIndex(raw, 'tickets_waiting')} WHERE ${LISTS.waiting.where} AND since_ms <= ?
         ORDER BY since_ms, id LIMIT ?`,
        [beforeMs, limit],
      );
      return rows.map(({ id }) => id);
    },
  };
}

type Figures = 'listDepartments' | 'findDepartment' | 'listAnswerTimes' | 'waiting' | 'closedSince';
function figuresPart(raw: Raw): Pick<TicketsRepo, Figures> {
  const departments = 'SELECT id, name, description, hours FROM departments WHERE enabled = 1';
  return {
    listDepartments: () => raw.all(`${departments} ORDER BY position, name`),
    findDepartment: async (id) => (await raw.one(`${departments} AND id = ?`, [id])) ?? null,
    async listAnswerTimes(departmentId, limit) {
      const rows = await raw.all<{ ms: number }>(
        `SELECT first_answer_ms - created_ms AS ms FROM tickets${alongIndex(raw, 'tickets_answered_in')}
         WHERE department_id = ? AND first_answer_ms IS NOT NULL ORDER BY created_ms DESC LIMIT ?`,
        [departmentId, limit],
      );
      return rows.map(({ ms }) => ms);
    },
    async waiting(most) {
      const count = ({ where, index }: (typeof LISTS)['inbox']) =>
        countRows(raw, `SELECT 1 AS one FROM tickets${alongIndex(raw, index)} WHERE ${where} LIMIT ?`, [most]);
      const oldest = await raw.one<{ since_ms: number }>(
        `SELECT since_ms FROM tickets${alongIndex(raw, LISTS.inbox.index)} WHERE ${LISTS.inbox.where}
         ORDER BY since_ms, id LIMIT 1`,
      );
      return {
        count: await count(LISTS.inbox),
        sinceMs: oldest?.since_ms ?? null,
        unassigned: await count(LISTS.unassigned),
      };
    },
    async closedSince(sinceMs, limit) {
      const rows = await raw.all<{ ms: number | null }>(
        `SELECT first_answer_ms - created_ms AS ms FROM tickets${alongIndex(raw, 'tickets_closed')}
         WHERE ${LISTS.closed.where} AND since_ms >= ? ORDER BY since_ms DESC LIMIT ?`,
        [sinceMs, limit],
      );
      return { count: rows.length, answerTimes: rows.flatMap(({ ms }) => (ms === null ? [] : [ms])) };
    },
  };
}
