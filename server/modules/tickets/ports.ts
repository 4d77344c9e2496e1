import type { TicketPriority, TicketShare, TicketStatus } from '#shared/tickets.ts';

export interface TicketRow {
  readonly id: string;
  readonly number: number;
  readonly userId: string;
  readonly departmentId: string;
  readonly subject: string;
  readonly priority: TicketPriority;
  readonly status: TicketStatus;
  /** The user's server it is about. */
  readonly serverId: string | null;
  /** Who of staff takes care of it. */
  readonly assigneeId: string | null;
  /** Number of its last line. */
  readonly messages: number;
  /** Number of staff's last answer; 0: there is none. */
  readonly answeredSeq: number;
  /** Number of the last line that its user has read. */
  readonly readSeq: number;
  readonly createdMs: number;
  /** Since when it stands where it stands, or was answered last. */
  readonly sinceMs: number;
  /** Of the last message that its user can read. */
  readonly updatedMs: number;
  readonly firstAnswerMs: number | null;
  readonly closedMs: number | null;
  /** What its user thought of it in the end, 1 to 5, with words; null: they did not say. */
  readonly rating: number | null;
  readonly ratingText: string;
  readonly ratedMs: number | null;
  /** Number of the last line that any of staff has read. */
  readonly staffSeq: number;
  /** The ticket that has its lines now; null: it was not merged. */
  readonly mergedInto: string | null;
}
/** What may change of a ticket. */
export type TicketChange = Partial<
  Pick<
    TicketRow,
    | 'departmentId'
    | 'priority'
    | 'status'
    | 'assigneeId'
    | 'messages'
    | 'answeredSeq'
    | 'readSeq'
    | 'sinceMs'
    | 'updatedMs'
    | 'firstAnswerMs'
    | 'closedMs'
    | 'rating'
    | 'ratingText'
    | 'ratedMs'
    | 'staffSeq'
    | 'mergedInto'
  >
>;
/** A ticket with the names it refers to; null: there is none, or it is gone. */
export interface NamedTicket extends TicketRow {
  readonly username: string | null;
  readonly department: string | null;
  readonly server: string | null;
  readonly assignee: string | null;
}
/** What a line of a conversation is: a message of the user or of staff, an internal note, or something that happened. */
export type LineKind = 'user' | 'staff' | 'note' | 'event';
export interface TicketLine {
  readonly id: string;
  readonly seq: number;
  readonly kind: LineKind;
  readonly authorId: string | null;
  /** Markdown; of an event its facts as JSON (`TicketEvent`). */
  readonly text: string;
  readonly createdMs: number;
}
/** Something that happened to a ticket, as the conversation keeps it. */
export type TicketEvent =
  | { readonly what: 'status'; readonly to: TicketStatus }
  | { readonly what: 'priority'; readonly from: TicketPriority; readonly to: TicketPriority }
  | { readonly what: 'department'; readonly to: string }
  /** `to`: id of who takes care of it now, whose name is looked up when it is read; null: nobody does. */
  | { readonly what: 'assignee'; readonly to: string | null }
  /** `to`: the other ticket, as `#number`. */
  | { readonly what: 'merged' | 'mergedFrom' | 'split' | 'splitFrom'; readonly to: string };

interface Department {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly hours: string;
}
/** Where a page of tickets ended. */
export interface TicketCursor {
  readonly ms: number;
  readonly id: string;
}
export interface TicketsRepo {
  /** The next number. Holds off every other new ticket until the transaction ends. */
  takeNumber(): Promise<number>;
  add(ticket: TicketRow): Promise<void>;
  /** The ticket, locked until the transaction ends. */
  lock(id: string): Promise<TicketRow | null>;
  find(id: string): Promise<NamedTicket | null>;
  update(id: string, change: TicketChange): Promise<void>;
  addLine(ticketId: string, line: TicketLine): Promise<void>;
  /** Lines before a number, the newest first; null: from the newest on. Without notes for the user. */
  listLines(
    ticketId: string,
    query: { readonly withNotes: boolean; readonly before: number | null; readonly limit: number },
  ): Promise<(TicketLine & { readonly author: string | null })[]>;
  /** Tickets of a user that are not closed. */
  countOpen(userId: string): Promise<number>;
  /** How many of a user's latest tickets have an answer that the user has not read. */
  countUnread(userId: string): Promise<number>;
  /** Tickets of a user, those with the newest message first. `share`: these alone; absent: all. */
  listOfUser(userId: string, before: TicketCursor | null, limit: number, share?: TicketShare): Promise<NamedTicket[]>;
  countOfUser(userId: string): Promise<number>;
  findByNumber(number: number): Promise<NamedTicket | null>;
  /** Departments in use, in their order. */
  listDepartments(): Promise<Department[]>;
  /** A department in use. */
  findDepartment(id: string): Promise<Department | null>;
  /** How long first answers of a department took (ms), the latest tickets first. */
  listAnswerTimes(departmentId: string, limit: number): Promise<number[]>;
  /** Answered tickets whose user was silent since a moment, the longest first. */
  listSilent(beforeMs: number, limit: number): Promise<string[]>;
  /**
   * Of the overview: how many wait for staff, since when the oldest does, of how many nobody takes care. Counted up to
   * `most`.
   */
  waiting(
    most: number,
  ): Promise<{ readonly count: number; readonly sinceMs: number | null; readonly unassigned: number }>;
  /** Tickets closed since a moment, and how long their first answers took (ms), at most `limit` of them. */
  closedSince(sinceMs: number, limit: number): Promise<{ readonly count: number; readonly answerTimes: number[] }>;
}
