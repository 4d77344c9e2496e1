import type { CountedView, TicketSort, TicketView } from '#shared/tickets.ts';
import type { NamedTicket, TicketCursor } from './ports.ts';
import type { SearchedWord } from './words.ts';

/** What staff's inbox shows. `userId`: the tickets of one user; `tag`: those that have it, the newest first. */
export interface InboxQuery {
  readonly view: TicketView;
  readonly departmentId?: string | undefined;
  readonly userId?: string | undefined;
  readonly tag?: string | undefined;
  /** Of a whole list, or of a department in it; absent: as the list has it. */
  readonly sort?: TicketSort | undefined;
}
/** Who looks at the inbox, and since when a ticket that waits is overdue (UTC ms). */
export interface InboxReader {
  readonly staffId: string;
  readonly overdueMs: number;
}
export interface InboxTicket extends NamedTicket {
  /** In the order of letters. */
  readonly tags: readonly string[];
}
type InboxCounts = Readonly<Record<CountedView, number>>;

/** A reply that staff keep at hand; Markdown with variables. */
interface CannedReply {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export interface InboxRepo {
  /** Canned replies in use, in their order. */
  listCannedReplies(limit: number): Promise<CannedReply[]>;
  /** A list in its order; without one what waits longest is first, and of what is done with the newest. */
  list(reader: InboxReader, query: InboxQuery, after: TicketCursor | null, limit: number): Promise<InboxTicket[]>;
  /** How many tickets stand in each list, counted up to a bound. */
  count(reader: InboxReader, most: number): Promise<InboxCounts>;
  /** How many tickets of a department wait for staff, counted up to a bound. */
  countIn(departmentId: string, most: number): Promise<number>;
  /**
   * Numbers of the tickets in which all of some words were written in one message or note (the first has the subject as
   * well), the newest tickets first. In: the words (at least one), below which number, and how many tickets are wanted
   * and lines may be read. Out: with whether there are no others.
   */
  findNumbers(
    search: readonly SearchedWord[],
    beforeNumber: number | null,
    most: { readonly numbers: number; readonly lines: number },
  ): Promise<{ readonly numbers: readonly number[]; readonly isEnd: boolean }>;
  /** Tickets by their numbers, the newest first. */
  listByNumbers(numbers: readonly number[]): Promise<InboxTicket[]>;
  /** Tags in use, in the order of letters. */
  listTags(limit: number): Promise<string[]>;
  /** Tags of a ticket, in the order of letters. */
  tagsOf(ticketId: string): Promise<string[]>;
  replaceTags(ticketId: string, tags: readonly string[]): Promise<void>;
}
