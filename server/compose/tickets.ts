import { uploadsFolder } from '../backups/create.ts';
import { toPlainText } from '../markdown.ts';
import { createAttachmentFiles } from '../uploads/attachment-files.ts';
import { createVirusScanner } from '../uploads/virus-scanner.ts';
import type { PictureCodec } from '../modules/pictures/index.ts';
import { MINUTE } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import {
  closeSilent,
  createAttachments,
  createPresence,
  createRatings,
  createStaffTickets,
  createTicketBlocks,
  createTicketMoves,
  createTicketInbox,
  createTicketReports,
  createTickets,
} from '../modules/tickets/index.ts';
import type { Foundation } from './foundation.ts';

/** How often silent tickets are looked for: a few minutes more or less in seven days are nothing. */
const CLOSE_MS = 10 * MINUTE;

/** How often files that no message took with it are deleted. */
const UNSENT_MS = 10 * MINUTE;

/** How often days of reports are counted of which something has changed. Until then each report counts them itself. */
const REPORT_DAYS_MS = MINUTE;

/** Tickets of users and of staff (behaviour 7.3). */
export function composeTickets(foundation: Foundation, outside: { dataDir: string; codec: PictureCodec }) {
  const files = createAttachmentFiles(uploadsFolder(outside.dataDir));
  const attachments = createAttachments({
    ...foundation,
    codec: outside.codec,
    files,
    scan: createVirusScanner(foundation),
  });
  const ticketReports = createTicketReports(foundation);
  const tasks: ScheduledTask[] = [
    { name: 'tickets.close', everyMs: CLOSE_MS, run: () => closeSilent(foundation) },
    { name: 'tickets.unsent', everyMs: UNSENT_MS, run: attachments.removeUnsent },
    { name: 'tickets.report_days', everyMs: REPORT_DAYS_MS, run: ticketReports.keepDays },
  ];
  const services = {
    tickets: createTickets(foundation),
    staffTickets: createStaffTickets({ ...foundation, toPlainText }),
    ticketInbox: createTicketInbox(foundation),
    ticketReports,
    attachments,
    presence: createPresence(foundation),
    ratings: createRatings(foundation),
    ticketMoves: createTicketMoves(foundation),
    ticketBlocks: createTicketBlocks(foundation),
  };
  return { services, tasks };
}
