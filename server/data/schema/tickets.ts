import type { Generated } from 'kysely';
import type { Ms } from './values.ts';

export interface TicketCounter {
  id: number;
  last: number;
}

export interface Tickets {
  id: string;
  number: number;
  user_id: string;
  department_id: string;
  subject: string;
  priority: string;
  status: string;
  server_id: string | null;
  assignee_id: string | null;
  messages: number;
  answered_seq: number;
  read_seq: number;
  created_ms: Ms;
  since_ms: Ms;
  updated_ms: Ms;
  first_answer_ms: Ms | null;
  closed_ms: Ms | null;
  rating: number | null;
  rating_text: Generated<string>;
  rated_ms: Ms | null;
  staff_seq: Generated<number>;
  merged_into: string | null;
}

export interface TicketMessages {
  id: string;
  ticket_id: string;
  seq: number;
  kind: string;
  author_id: string | null;
  text: string;
  created_ms: Ms;
}

/** A mail that became a line of a ticket. */
export interface TicketMails {
  key: string;
  ticket_id: string;
  seq: number;
  message_id: string;
  received_ms: Ms;
}

/** How far the mailbox of tickets was read. */
export interface TicketMailbox {
  id: number;
  mailbox: string;
  uid_validity: string;
  last_uid: number;
  read_ms: Ms | null;
  failing_ms: Ms | null;
  fault: string | null;
}

export interface TicketAttachments {
  id: string;
  author_id: string;
  ticket_id: string | null;
  seq: number | null;
  name: string;
  type: string;
  bytes: number;
  width: number | null;
  height: number | null;
  created_ms: Ms;
}

export interface TicketBlocks {
  user_id: string;
  reason: string;
  by_id: string | null;
  created_ms: Ms;
}

/** Words of lines, for the search; `doc`: number of the ticket × 2^20 + number of the line. */
export interface TicketTexts {
  doc: number;
  message_id: string;
  words: string;
}

export interface TicketTags {
  ticket_id: string;
  tag: string;
}

/** Figures of tickets on a day that is over; `figures`: JSON of SpanFigures. */
export interface TicketReportDays {
  from_ms: Ms;
  to_ms: Ms;
  version: number;
  figures: string;
}

/** A time whose day has to be counted anew for the reports of tickets. */
export interface TicketReportMarks {
  id: string;
  at_ms: Ms;
}

export interface TicketsTables {
  ticket_report_days: TicketReportDays;
  ticket_report_marks: TicketReportMarks;
  ticket_tags: TicketTags;
  ticket_texts: TicketTexts;
  ticket_counter: TicketCounter;
  tickets: Tickets;
  ticket_messages: TicketMessages;
  ticket_mails: TicketMails;
  ticket_mailbox: TicketMailbox;
  ticket_attachments: TicketAttachments;
  ticket_blocks: TicketBlocks;
}
