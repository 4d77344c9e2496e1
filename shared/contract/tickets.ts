import * as z from 'zod/mini';
import { ATTACHMENT_MAX_BYTES, ATTACHMENT_UPLOAD_TYPE } from '../attachments.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { id, isoTime, line as lineOfText, queryInt, text, wholeNumber } from '../schemas/primitives.ts';
import {
  ticketBlockInput,
  ticketBulkInput,
  ticketChangeInput,
  ticketInput,
  ticketMergeInput,
  ticketMessageInput,
  ticketRatingInput,
  ticketReplyInput,
  ticketSplitInput,
} from '../schemas/ticket.ts';
import {
  TAG_MAX,
  TICKET_PRIORITIES,
  TICKET_SHARES,
  TICKET_SORTS,
  TICKET_STATUSES,
  TICKET_TEXT_MAX,
  TICKET_VIEWS,
} from '../tickets.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });
const cursor = z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID')));
/** Lines before this number; absent: the last ones. */
const linesQuery = z.object({ before: z.optional(queryInt(1, 999_999_999)) });

const row = z.object({
  id,
  number: z.int(),
  subject: z.string(),
  priority: z.enum(TICKET_PRIORITIES),
  status: z.enum(TICKET_STATUSES),
  /** Name of its department. */
  department: z.nullable(z.string()),
  /** The server it is about; null: of none, or one that is gone. */
  server: z.nullable(z.object({ id, name: z.string() })),
  created_at: isoTime,
  /** Of the last message. */
  updated_at: isoTime,
  closed_at: z.nullable(isoTime),
});
const ownRow = z.extend(row, {
  /** Staff answered since its user read it. */
  unread: z.boolean(),
});
const staffRow = z.extend(row, {
  username: z.nullable(z.string()),
  user_id: id,
  assignee: z.nullable(z.object({ id, username: z.nullable(z.string()) })),
  /** Since when it stands where it stands. */
  since: isoTime,
  /** Number of its last line. */
  messages: z.int(),
  tags: z.array(z.string()),
});
const happened = z.object({
  what: z.enum(['status', 'priority', 'department', 'assignee', 'merged', 'mergedFrom', 'split', 'splitFrom']),
  from: z.optional(z.string()),
  /** Null: nobody takes care of it any more. */
  to: z.nullable(z.string()),
});
const attachment = z.object({
  id,
  name: z.string(),
  /** A picture, or a text. */
  type: z.string(),
  bytes: z.int(),
  /** Pixels of a picture; of a text null. */
  width: z.nullable(z.int()),
  height: z.nullable(z.int()),
});
export type AttachmentView = z.infer<typeof attachment>;
/** An upload says how the file is called; its bytes say what it is. */
const attachmentQuery = z.object({ name: z.optional(text(0, 500)) });
/** `preview`: small, beside its message; `view`: whole, in a page of its own; absent: whole, to be saved. */
const attachmentForm = z.object({ form: z.optional(z.enum(['preview', 'view'])) });
const line = z.object({
  id,
  seq: z.int(),
  kind: z.enum(['user', 'staff', 'note', 'event']),
  /** Username; null: the account is gone, or it happened by itself. */
  author: z.nullable(z.string()),
  /** The caller wrote it. */
  own: z.boolean(),
  /** Of a message: HTML that the server wrote from Markdown. */
  html: z.nullable(z.string()),
  /** Of what happened. */
  event: z.nullable(happened),
  attachments: z.array(attachment),
  at: isoTime,
});
export type TicketLineView = z.infer<typeof line>;
const conversation = {
  /** In the order of time. */
  lines: z.array(line),
  /** There are lines before these. */
  older: z.boolean(),
  /** When it closes by itself if its user stays silent. */
  closes_at: z.nullable(isoTime),
};
const named = z.object({ id, name: z.string() });
/** What its user thought of a ticket; null: they did not say. */
const rating = z.nullable(z.object({ value: z.int(), text: z.string(), at: isoTime }));
const mergedInto = z.nullable(z.object({ id, number: z.int() }));
/** The ticket that lines went to. */
const madeTicket = z.object({ id, number: z.int() });
/** Others who write in a ticket. */
const writers = z.object({
  writers: z.array(
    z.object({
      name: z.string(),
      staff: z.boolean(),
      /** They typed a moment ago; false: they have begun an answer. */
      typing: z.boolean(),
      /** For how long this holds, ms. */
      for_ms: z.int(),
    }),
  ),
});

