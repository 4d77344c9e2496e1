import { CANNED_OFFERED } from '#shared/canned-replies.ts';
import { can } from '#shared/can.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { HOUR } from '#shared/time.ts';
import { isSortable, TAGS_MAX, TAGS_OFFERED, TICKETS_COUNTED } from '#shared/tickets.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import { runEach } from '../run-each.ts';
import type { Tx } from '../tx.ts';
import { getLocked, TICKETS, type TicketsDeps } from './deps.ts';
import type { InboxQuery, InboxReader, InboxTicket } from './inbox-ports.ts';
import { placeOf } from './order.ts';
import type { TicketCursor } from './ports.ts';
import { changeTicket, listAssignable, type StaffChange } from './staff.ts';
import { toSearch } from './words.ts';

/** Tickets of a page of what was found, and lines that are read for it: together fifty rows. */
const FOUND = 20;
const FOUND_LINES = 30;
/** So many pages of what was found are read at once for one of those that a tag or a department narrows. */
const PAGES_READ = 5;

/**
 * What is asked of the inbox. `search`: a ticket's number, the whole name or address of a user, or words of texts; in
 * quotes always words. It looks in all lists, whatever `view` says; a department and a tag narrow it.
 */
interface ListQuery extends InboxQuery {
  readonly search?: string | undefined;
}
type Searched = ListQuery & { readonly search: string };
/** The same change of several tickets. */
interface BulkChange extends Omit<StaffChange, 'tags'> {
  readonly addTag?: string | undefined;
  readonly removeTag?: string | undefined;
}
export type TicketInbox = ReturnType<typeof createTicketInbox>;

/** Staff's inbox: its lists, and what is done to several tickets at once (behaviour 7.3). */
export function createTicketInbox(deps: TicketsDeps) {
  const { uow, long, clock, settings, log } = deps;
  const readerOf = (ctx: SignedIn): InboxReader => ({
    staffId: ctx.actor.userId,
    overdueMs: clock.now() - settings.current().ticket_goal_hours * HOUR,
  });

  /**
   * A page of a list, where the next one begins, how many stand in each and wait in each department (null beside what
   * was searched: a page of that reads few rows), and the tags in use. `overdueMs`: what waits since before is overdue.
   * Throws FORBIDDEN; VALIDATION_FAILED at an order that what is asked for does not have.
   */
  async function list(ctx: SignedIn, query: ListQuery, after: TicketCursor | null) {
    assertMay(ctx, 'admin.tickets.list');
    const reader = readerOf(ctx);
    const { search } = query;
    const isPlain = search === undefined && query.tag === undefined && query.userId === undefined;
    if (query.sort !== undefined && !(isPlain && isSortable(query.view))) throw fieldError('sort', 'INVALID');
    const named =
      search === undefined
        ? await uow.read((tx) => listPage(tx, reader, query, after))
        : await uow.read((tx) => findNamed(tx, reader, { ...query, search }, after));
    const page = named ?? (await findTexts(ctx, { ...query, search: search ?? '' }, after));
    const around = async (tx: Tx) => {
      const departments = [];
      for (const { id, name } of await tx.tickets.listDepartments())
        departments.push({
          id,
          name,
          count: search === undefined ? await tx.ticketInbox.countIn(id, TICKETS_COUNTED) : null,
        });
      return {
        ...page,
        counts: search === undefined ? await tx.ticketInbox.count(reader, TICKETS_COUNTED) : null,
        departments,
        staff: await listAssignable(tx),
        tags: await tx.ticketInbox.listTags(TAGS_OFFERED),
        overdueMs: reader.overdueMs,
      };
    };
    return long.read(around, { for: 'visitor' });
  }

  /** Who may not read tickets does not learn what is written in them either (attacks T59). */
  async function findTexts(
    ctx: SignedIn,
    { search, tag, departmentId }: Searched,
    after: TicketCursor | null,
  ): Promise<FoundPage> {
    if (!can(ctx.actor.permissions, 'admin.tickets.view')) return { rows: [], more: null };
    return long.read(
      async (tx) => {
        let page: FoundPage = { rows: [], more: after };
        // Few of those that are found may be of the tag or the department.
        for (let read = 0; read < PAGES_READ && page.rows.length === 0 && (read === 0 || page.more); read += 1) {
          const { rows, more } = await findWords(tx, search, page.more);
          const fits = (row: InboxTicket) =>
            (tag === undefined || row.tags.includes(tag)) &&
            (departmentId === undefined || row.departmentId === departmentId);
          page = { rows: rows.filter(fits), more };
        }
        return page;
      },
      { for: 'visitor' },
    );
  }

  /**
   * Changes several tickets, each by itself and as far as there is something to change. Out: how many were, and which
   * were refused. Throws FORBIDDEN.
   */
  async function changeMany(ctx: SignedIn, ids: readonly string[], change: BulkChange) {
    assertMay(ctx, 'admin.tickets.view');
    const { addTag, removeTag, ...rest } = change;
    return runEach(log, ids, (id) =>
      uow.run(async (tx) => {
        const ticket = await getLocked(tx, id);
        const tags = new Set(await tx.ticketInbox.tagsOf(id));
        if (addTag !== undefined) tags.add(addTag);
        if (removeTag !== undefined) tags.delete(removeTag);
        if (tags.size > TAGS_MAX) throw new DomainError('LIMIT_REACHED');
        await changeTicket(deps, tx, ctx, ticket, { ...rest, tags: [...tags] });
      }),
    );
  }

  /** Replies that staff keep at hand, in their order. Throws FORBIDDEN. */
  async function listCannedReplies(ctx: SignedIn) {
    assertMay(ctx, 'admin.tickets.view');
    return uow.read((tx) => tx.ticketInbox.listCannedReplies(CANNED_OFFERED));
  }

  return { list, changeMany, listCannedReplies };
}

