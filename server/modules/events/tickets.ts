import * as z from 'zod/mini';
import { href } from '#shared/routes/href.ts';
import { TICKET_STATUSES } from '#shared/tickets.ts';
import { declareEvent } from './declare.ts';

/** Which ticket, and whose it is. */
const ofTicket = { ticketId: z.string(), number: z.number(), userId: z.string(), subject: z.string() };
const facts = ({ number, subject, ticketId }: { number: number; subject: string; ticketId: string }) => ({
  // As text: it is no amount.
  number: String(number),
  subject,
  ticket: ticketId,
});

/** What happens to tickets. */
export const TICKET_EVENTS = {
  'ticket.created': declareEvent({
    version: 1,
    /** `byMail`: by a mail, which is answered with the ticket's address. */
    payload: z.object({ ...ofTicket, byMail: z.boolean() }),
    outside: ['ticketId', 'number', 'userId'],
    description: 'A user opened a ticket.',
    mails: [
      {
        template: 'ticketOpened',
        to: ({ userId }) => userId,
        data: ({ number, subject, ticketId }) => ({
          number: String(number),
          subject,
          path: href('ticket.view', { id: ticketId }),
        }),
        ticketId: ({ ticketId }) => ticketId,
        when: ({ byMail }) => byMail,
      },
    ],
  }),
  /** A user’s e-mail opened no ticket, as they have as many as one may; `day`: on which day. */
  'ticket.mail_limit': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), subject: z.string(), day: z.string() }),
    outside: [],
    mails: [
      {
        template: 'ticketMailLimit',
        to: ({ userId }) => userId,
        data: ({ subject }) => ({ subject, path: href('ticket.list') }),
        key: ({ userId, day }) => `ticketMailLimit:${userId}:${day}`,
      },
    ],
  }),
  /** Its user wrote; `assigneeId`: who of staff takes care of it. */
  'ticket.replied': declareEvent({
    version: 1,
    payload: z.object({ ...ofTicket, assigneeId: z.nullable(z.string()), seq: z.number() }),
    outside: ['ticketId', 'number', 'userId'],
    description: 'A user wrote in a ticket.',
    notifications: [
      {
        kind: 'ticketReplied',
        to: ({ assigneeId }) => assigneeId ?? '',
        // Without what its user wrote: the notification outlives the account.
        data: ({ number, ticketId }) => ({ number: String(number), ticket: ticketId }),
        key: ({ ticketId, seq }) => `ticketReplied:${ticketId}:${seq}`,
        when: ({ assigneeId, userId }) => assigneeId !== null && assigneeId !== userId,
      },
    ],
  }),
  /** Staff answered. */
  'ticket.answered': declareEvent({
    version: 1,
    payload: z.object({ ...ofTicket, seq: z.number(), status: z.enum(TICKET_STATUSES), text: z.string() }),
    outside: ['ticketId', 'number', 'userId'],
    description: 'Staff answered a ticket.',
    notifications: [
      {
        kind: 'ticketAnswered',
        to: ({ userId }) => userId,
        data: facts,
        key: ({ ticketId, seq }) => `ticketAnswered:${ticketId}:${seq}`,
      },
    ],
    mails: [
      {
        template: 'ticketAnswered',
        to: ({ userId }) => userId,
        data: ({ number, subject, text, ticketId }) => ({
          number: String(number),
          subject,
          text,
          path: href('ticket.view', { id: ticketId }),
        }),
        key: ({ ticketId, seq }) => `ticketAnswered:${ticketId}:${seq}`,
        ticketId: ({ ticketId }) => ticketId,
      },
    ],
    audit: {
      action: 'tickets.reply',
      target: ({ ticketId }) => ticketId,
      after: ({ number, status }) => ({ name: `#${number}`, status }),
    },
  }),
  /** Staff wrote an internal note. */
  'ticket.noted': declareEvent({
    version: 1,
    payload: z.object(ofTicket),
    outside: [],
    audit: {
      action: 'tickets.note',
      target: ({ ticketId }) => ticketId,
      after: ({ number }) => ({ name: `#${number}` }),
    },
  }),
  /** Staff changed where it stands, how pressing it is, whose it is or where it belongs. */
  'ticket.changed': declareEvent({
    version: 1,
    payload: z.object({
      ...ofTicket,
      from: z.record(z.string(), z.nullable(z.string())),
      to: z.record(z.string(), z.nullable(z.string())),
    }),
    outside: ['ticketId', 'number', 'userId'],
    description: 'Staff changed the state, priority, department or assignee of a ticket.',
    notifications: [
      {
        kind: 'ticketAssigned',
        to: ({ to }) => to.assignee ?? '',
        // Without its subject, as of a reply.
        data: ({ number, ticketId }) => ({ number: String(number), ticket: ticketId }),
        // Whoever takes a ticket knows it.
        when: ({ to }, byId) => typeof to.assignee === 'string' && to.assignee !== byId,
      },
    ],
    audit: {
      action: 'tickets.update',
      target: ({ ticketId }) => ticketId,
      before: ({ number, from }) => ({ name: `#${number}`, ...from }),
      after: ({ number, to }) => ({ name: `#${number}`, ...to }),
    },
  }),
  /** It was closed; `by`: its user, staff, or itself after a long silence. */
  'ticket.closed': declareEvent({
    version: 1,
    payload: z.object({ ...ofTicket, by: z.enum(['user', 'staff', 'silence']), atMs: z.number() }),
    outside: ['ticketId', 'number', 'userId'],
    description: 'A ticket was closed.',
    notifications: [
      {
        kind: 'ticketClosed',
        to: ({ userId }) => userId,
        data: facts,
        key: ({ ticketId, atMs }) => `ticketClosed:${ticketId}:${atMs}`,
        when: ({ by }) => by !== 'user',
      },
    ],
  }),
  /** What its user wrote by e-mail was not added, as it is closed; `day`: on which day. */
  'ticket.mail_refused': declareEvent({
    version: 1,
    payload: z.object({ ...ofTicket, day: z.string() }),
    outside: [],
    mails: [
      {
        template: 'ticketMailRefused',
        to: ({ userId }) => userId,
        data: ({ number, subject }) => ({ number: String(number), subject, path: href('ticket.create') }),
        // Two programs that answer each other do so once a day.
        key: ({ ticketId, day }) => `ticketMailRefused:${ticketId}:${day}`,
      },
    ],
  }),
  /** Everything of it went into another. */
  'ticket.merged': declareEvent({
    version: 1,
    /** `intoId`, `intoSubject`: of the ticket that has its lines now. `byUser`: its user is the one of staff who did it. */
    payload: z.object({
      ...ofTicket,
      into: z.number(),
      intoId: z.string(),
      intoSubject: z.string(),
      byUser: z.boolean(),
    }),
    outside: ['ticketId', 'number', 'userId'],
    description: 'A ticket was merged into another.',
    notifications: [
      {
        kind: 'ticketMerged',
        to: ({ userId }) => userId,
        data: ({ number, into, intoId, intoSubject }) => ({
          number: String(number),
          into: String(into),
          subject: intoSubject,
          ticket: intoId,
        }),
        key: ({ ticketId }) => `ticketMerged:${ticketId}`,
        when: ({ byUser }) => !byUser,
      },
    ],
    audit: {
      action: 'tickets.merge',
      target: ({ ticketId }) => ticketId,
      after: ({ number, into }) => ({ name: `#${number}`, ticket: `#${into}` }),
    },
  }),
  /** Some of it went into a new one. */
  'ticket.split': declareEvent({
    version: 1,
    /** `madeId`, `madeSubject`: of the new one. `byUser`: its user is the one of staff who did it. */
    payload: z.object({
      ...ofTicket,
      made: z.number(),
      madeId: z.string(),
      madeSubject: z.string(),
      byUser: z.boolean(),
    }),
    outside: ['ticketId', 'number', 'userId'],
    description: 'Messages of a ticket were moved to a new one.',
    notifications: [
      {
        kind: 'ticketSplit',
        to: ({ userId }) => userId,
        data: ({ number, made, madeId, madeSubject }) => ({
          number: String(number),
          made: String(made),
          subject: madeSubject,
          ticket: madeId,
        }),
        key: ({ madeId }) => `ticketSplit:${madeId}`,
        when: ({ byUser }) => !byUser,
      },
    ],
    audit: {
      action: 'tickets.split',
      target: ({ ticketId }) => ticketId,
      after: ({ number, made }) => ({ name: `#${number}`, ticket: `#${made}` }),
    },
  }),
  /** Its user may open no tickets any more. */
  'ticket.sender_blocked': declareEvent({
    version: 1,
    payload: z.object({ ...ofTicket, reason: z.string() }),
    outside: ['userId'],
    description: 'Staff keep a user from opening tickets.',
    audit: {
      action: 'tickets.block',
      target: ({ ticketId }) => ticketId,
      after: ({ number, reason }) => ({ name: `#${number}`, reason }),
    },
  }),
  'ticket.sender_unblocked': declareEvent({
    version: 1,
    payload: z.object(ofTicket),
    outside: ['userId'],
    description: 'A user may open tickets again.',
    audit: {
      action: 'tickets.unblock',
      target: ({ ticketId }) => ticketId,
      after: ({ number }) => ({ name: `#${number}` }),
    },
  }),
  'ticket.reopened': declareEvent({
    version: 1,
    payload: z.object(ofTicket),
    outside: ['ticketId', 'number', 'userId'],
    description: 'A ticket was opened again.',
  }),
};
