import type { Handlers } from '#server/http/implement.types.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type {
  Attachments,
  Presence,
  StaffTickets,
  TicketBlocks,
  TicketInbox,
  TicketMoves,
} from '#server/modules/tickets/index.ts';
import type { InboxTicket } from '#server/modules/tickets/inbox-ports.ts';
import type { adminTickets } from '#shared/contract/staff-tickets.ts';
import type { SettingValues } from '#shared/settings.ts';
import { iso } from '#shared/time.ts';
import { startOfDay } from '#shared/zoned.ts';
import { parseCursor } from '../account-activity.ts';
import { readableSubject } from '../statement.ts';
import {
  toAttachmentAnswer,
  toAttachmentView,
  toConversation,
  toRating,
  toTicketRow,
  toWriters,
  type RenderMessage,
} from '../tickets.ts';

interface Deps {
  readonly staffTickets: StaffTickets;
  readonly ticketInbox: TicketInbox;
  readonly attachments: Attachments;
  readonly presence: Presence;
  readonly ticketMoves: TicketMoves;
  readonly ticketBlocks: TicketBlocks;
  readonly renderMessage: RenderMessage;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}

/** The tickets of everybody, for staff. */
export function staffTicketsHandlers(deps: Deps): Handlers<typeof adminTickets> {
  const { staffTickets, ticketInbox, renderMessage, clock, settings } = deps;
  return {
    async list(ctx, { query }) {
      const { rows, more, overdueMs, ...rest } = await ticketInbox.list(
        ctx,
        {
          view: query.view ?? 'inbox',
          departmentId: query.department,
          userId: query.user,
          tag: query.tag,
          sort: query.sort,
          search: query.q?.trim() || undefined,
        },
        parseCursor(query.after),
      );
      return {
        ...rest,
        rows: rows.map(toStaffRow),
        more: more && `${more.ms}.${more.id}`,
        overdue_before: iso(overdueMs),
      };
    },
    async get(ctx, { params, query }) {
      const found = await staffTickets.get(ctx, params.id, query.before ?? null);
      const { card, staff, departments } = found;
      return {
        ticket: toStaffRow(found.ticket),
        ...toConversation(found, ctx.actor.userId, renderMessage),
        department_id: found.ticket.departmentId,
        rating: toRating(found.ticket),
        read_seq: found.ticket.readSeq,
        staff_seq: found.ticket.staffSeq,
        merged_into: found.mergedInto,
        block: found.block && { reason: found.block.reason, at: iso(found.block.createdMs) },
        card: card && {
          username: card.username,
          status: card.status,
          created_at: iso(card.createdMs),
          balance: card.balance,
          tickets: card.tickets,
          servers: card.servers,
          other_tickets: card.otherTickets,
          movements: card.movements.map((entry) => ({
            id: entry.id,
            at: iso(entry.createdMs),
            kind: entry.kind,
            subject: readableSubject(entry, ctx.actor.permissions),
            amount: entry.amount,
          })),
        },
        staff,
        departments,
        tags: found.offeredTags,
      };
    },
    ...conversationHandlers(deps),
    reply: (ctx, { params, body }) => staffTickets.reply(ctx, params.id, body),
    update: (ctx, { params, body }) =>
      staffTickets.update(ctx, params.id, {
        status: body.status,
        priority: body.priority,
        departmentId: body.department,
        assigneeId: body.assignee,
        tags: body.tags,
      }),
    cannedReplies: async (ctx) => ({ replies: await ticketInbox.listCannedReplies(ctx) }),
    changeMany: (ctx, { body }) =>
      ticketInbox.changeMany(ctx, body.ids, {
        status: body.status,
        priority: body.priority,
        departmentId: body.department,
        assigneeId: body.assignee,
        addTag: body.add_tag,
        removeTag: body.remove_tag,
      }),
    async summary(ctx) {
      const today = startOfDay(clock.now(), settings.current().app_timezone);
      const { open, unassigned, oldestMs, closed, answerMs } = await staffTickets.summary(ctx, today);
      return { open, unassigned, oldest_since: iso(oldestMs), closed_today: closed, answer_ms: answerMs };
    },
  };
}

type Conversing =
  'attach' | 'attachment' | 'merge' | 'split' | 'block' | 'unblock' | 'markRead' | 'writers' | 'setTyping';

/** What staff do in the conversation of a ticket beside writing. */
function conversationHandlers(deps: Deps): Pick<Handlers<typeof adminTickets>, Conversing> {
  const { staffTickets, attachments, presence, ticketMoves, ticketBlocks } = deps;
  return {
    attach: async (ctx, { query, body }) =>
      toAttachmentView(await attachments.addAsStaff(ctx, { name: query.name ?? '', file: body })),
    async attachment(ctx, { params, query }) {
      const found = await attachments.getAsStaff(ctx, params.id, query.form === 'preview' ? 'preview' : 'whole');
      return toAttachmentAnswer(found, query.form);
    },
    merge: (ctx, { params, body }) => ticketMoves.merge(ctx, params.id, body.into),
    split: (ctx, { params, body }) => ticketMoves.split(ctx, params.id, body),
    block: (ctx, { params, body }) => ticketBlocks.block(ctx, params.id, body.reason),
    unblock: (ctx, { params }) => ticketBlocks.unblock(ctx, params.id),
    markRead: (ctx, { params, body }) => staffTickets.markRead(ctx, params.id, body.seq),
    writers: async (ctx, { params }) => ({ writers: toWriters(await presence.getAsStaff(ctx, params.id)) }),
    setTyping: (ctx, { params, body }) => presence.setAsStaff(ctx, params.id, body.what),
  };
}

function toStaffRow(ticket: InboxTicket) {
  const { username, userId, assigneeId, assignee, sinceMs, messages, tags } = ticket;
  return {
    ...toTicketRow(ticket),
    username,
    user_id: userId,
    assignee: assigneeId === null ? null : { id: assigneeId, username: assignee },
    since: iso(sinceMs),
    messages,
    tags: [...tags],
  };
}
