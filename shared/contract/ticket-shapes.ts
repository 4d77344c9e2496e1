import * as z from 'zod/mini';
import { PAST_CURSOR } from '../past-cursor.ts';
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../tickets.ts';
import { id, isoTime, queryInt, text } from '../schemas/primitives.ts';

/** Names a ticket, or a file of one. */
export const one = z.object({ id });
/** Where a page of a list begins. */
export const cursor = z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID')));
/** Lines before this number; absent: the last ones. */
export const linesQuery = z.object({ before: z.optional(queryInt(1, 999_999_999)) });

/** A ticket as everybody sees it. */
export const ticketRow = z.object({
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
const happened = z.object({
  what: z.enum(['status', 'priority', 'department', 'assignee', 'merged', 'mergedFrom', 'split', 'splitFrom']),
  from: z.optional(z.string()),
  /** Null: nobody takes care of it any more. */
  to: z.nullable(z.string()),
});
/** A file of a message. */
export const attachment = z.object({
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
export const attachmentQuery = z.object({ name: z.optional(text(0, 500)) });
/** `preview`: small, beside its message; `view`: whole, in a page of its own; absent: whole, to be saved. */
export const attachmentForm = z.object({ form: z.optional(z.enum(['preview', 'view'])) });
/** A line of a ticket: a message, a note of staff, or what happened. */
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
/** A part of the lines of a ticket. */
export const conversation = {
  /** In the order of time. */
  lines: z.array(line),
  /** There are lines before these. */
  older: z.boolean(),
  /** When it closes by itself if its user stays silent. */
  closes_at: z.nullable(isoTime),
};
/** Something by its name. */
export const named = z.object({ id, name: z.string() });
/** What its user thought of a ticket; null: they did not say. */
export const rating = z.nullable(z.object({ value: z.int(), text: z.string(), at: isoTime }));
/** The ticket that has its lines now; null: it was not merged. */
export const mergedInto = z.nullable(z.object({ id, number: z.int() }));
/** Others who write in a ticket. */
export const writers = z.object({
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
