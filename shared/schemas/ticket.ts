import * as z from 'zod/mini';
import { CANNED_TEXT_MAX, CANNED_VARIABLES } from '../canned-replies.ts';
import { unknownVariables } from '../mails.ts';
import { ATTACHMENTS_MAX } from '../attachments.ts';
import {
  ANSWER_STATUSES,
  RATING_TEXT_MAX,
  RATINGS,
  BULK_MAX,
  TAG_MAX,
  TAGS_MAX,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  TICKET_SUBJECT_MAX,
  TICKET_TEXT_MAX,
  USER_PRIORITIES,
} from '../tickets.ts';
import { id, line, lines, wholeNumber } from './primitives.ts';

const message = lines(0, TICKET_TEXT_MAX);
/** Ids of files that were kept for the message. */
const attachments = z.optional(z.array(id).check(z.maxLength(ATTACHMENTS_MAX)));
/** Says that a message needs words, or a file. */
const saysSomething = z.refine<{ text: string; attachments?: string[] | undefined }>(
  ({ text, attachments: files = [] }) => text !== '' || files.length > 0,
  { path: ['text'], message: 'REQUIRED' },
);

/** A new ticket. */
export const ticketInput = z
  .strictObject({
    department: id,
    priority: z.enum(USER_PRIORITIES),
    subject: line(3, TICKET_SUBJECT_MAX),
    text: message,
    attachments,
    /** The server it is about. */
    server: z.optional(id),
  })
  .check(saysSomething);

/** A message of the ticket's user; Markdown. */
export const ticketMessageInput = z.strictObject({ text: message, attachments }).check(saysSomething);

/** An answer, or a note for staff alone. `seen`: number of the last line that its writer saw. */
export const ticketReplyInput = z
  .strictObject({
    text: message,
    attachments,
    internal: z.boolean(),
    status: z.enum(ANSWER_STATUSES),
    seen: wholeNumber(0, 1_000_000_000),
  })
  .check(saysSomething);

/** What a user thought of a ticket in the end; '' where they say nothing more. */
export const ticketRatingInput = z.strictObject({
  rating: wholeNumber(1, RATINGS.length),
  text: lines(0, RATING_TEXT_MAX),
});
/** A tag: a word or a few, in lower case, without commas. */
const ticketTag = z.pipe(
  line(1, TAG_MAX),
  z.pipe(
    z.transform((text: string) => text.toLowerCase()),
    z.string().check(z.regex(/^[^,]*$/, 'INVALID')),
  ),
);

/** The number of the ticket that another is merged into. */
export const ticketMergeInput = z.strictObject({ into: wholeNumber(1, 1_000_000_000) });

/** The line from which on a ticket of its own is made, and what that is about. */
export const ticketSplitInput = z.strictObject({
  seq: wholeNumber(1, 1_000_000_000),
  subject: line(3, TICKET_SUBJECT_MAX),
});

/** Why somebody may open no tickets; for staff alone, '' for no word. */
export const ticketBlockInput = z.strictObject({ reason: line(0, TICKET_SUBJECT_MAX) });

/** What staff change of a ticket. */
export const ticketChangeInput = z.strictObject({
  status: z.optional(z.enum(TICKET_STATUSES)),
  priority: z.optional(z.enum(TICKET_PRIORITIES)),
  department: z.optional(id),
  /** Null: nobody takes care of it. */
  assignee: z.optional(z.nullable(id)),
  tags: z.optional(z.array(ticketTag).check(z.maxLength(TAGS_MAX, 'TOO_LONG'))),
});

/** The same change of several tickets; tags are added to each and taken from each. */
export const ticketBulkInput = z.strictObject({
  ids: z.array(id).check(z.minLength(1, 'REQUIRED'), z.maxLength(BULK_MAX, 'TOO_LONG')),
  status: z.optional(z.enum(TICKET_STATUSES)),
  priority: z.optional(z.enum(TICKET_PRIORITIES)),
  department: z.optional(id),
  assignee: z.optional(z.nullable(id)),
  add_tag: z.optional(ticketTag),
  remove_tag: z.optional(ticketTag),
});

/** A canned reply: Markdown with the variables of tickets, and no others. */
export const cannedText = lines(1, CANNED_TEXT_MAX).check(
  z.refine((text: string) => unknownVariables(text, CANNED_VARIABLES).length === 0, 'VARIABLE_UNKNOWN'),
);
