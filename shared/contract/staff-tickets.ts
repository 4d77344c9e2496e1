import * as z from 'zod/mini';
import { ATTACHMENT_MAX_BYTES, ATTACHMENT_UPLOAD_TYPE } from '../attachments.ts';
import { id, isoTime, line, text, wholeNumber } from '../schemas/primitives.ts';
import {
  ticketBlockInput,
  ticketBulkInput,
  ticketChangeInput,
  ticketMergeInput,
  ticketReplyInput,
  ticketSplitInput,
} from '../schemas/ticket.ts';
import { TAG_MAX, TICKET_SORTS, TICKET_STATUSES, TICKET_VIEWS } from '../tickets.ts';
import { group } from './endpoint.ts';
import {
  attachment,
  attachmentForm,
  attachmentQuery,
  conversation,
  cursor,
  linesQuery,
  mergedInto,
  named,
  one,
  rating,
  ticketRow,
  writers,
} from './ticket-shapes.ts';

const staffRow = z.extend(ticketRow, {
  username: z.nullable(z.string()),
  user_id: id,
  assignee: z.nullable(z.object({ id, username: z.nullable(z.string()) })),
  /** Since when it stands where it stands. */
  since: isoTime,
  /** Number of its last line. */
  messages: z.int(),
  tags: z.array(z.string()),
});
/** The ticket that lines went to. */
const madeTicket = z.object({ id, number: z.int() });

