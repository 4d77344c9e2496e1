import { alongIndex, joinInOrder, type Param, type Raw } from '#server/data/raw.ts';
import type { InboxQuery, InboxReader, InboxRepo, InboxTicket } from '#server/modules/tickets/inbox-ports.ts';
import type { TicketCursor } from '#server/modules/tickets/ports.ts';
import { PRIORITY_PLACE } from '#server/modules/tickets/order.ts';
import { PRIORITY_SORTED, type CountedView } from '#shared/tickets.ts';
import { LISTS } from './ticket-lists.ts';
import { searchPart } from './ticket-search.ts';
import { countRows, NAMED, NAMES, toNamed, type Named } from './tickets.ts';

interface Asked {
  readonly sql: string;
  readonly params: readonly Param[];
}

/** Staff's inbox in the database. */
export function createTicketInboxRepo(raw: Raw): InboxRepo {
  return { ...listsPart(raw), ...countsPart(raw), ...tagsPart(raw), ...cannedPart(raw), ...searchPart(raw) };
}

/** What a list's own condition asks for. */
function listParams(view: InboxQuery['view'], { staffId, overdueMs }: InboxReader): readonly Param[] {
  if (view === 'mine') return [staffId];
  return view === 'overdue' ? [overdueMs] : [];
}

function listStatement(raw: Raw, reader: InboxReader, query: InboxQuery, after: TicketCursor | null): Asked {
  const { view, departmentId, userId, tag, sort } = query;
  const { where, index, indexIn } = LISTS[view];
  const newestFirst = sort === 'newest' || LISTS[view].newestFirst;
  const along = userId !== undefined ? 'tickets_of_user' : departmentId !== undefined ? indexIn : index;
  const conditions = [where];
  const params = [...listParams(view, reader)];
  if (departmentId !== undefined) {
    conditions.push('department_id = ?');
    params.push(departmentId);
  }
  if (userId !== undefined) {
    conditions.push('user_id = ?');
    params.push(userId);
  }
  if (tag !== undefined) {
    conditions.push('EXISTS (SELECT 1 FROM ticket_tags WHERE ticket_id = tickets.id AND tag = ?)');
    params.push(tag);
  }
  if (sort === 'priority')
    return byPriority(`tickets${alongIndex(raw, along)} WHERE ${conditions.join(' AND ')}`, params, after);
  if (after) {
    conditions.push(`(since_ms, id) ${newestFirst ? '<' : '>'} (?, ?)`);
    params.push(after.ms, after.id);
  }
  const direction = newestFirst ? 'DESC' : 'ASC';
  return {
    sql: `${NAMED} FROM (
        SELECT * FROM tickets${alongIndex(raw, along)} WHERE ${conditions.join(' AND ')}
        ORDER BY since_ms ${direction}, id ${direction} LIMIT ?
      ) AS t ${NAMES} ORDER BY t.since_ms ${direction}, t.id ${direction}`,
    params,
  };
}

/** The most pressing of the tickets of a list; no index has that order, so those that have waited longest are sorted. */
function byPriority(list: string, params: readonly Param[], after: TicketCursor | null): Asked {
  return {
    sql: `${NAMED} FROM (
        SELECT * FROM (SELECT *, ${PRIORITY_PLACE} AS place FROM ${list} ORDER BY since_ms, id LIMIT ${PRIORITY_SORTED})
          AS pressing ${after ? 'WHERE (place, id) > (?, ?)' : ''} ORDER BY place, id LIMIT ?
      ) AS t ${NAMES} ORDER BY t.place, t.id`,
    params: [...params, ...(after ? [after.ms, after.id] : [])],
  };
}

/** Tickets of a tag in whatever list; their ids are in the order of time. */
function tagStatement(raw: Raw, tag: string, after: TicketCursor | null): Asked {
  return {
    sql: `${NAMED} FROM (SELECT ticket_id FROM ticket_tags${alongIndex(raw, 'ticket_tags_by_tag')}
        WHERE tag = ?${after ? ' AND ticket_id < ?' : ''} ORDER BY ticket_id DESC LIMIT ?) AS g
      ${joinInOrder(raw)} tickets t ON t.id = g.ticket_id ${NAMES} ORDER BY g.ticket_id DESC`,
    params: [tag, ...(after ? [after.id] : [])],
  };
}

