import { TICKET_PRIORITIES, type TicketPriority, type TicketSort } from '#shared/tickets.ts';

/** More than any time (ms): a priority weighs more than all waiting. */
const WEIGHT = 10_000_000_000_000;

/** How far back tickets of a priority stand: 0 for the most pressing. */
const backOf = (priority: TicketPriority): number => TICKET_PRIORITIES.length - 1 - TICKET_PRIORITIES.indexOf(priority);

/** SQL of the place of a ticket among those that are in the order of their priority, then of their waiting. */
export const PRIORITY_PLACE = `(CASE priority ${TICKET_PRIORITIES.map(
  (each) => `WHEN '${each}' THEN ${backOf(each) * WEIGHT}`,
).join(' ')} END + since_ms)`;

/** The same of a ticket that was read, in an order: what a cursor says. */
export function placeOf(
  { priority, sinceMs }: { readonly priority: TicketPriority; readonly sinceMs: number },
  sort: TicketSort | undefined,
): number {
  return sort === 'priority' ? backOf(priority) * WEIGHT + sinceMs : sinceMs;
}
