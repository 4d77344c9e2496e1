import * as z from 'zod/mini';
import { TICKET_REPORT_DAYS } from '../tickets.ts';
import { id } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const figures = {
  opened: z.int(),
  /** How many of those opened have an answer. */
  answered: z.int(),
  resolved: z.int(),
  /** The middle of the times to the first answer, and from opening to closing (ms); null: there are none. */
  answer_ms: z.nullable(z.int()),
  resolve_ms: z.nullable(z.int()),
  rated: z.int(),
  /** How many were rated with four or five. */
  satisfied: z.int(),
};
const row = z.object({
  /** Of a department or a member of staff; '': nobody takes care of them. */
  id: z.string(),
  /** Null: it is gone, or there is none. */
  name: z.nullable(z.string()),
  ...figures,
});
export type TicketReportRow = z.infer<typeof row>;
const span = z.object({ days: z.optional(z.enum(TICKET_REPORT_DAYS)) });
const byDay = { durations: z.array(z.nullable(z.int())), counts: z.array(z.int()) };

/** How quickly tickets are answered and resolved, and what their users think of it (behaviour 7.3). */
export const adminTicketReports = group({
  get: {
    method: 'GET',
    path: '/api/admin/tickets/reports',
    summary: 'Get the report of support',
    description: 'What happened by day, and as a whole, may be that of one department or one person.',
    query: z.extend(span, { department: z.optional(id), person: z.optional(id) }),
    access: 'admin.tickets.list',
    errors: [],
    response: z.object({
      /** YYYY-MM-DD in the host's zone, the oldest first. */
      days: z.array(z.string()),
      /** By day. */
      opened: byDay.counts,
      resolved: byDay.counts,
      answer_ms: byDay.durations,
      resolve_ms: byDay.durations,
      rated: byDay.counts,
      satisfied: byDay.counts,
      all: z.object(figures),
      /** Of all, whatever was asked for. */
      departments: z.array(row),
      staff: z.array(row),
    }),
  },
  export: {
    method: 'GET',
    path: '/api/admin/tickets/reports/export.csv',
    summary: 'Export the report of support',
    query: span,
    format: 'csv',
    access: 'admin.tickets.list',
    errors: [],
  },
});