/** A page of tickets, and where the next one begins. */
interface FoundPage {
  readonly rows: readonly InboxTicket[];
  readonly more: TicketCursor | null;
}

async function listPage(
  tx: Tx,
  reader: InboxReader,
  query: InboxQuery,
  after: TicketCursor | null,
): Promise<FoundPage> {
  const found = await tx.ticketInbox.list(reader, query, after, TICKETS + 1);
  const last = found.slice(0, TICKETS).at(-1);
  return {
    rows: found.slice(0, TICKETS),
    more: found.length > TICKETS && last ? { ms: placeOf(last, query.sort), id: last.id } : null,
  };
}

/** The ticket of a number, the tickets of a user who has some, or null: the search is for words. */
async function findNamed(
  tx: Tx,
  reader: InboxReader,
  { search, ...query }: Searched,
  after: TicketCursor | null,
): Promise<FoundPage | null> {
  if (search.startsWith('"')) return null;
  const number = /^#?(\d{1,12})$/.exec(search)?.[1];
  const ticket = number === undefined ? null : await tx.tickets.findByNumber(Number(number));
  if (ticket) return { rows: [{ ...ticket, tags: await tx.ticketInbox.tagsOf(ticket.id) }], more: null };
  const user = await tx.identity.findUserByLogin(search);
  if (!user) return null;
  const page = await listPage(tx, reader, { ...query, view: 'all', userId: user.id }, after);
  return page.rows.length > 0 || after ? page : null;
}

/** Tickets in whose texts the words of a search stand, whatever their list. The cursor's `ms` is a number of a ticket. */
async function findWords(tx: Tx, search: string, after: TicketCursor | null): Promise<FoundPage> {
  const asked = toSearch(search);
  if (asked.length === 0) return { rows: [], more: null };
  // The last word may be the beginning of one, where no text has it as it is.
  const whole = asked.map(({ word }) => ({ word, isBeginning: false }));
  const { numbers: known } = await tx.ticketInbox.findNumbers(whole, null, { numbers: 1, lines: 1 });
  const words = known.length > 0 ? whole : asked;
  const most = { numbers: FOUND, lines: FOUND_LINES };
  const { numbers, isEnd } = await tx.ticketInbox.findNumbers(words, after?.ms ?? null, most);
  const rows = await tx.ticketInbox.listByNumbers(numbers);
  const last = rows.at(-1);
  return { rows, more: isEnd || !last ? null : { ms: last.number, id: last.id } };
}
