import type { FileAnswer, Handlers } from '#server/http/implement.types.ts';
import type { Attachment } from '#server/modules/tickets/attachment-ports.ts';
import type { Attachments, Presence, Ratings, ReadLine, Tickets } from '#server/modules/tickets/index.ts';
import type { NamedTicket } from '#server/modules/tickets/ports.ts';
import type { AttachmentView, TicketLineView } from '#shared/contract/ticket-shapes.ts';
import type { tickets as contract } from '#shared/contract/tickets.ts';
import { iso } from '#shared/time.ts';
import { parseCursor } from './account-activity.ts';

/** HTML of Markdown that may stand in a page. */
export type RenderMessage = (markdown: string) => string;

/** The tickets of the calling user. */
export function ticketsHandlers(deps: {
  readonly tickets: Tickets;
  readonly attachments: Attachments;
  readonly presence: Presence;
  readonly ratings: Ratings;
  readonly renderMessage: RenderMessage;
}): Handlers<typeof contract> {
  const { tickets, attachments, presence, ratings, renderMessage } = deps;
  return {
    async list(ctx, { query }) {
      const { rows, older, open } = await tickets.list(ctx, parseCursor(query.before), query.show);
      return {
        rows: rows.map((ticket) => ({
          ...toTicketRow(ticket),
          unread: ticket.isUnread,
          answer_ms: ticket.answerMs,
        })),
        older: older && `${older.ms}.${older.id}`,
        open,
      };
    },
    async form(ctx) {
      const { departments, servers, open, isBlocked } = await tickets.form(ctx);
      return {
        departments: departments.map(({ answerMs, ...each }) => ({ ...each, answer_ms: answerMs })),
        servers,
        open,
        blocked: isBlocked,
      };
    },
    create: (ctx, { body }) =>
      tickets.create(ctx, {
        departmentId: body.department,
        priority: body.priority,
        subject: body.subject,
        text: body.text,
        attachments: body.attachments,
        serverId: body.server ?? null,
      }),
    preview: async (_ctx, { body }) => ({ html: renderMessage(body.text) }),
    attach: async (ctx, { query, body }) =>
      toAttachmentView(await attachments.addOwn(ctx, { name: query.name ?? '', file: body })),
    async attachment(ctx, { params, query }) {
      const found = await attachments.getOwn(ctx, params.id, query.form === 'preview' ? 'preview' : 'whole');
      return toAttachmentAnswer(found, query.form);
    },
    async get(ctx, { params, query }) {
      const found = await tickets.get(ctx, params.id, query.before ?? null);
      return {
        ticket: { ...toTicketRow(found.ticket), unread: found.ticket.isUnread },
        ...toConversation(found, ctx.actor.userId, renderMessage),
        can: found.can,
        rating: toRating(found.ticket),
        read_seq: found.ticket.staffSeq,
        merged_into: found.mergedInto,
      };
    },
    rate: (ctx, { params, body }) => ratings.rate(ctx, params.id, body),
    writers: async (ctx, { params }) => ({ writers: toWriters(await presence.getOwn(ctx, params.id)) }),
    setTyping: (ctx, { params, body }) => presence.setOwn(ctx, params.id, body.typing),
    reply: (ctx, { params, body }) => tickets.reply(ctx, params.id, body),
    close: (ctx, { params }) => tickets.close(ctx, params.id),
    reopen: (ctx, { params }) => tickets.reopen(ctx, params.id),
    markRead: (ctx, { params, body }) => tickets.markRead(ctx, params.id, body.seq),
  };
}

/** What its user thought of a ticket, as it is answered. */
export const toRating = ({ rating, ratingText, ratedMs }: NamedTicket) =>
  rating === null || ratedMs === null ? null : { value: rating, text: ratingText, at: iso(ratedMs) };

/** Who writes in a ticket, as it is answered. */
export const toWriters = (writers: Awaited<ReturnType<Presence['getOwn']>>) =>
  writers.map(({ name, isStaff, isTyping, forMs }) => ({ name, staff: isStaff, typing: isTyping, for_ms: forMs }));

export const toAttachmentView = ({ id, name, type, bytes, width, height }: Attachment): AttachmentView => ({
  id,
  name,
  type,
  bytes,
  width,
  height,
});

/** A file as it is answered: a picture is shown where that is asked for, everything else is saved under its name. */
export const toAttachmentAnswer = (
  { attachment, bytes }: Awaited<ReturnType<Attachments['getOwn']>>,
  form: 'preview' | 'view' | undefined,
): FileAnswer => ({
  type: attachment.type,
  body: bytes,
  version: `${attachment.id}-${form ?? 'whole'}`,
  ...(form !== undefined && attachment.width !== null ? {} : { filename: attachment.name }),
});

/** What everybody who may see a ticket sees of it in a list. */
export function toTicketRow(ticket: NamedTicket) {
  const { id, number, subject, priority, status, department, server, serverId } = ticket;
  return {
    id,
    number,
    subject,
    priority,
    status,
    department,
    server: serverId !== null && server !== null && server !== '' ? { id: serverId, name: server } : null,
    created_at: iso(ticket.createdMs),
    updated_at: iso(ticket.updatedMs),
    closed_at: iso(ticket.closedMs),
  };
}

interface Conversation {
  readonly lines: readonly ReadLine[];
  readonly hasOlder: boolean;
  readonly closesMs: number | null;
}

/** The lines of a conversation as a caller reads them. */
export function toConversation(
  { lines, hasOlder, closesMs }: Conversation,
  callerId: string,
  renderMessage: RenderMessage,
): { lines: TicketLineView[]; older: boolean; closes_at: string | null } {
  return {
    lines: lines.map(({ id, seq, kind, author, authorId, text, event, attachments, createdMs }) => ({
      id,
      seq,
      kind,
      author,
      own: authorId === callerId,
      html: kind === 'event' ? null : renderMessage(text),
      event,
      attachments: attachments.map(toAttachmentView),
      at: iso(createdMs),
    })),
    older: hasOlder,
    closes_at: iso(closesMs),
  };
}
