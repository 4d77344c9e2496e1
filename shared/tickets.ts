/**
 * Where a ticket stands (behaviour 7.3): it waits for staff (`open`), was answered, waits for something its user has to
 * do, is put aside by staff, or is closed.
 */
export const TICKET_STATUSES = ['open', 'answered', 'waiting', 'on_hold', 'closed'] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

/** What users may see of their tickets alone: those that are not closed, and those that are. */
export const TICKET_SHARES = ['open', 'closed'] as const;
export type TicketShare = (typeof TICKET_SHARES)[number];

/** What staff may set by hand, or with an answer: that it waits for them follows from what its user writes. */
export const ANSWER_STATUSES = ['answered', 'waiting', 'on_hold', 'closed'] as const;
export type AnswerStatus = (typeof ANSWER_STATUSES)[number];

export const TICKET_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type TicketPriority = (typeof TICKET_PRIORITIES)[number];
/** What users may choose; what is urgent is for staff to say. */
export const USER_PRIORITIES = ['low', 'normal', 'high'] as const satisfies readonly TicketPriority[];

/** The lists of staff's inbox. */
export const TICKET_VIEWS = ['inbox', 'overdue', 'mine', 'unassigned', 'waiting', 'on_hold', 'closed', 'all'] as const;
export type TicketView = (typeof TICKET_VIEWS)[number];
/** Those whose tickets are counted: what is done with is not. */
export type CountedView = Exclude<TicketView, 'closed' | 'all'>;
/** Orders of a list of what waits: what has waited longest, the newest, or what is most pressing first. */
export const TICKET_SORTS = ['longest', 'newest', 'priority'] as const;
export type TicketSort = (typeof TICKET_SORTS)[number];
/** Tickets that are put in the order of their priority: those of a list that have waited longest. */
export const PRIORITY_SORTED = 5000;
/** Whether a list can be put in another order: what is done with has the newest first always. */
export const isSortable = (view: TicketView): view is CountedView => view !== 'closed' && view !== 'all';
/** Up to how many tickets of a list are counted: a page costs as much among a million as among a thousand. */
export const TICKETS_COUNTED = 100;

/** Days of a report, as its address has them. */
export const TICKET_REPORT_DAYS = ['7', '30', '90'] as const;

/** Tags of a ticket at most, characters of one, and tags that are offered. */
export const TAGS_MAX = 10;
export const TAG_MAX = 30;
export const TAGS_OFFERED = 100;
/** Tickets that are changed at once. */
export const BULK_MAX = 50;

/** Tickets of a user that are not closed, at most. */
export const OPEN_TICKETS_MAX = 3;
/** Days without a word of the user after which an answered ticket closes by itself. */
export const AUTO_CLOSE_DAYS = 7;
/** Days within which a closed ticket may be reopened. */
export const REOPEN_DAYS = 14;

/** Days after it was closed within which a user says what they thought of a ticket, and may change it. */
export const RATING_DAYS = 14;
/** What they may say: 1 (bad) to 5 (good), and words. */
export const RATINGS = [1, 2, 3, 4, 5] as const;
export const RATING_TEXT_MAX = 1000;

export const TICKET_SUBJECT_MAX = 120;
export const TICKET_TEXT_MAX = 10_000;
