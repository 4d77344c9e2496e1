import type { TicketView } from '#shared/tickets.ts';

/** A list of tickets: its condition, word by word that of its indexes, and those indexes. */
interface TicketList {
  readonly where: string;
  readonly index: string;
  /** Where it is narrowed to a department. */
  readonly indexIn: string;
  /** What is done with: the newest first. Of what waits the oldest is first. */
  readonly newestFirst: boolean;
}

/** The lists of the inbox. `mine` asks for a member of staff; `overdue` is the oldest part of `inbox`. */
export const LISTS: Readonly<Record<TicketView, TicketList>> = {
  inbox: { where: "status = 'open'", index: 'tickets_inbox', indexIn: 'tickets_inbox_in', newestFirst: false },
  overdue: {
    where: "status = 'open' AND since_ms < ?",
    index: 'tickets_inbox',
    indexIn: 'tickets_inbox_in',
    newestFirst: false,
  },
  unassigned: {
    where: "status = 'open' AND assignee_id IS NULL",
    index: 'tickets_unassigned',
    indexIn: 'tickets_unassigned_in',
    newestFirst: false,
  },
  waiting: {
    where: "status IN ('answered', 'waiting')",
    index: 'tickets_waiting',
    indexIn: 'tickets_waiting_in',
    newestFirst: false,
  },
  on_hold: { where: "status = 'on_hold'", index: 'tickets_on_hold', indexIn: 'tickets_on_hold_in', newestFirst: false },
  mine: {
    where: "assignee_id = ? AND status <> 'closed'",
    index: 'tickets_mine',
    indexIn: 'tickets_mine_in',
    newestFirst: false,
  },
  closed: { where: "status = 'closed'", index: 'tickets_closed', indexIn: 'tickets_closed_in', newestFirst: true },
  all: { where: '1 = 1', index: 'tickets_all', indexIn: 'tickets_all_in', newestFirst: true },
};
