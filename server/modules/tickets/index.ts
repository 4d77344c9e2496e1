export type { AttachmentFiles, AttachmentForm, FileScanner } from './attachment-ports.ts';
export { createAttachments, type Attachments } from './attachments.ts';
export { createTicketBlocks, type TicketBlocks } from './blocks.ts';
export { createTicketMoves, findMerged, type TicketMoves } from './moves.ts';
export { createPresence, TYPING_TOPIC, typingTopicOf, type Presence } from './presence.ts';
export { createRatings, type Ratings } from './ratings.ts';
export { TICKETS_TOPIC, type ReadLine, type TicketsDeps } from './deps.ts';
export type { TicketLine, TicketRow } from './ports.ts';
export {
  addReply,
  assertMayOpen,
  createTickets,
  isReopenable,
  openTicket,
  reopenTicket,
  type Tickets,
} from './service.ts';
export { createTicketInbox, type TicketInbox } from './inbox.ts';
export { createTicketReports, type TicketFigures, type TicketReports } from './reports.ts';
export { createStaffTickets, type StaffTickets } from './staff.ts';
export { closeSilent } from './work.ts';
