import { MINUTE } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { closeSilent, createStaffTickets, createTicketInbox, createTickets } from '../modules/tickets/index.ts';
import type { Foundation } from './foundation.ts';

/** How often silent tickets are looked for: a few minutes more or less in seven days are nothing. */
const CLOSE_MS = 10 * MINUTE;

/** Tickets of users and of staff (behaviour 7.3). */
export function composeTickets(foundation: Foundation) {
  const tasks: ScheduledTask[] = [{ name: 'tickets.close', everyMs: CLOSE_MS, run: () => closeSilent(foundation) }];
  const services = {
    tickets: createTickets(foundation),
    staffTickets: createStaffTickets(foundation),
    ticketInbox: createTicketInbox(foundation),
  };
  return { services, tasks };
}