/** The tickets of everybody, for staff. */
export const adminTickets = group({
  list: {
    method: 'GET',
    path: '/api/admin/tickets',
    summary: 'List tickets',
    query: z.object({
      /** `inbox` if absent. */
      view: z.optional(z.enum(TICKET_VIEWS)),
      department: z.optional(id),
      /** Those of one user; not beside `q`. */
      user: z.optional(id),
      /** Those that have it, of whatever list; beside `q` or `user` it narrows them. */
      tag: z.optional(line(1, TAG_MAX)),
      /** Of what waits; `longest` if absent. Not beside `q`, `user` or `tag`, and not of `closed` and `all`. */
      sort: z.optional(z.enum(TICKET_SORTS)),
      /**
       * A number, the whole name or address of a user, or words that stand in it; in quotes always words. It looks in
       * every `view`.
       */
      q: z.optional(text(0, 100)),
      after: cursor,
    }),
    access: 'admin.tickets.list',
    errors: ['VALIDATION_FAILED'],
    response: z.object({
      rows: z.array(staffRow),
      /** Where the next page begins; null: there is none. */
      more: z.nullable(z.string()),
      /** Counted up to a hundred; null beside `q`. */
      counts: z.nullable(
        z.object({
          inbox: z.int(),
          overdue: z.int(),
          mine: z.int(),
          unassigned: z.int(),
          waiting: z.int(),
          on_hold: z.int(),
        }),
      ),
      /** With how many wait for staff; null beside `q`. */
      departments: z.array(z.extend(named, { count: z.nullable(z.int()) })),
      /** Who can take care of tickets. */
      staff: z.array(z.object({ id, username: z.string() })),
      /** Tags in use. */
      tags: z.array(z.string()),
      /** What waits for staff since before is overdue. */
      overdue_before: isoTime,
    }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/tickets/:id',
    summary: 'Get a ticket for staff',
    params: one,
    query: linesQuery,
    access: 'admin.tickets.view',
    errors: ['NOT_FOUND'],
    response: z.object({
      ticket: staffRow,
      ...conversation,
      department_id: id,
      /** Who its user is; null: the account is gone. */
      card: z.nullable(
        z.object({
          username: z.string(),
          status: z.string(),
          created_at: isoTime,
          balance: z.int(),
          tickets: z.int(),
          /** The latest of them, without this one. */
          other_tickets: z.array(
            z.object({ id, number: z.int(), subject: z.string(), status: z.enum(TICKET_STATUSES) }),
          ),
          servers: z.array(z.object({ id, name: z.string(), state: z.string() })),
          movements: z.array(
            z.object({
              id: z.string(),
              at: isoTime,
              kind: z.string(),
              subject: z.nullable(z.string()),
              amount: z.int(),
            }),
          ),
        }),
      ),
      /** Who can take care of it. */
      staff: z.array(z.object({ id, username: z.string() })),
      rating,
      /** Numbers of the last lines that its user, and staff, have read. */
      read_seq: z.int(),
      staff_seq: z.int(),
      merged_into: mergedInto,
      /** Since when its user may not open tickets, and why; null: they may. */
      block: z.nullable(z.object({ reason: z.string(), at: isoTime })),
      departments: z.array(named),
      /** Tags in use. */
      tags: z.array(z.string()),
    }),
  },
  attach: {
    method: 'POST',
    path: '/api/admin/ticket-attachments',
    summary: 'Upload a file for an answer',
    description: 'Or a note.',
    query: attachmentQuery,
    ceiling: 'attachments',
    upload: { type: ATTACHMENT_UPLOAD_TYPE, max: ATTACHMENT_MAX_BYTES },
    access: 'admin.tickets.view',
    errors: ['VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: attachment,
  },
  attachment: {
    method: 'GET',
    path: '/api/admin/ticket-attachments/:id',
    summary: 'Get a file of a ticket',
    params: one,
    query: attachmentForm,
    format: 'file',
    access: 'admin.tickets.view',
    errors: ['NOT_FOUND'],
  },
  reply: {
    method: 'POST',
    path: '/api/admin/tickets/:id/messages',
    summary: 'Answer a ticket',
    description: 'Or note something that only staff read.',
    params: one,
    body: ticketReplyInput,
    access: 'admin.tickets.view',
    idempotent: true,
    errors: ['NOT_FOUND', 'TICKET_CHANGED', 'TICKET_MERGED', 'VALIDATION_FAILED'],
    response: z.object({ seq: z.int() }),
  },
  update: {
    method: 'PATCH',
    path: '/api/admin/tickets/:id',
    summary: 'Change a ticket',
    params: one,
    body: ticketChangeInput,
    access: 'admin.tickets.view',
    errors: ['NOT_FOUND', 'TICKET_MERGED', 'VALIDATION_FAILED'],
  },
  markRead: {
    method: 'POST',
    path: '/api/admin/tickets/:id/read',
    summary: 'Mark a ticket as read by staff',
    description: 'Up to a line, for all of staff.',
    params: one,
    body: z.strictObject({ seq: wholeNumber(1, 1_000_000_000) }),
    access: 'admin.tickets.view',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
  writers: {
    method: 'GET',
    path: '/api/admin/tickets/:id/writers',
    summary: 'List who is typing for staff',
    params: one,
    access: 'admin.tickets.view',
    errors: ['NOT_FOUND'],
    response: writers,
  },
  setTyping: {
    method: 'POST',
    path: '/api/admin/tickets/:id/typing',
    summary: 'Say that staff are typing',
    description: 'Null: you stopped.',
    params: one,
    body: z.strictObject({ what: z.nullable(z.enum(['message', 'note'])) }),
    access: 'admin.tickets.view',
    limit: 'typing',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
  cannedReplies: {
    method: 'GET',
    path: '/api/admin/tickets/canned-replies',
    summary: 'List the canned replies to choose from',
    access: 'admin.tickets.view',
    errors: [],
    response: z.object({ replies: z.array(z.object({ id, name: z.string(), text: z.string() })) }),
  },
  changeMany: {
    method: 'POST',
    path: '/api/admin/tickets/change',
    summary: 'Change several tickets',
    description: 'Each is changed or refused by itself.',
    body: ticketBulkInput,
    access: 'admin.tickets.view',
    errors: ['VALIDATION_FAILED'],
    response: z.object({
      done: z.int(),
      refused: z.array(z.object({ id, code: z.string() })),
    }),
  },
  merge: {
    method: 'POST',
    path: '/api/admin/tickets/:id/merge',
    summary: 'Merge a ticket into another',
    description: 'Both have the same user.',
    params: one,
    body: ticketMergeInput,
    access: 'admin.tickets.view',
    idempotent: true,
    errors: ['NOT_FOUND', 'TICKET_MERGED', 'VALIDATION_FAILED'],
    response: madeTicket,
  },
  split: {
    method: 'POST',
    path: '/api/admin/tickets/:id/split',
    summary: 'Split a ticket',
    description: 'A message and all that follows it become a ticket of their own.',
    params: one,
    body: ticketSplitInput,
    access: 'admin.tickets.view',
    idempotent: true,
    errors: ['NOT_FOUND', 'TICKET_CLOSED', 'VALIDATION_FAILED'],
    response: madeTicket,
  },
  block: {
    method: 'PUT',
    path: '/api/admin/tickets/:id/block',
    summary: 'Block a user from tickets',
    params: one,
    body: ticketBlockInput,
    access: 'admin.tickets.view',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
  unblock: {
    method: 'DELETE',
    path: '/api/admin/tickets/:id/block',
    summary: 'Allow a user tickets again',
    params: one,
    access: 'admin.tickets.view',
    errors: ['NOT_FOUND'],
  },
  summary: {
    method: 'GET',
    path: '/api/admin/tickets/summary',
    summary: 'Get the numbers of support',
    access: 'admin.dashboard.components.support.view',
    errors: [],
    response: z.object({
      /** They wait for staff. Both counted up to a hundred. */
      open: z.int(),
      unassigned: z.int(),
      oldest_since: z.nullable(isoTime),
      closed_today: z.int(),
      /** Half of the first answers of those were quicker (ms); null: there were none. */
      answer_ms: z.nullable(z.int()),
    }),
  },
});
