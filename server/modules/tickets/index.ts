export { TICKETS_TOPIC, type ReadLine } from './deps.ts';
export { createTickets, type Tickets } from './service.ts';
export { createTicketInbox, type TicketInbox } from './inbox.ts';
export { createStaffTickets, type StaffTickets } from './staff.ts';
export { closeSilent } from './work.ts';
