import * as z from 'zod/mini';
import { ATTACHMENT_MAX_BYTES, ATTACHMENT_UPLOAD_TYPE } from '../attachments.ts';
import { id, text, wholeNumber } from '../schemas/primitives.ts';
import { ticketInput, ticketMessageInput, ticketRatingInput } from '../schemas/ticket.ts';
import { TICKET_SHARES, TICKET_TEXT_MAX } from '../tickets.ts';
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

const ownRow = z.extend(ticketRow, {
  /** Staff answered since its user read it. */
  unread: z.boolean(),
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