/** The tickets of the calling user (behaviour 7.3). Those of others are unknown to them. */
export const tickets = group({
  list: {
    method: 'GET',
    path: '/api/tickets',
    summary: 'List your tickets',
    query: z.object({ before: cursor, show: z.optional(z.enum(TICKET_SHARES)) }),
    access: 'signed-in',
    flag: 'allow_tickets',
    errors: [],
    response: z.object({
      rows: z.array(
        z.extend(ownRow, {
          /** Of one that waits for its first answer: half of them were quicker in its department (ms); null: not known. */
          answer_ms: z.nullable(z.int()),
        }),
      ),
      /** Where the next page begins; null: there is none. */
      older: z.nullable(z.string()),
      /** Tickets that are not closed. */
      open: z.int(),
    }),
  },
  form: {
    method: 'GET',
    path: '/api/tickets/form',
    summary: 'Get what a new ticket can be about',
    access: 'signed-in',
    flag: 'allow_tickets',
    errors: [],
    response: z.object({
      departments: z.array(
        z.object({
          id,
          name: z.string(),
          description: z.string(),
          hours: z.string(),
          /** Half of the first answers were quicker (ms); null: there are too few. */
          answer_ms: z.nullable(z.int()),
        }),
      ),
      servers: z.array(named),
      open: z.int(),
      /** Staff took the right to open tickets. */
      blocked: z.boolean(),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/tickets',
    summary: 'Open a ticket',
    body: ticketInput,
    access: 'signed-in',
    flag: 'allow_tickets',
    limit: 'ticket',
    idempotent: true,
    errors: ['TICKET_BLOCKED', 'TICKET_LIMIT', 'VALIDATION_FAILED'],
    response: z.object({ id, number: z.int() }),
  },
  preview: {
    method: 'POST',
    path: '/api/tickets/preview',
    summary: 'Preview a message',
    body: z.strictObject({ text: text(0, TICKET_TEXT_MAX) }),
    access: 'signed-in',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ html: z.string() }),
  },
  attach: {
    method: 'POST',
    path: '/api/ticket-attachments',
    summary: 'Upload a file for a message',
    description: 'The message names it by its id.',
    query: attachmentQuery,
    ceiling: 'attachments',
    upload: { type: ATTACHMENT_UPLOAD_TYPE, max: ATTACHMENT_MAX_BYTES },
    access: 'signed-in',
    flag: 'allow_tickets',
    limit: 'attachment',
    errors: ['VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: attachment,
  },
  attachment: {
    method: 'GET',
    path: '/api/ticket-attachments/:id',
    summary: 'Get a file of a message',
    description: 'Only of your own tickets.',
    params: one,
    query: attachmentForm,
    format: 'file',
    access: 'signed-in',
    flag: 'allow_tickets',
    errors: ['NOT_FOUND'],
  },
  get: {
    method: 'GET',
    path: '/api/tickets/:id',
    summary: 'Get a ticket',
    params: one,
    query: linesQuery,
    access: 'signed-in',
    flag: 'allow_tickets',
    errors: ['NOT_FOUND'],
    response: z.object({
      ticket: ownRow,
      ...conversation,
      can: z.object({ reply: z.boolean(), close: z.boolean(), reopen: z.boolean(), rate: z.boolean() }),
      rating,
      /** Number of the last line that staff have read. */
      read_seq: z.int(),
      /** The ticket that has its lines now; null: it was not merged. */
      merged_into: mergedInto,
    }),
  },
  rate: {
    method: 'PUT',
    path: '/api/tickets/:id/rating',
    summary: 'Rate a ticket',
    description: 'Once it is closed; may be changed.',
    params: one,
    body: ticketRatingInput,
    access: 'signed-in',
    flag: 'allow_tickets',
    limit: 'ticket',
    errors: ['NOT_FOUND', 'TICKET_CLOSED', 'VALIDATION_FAILED'],
  },
  writers: {
    method: 'GET',
    path: '/api/tickets/:id/writers',
    summary: 'List who is typing in a ticket',
    params: one,
    access: 'signed-in',
    flag: 'allow_tickets',
    errors: ['NOT_FOUND'],
    response: writers,
  },
  setTyping: {
    method: 'POST',
    path: '/api/tickets/:id/typing',
    summary: 'Say that you are typing',
    description: 'Or that you stopped.',
    params: one,
    body: z.strictObject({ typing: z.boolean() }),
    access: 'signed-in',
    flag: 'allow_tickets',
    limit: 'typing',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
  reply: {
    method: 'POST',
    path: '/api/tickets/:id/messages',
    summary: 'Answer in a ticket',
    params: one,
    body: ticketMessageInput,
    access: 'signed-in',
    flag: 'allow_tickets',
    limit: 'ticket',
    idempotent: true,
    errors: ['NOT_FOUND', 'TICKET_CLOSED', 'VALIDATION_FAILED'],
    response: z.object({ seq: z.int() }),
  },
  close: {
    method: 'POST',
    path: '/api/tickets/:id/close',
    summary: 'Close a ticket',
    params: one,
    access: 'signed-in',
    flag: 'allow_tickets',
    errors: ['NOT_FOUND'],
  },
  reopen: {
    method: 'POST',
    path: '/api/tickets/:id/reopen',
    summary: 'Reopen a ticket',
    description: 'Within some days of its closing.',
    params: one,
    access: 'signed-in',
    flag: 'allow_tickets',
    limit: 'ticket',
    errors: ['NOT_FOUND', 'TICKET_BLOCKED', 'TICKET_CLOSED', 'TICKET_LIMIT'],
  },
  markRead: {
    method: 'POST',
    path: '/api/tickets/:id/read',
    summary: 'Mark a ticket as read',
    description: 'Up to a line.',
    params: one,
    body: z.strictObject({ seq: wholeNumber(1, 1_000_000_000) }),
    access: 'signed-in',
    flag: 'allow_tickets',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
});

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
      tag: z.optional(lineOfText(1, TAG_MAX)),
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