async function withTags(raw: Raw, rows: readonly Named[]): Promise<InboxTicket[]> {
  if (rows.length === 0) return [];
  const found = await raw.all<{ ticket_id: string; tag: string }>(
    `SELECT ticket_id, tag FROM ticket_tags WHERE ticket_id IN (${rows.map(() => '?').join(', ')}) ORDER BY tag`,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...toNamed(row),
    tags: found.filter(({ ticket_id: id }) => id === row.id).map(({ tag }) => tag),
  }));
}

function listsPart(raw: Raw): Pick<InboxRepo, 'list' | 'listByNumbers'> {
  return {
    async list(reader, query, after, limit) {
      const { sql, params } =
        query.tag === undefined || query.userId !== undefined
          ? listStatement(raw, reader, query, after)
          : tagStatement(raw, query.tag, after);
      return withTags(raw, await raw.all<Named>(sql, [...params, limit]));
    },
    async listByNumbers(numbers) {
      if (numbers.length === 0) return [];
      const rows = await raw.all<Named>(
        `${NAMED} FROM tickets t ${NAMES} WHERE t.number IN (${numbers.map(() => '?').join(', ')}) ORDER BY t.number DESC`,
        numbers,
      );
      return withTags(raw, rows);
    },
  };
}

function countsPart(raw: Raw): Pick<InboxRepo, 'count' | 'countIn'> {
  return {
    async count(reader, most) {
      const count = (view: CountedView) => {
        const { where, index } = LISTS[view];
        return countRows(raw, `SELECT 1 AS one FROM tickets${alongIndex(raw, index)} WHERE ${where} LIMIT ?`, [
          ...listParams(view, reader),
          most,
        ]);
      };
      return {
        inbox: await count('inbox'),
        overdue: await count('overdue'),
        mine: await count('mine'),
        unassigned: await count('unassigned'),
        waiting: await count('waiting'),
        on_hold: await count('on_hold'),
      };
    },
    countIn: (departmentId, most) =>
      countRows(
        raw,
        `SELECT 1 AS one FROM tickets${alongIndex(raw, LISTS.inbox.indexIn)}
         WHERE ${LISTS.inbox.where} AND department_id = ? LIMIT ?`,
        [departmentId, most],
      ),
  };
}

function tagsPart(raw: Raw): Pick<InboxRepo, 'listTags' | 'tagsOf' | 'replaceTags'> {
  return {
    async listTags(limit) {
      // From one tag to the next along the index: never all the rows of a tag.
      const rows = await raw.all<{ tag: string }>(
        `WITH RECURSIVE each_tag (tag, n) AS (
           SELECT MIN(tag), 1 FROM ticket_tags
           UNION ALL
           SELECT (SELECT MIN(tag) FROM ticket_tags WHERE tag > each_tag.tag), n + 1
           FROM each_tag WHERE each_tag.tag IS NOT NULL AND n < ?
         ) SELECT tag FROM each_tag WHERE tag IS NOT NULL ORDER BY tag`,
        [limit],
      );
      return rows.map(({ tag }) => tag);
    },
    async tagsOf(ticketId) {
      const rows = await raw.all<{ tag: string }>('SELECT tag FROM ticket_tags WHERE ticket_id = ? ORDER BY tag', [
        ticketId,
      ]);
      return rows.map(({ tag }) => tag);
    },
    async replaceTags(ticketId, tags) {
      await raw.run('DELETE FROM ticket_tags WHERE ticket_id = ?', [ticketId]);
      for (const tag of tags) await raw.run('INSERT INTO ticket_tags (ticket_id, tag) VALUES (?, ?)', [ticketId, tag]);
    },
  };
}

function cannedPart(raw: Raw): Pick<InboxRepo, 'listCannedReplies'> {
  return {
    listCannedReplies: (limit) =>
      raw.all('SELECT id, name, text FROM canned_replies WHERE enabled = 1 ORDER BY position, name LIMIT ?', [limit]),
  };
}
