import { DomainError, fieldError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import {
  AUTO_CLOSE_DAYS,
  OPEN_TICKETS_MAX,
  REOPEN_DAYS,
  type TicketPriority,
  type TicketShare,
} from '#shared/tickets.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import {
  addLines,
  bindAttachments,
  eventLine,
  getOwn,
  NEW_TICKET,
  toEventData,
  readLines,
  standing,
  TICKETS,
  touchTicket,
  type TicketsDeps,
} from './deps.ts';
import { assertNotBlocked } from './blocks.ts';
import { findMergedInto } from './moves.ts';
import { isRateable } from './ratings.ts';
import type { NamedTicket, TicketCursor, TicketRow } from './ports.ts';

/** First answers of a department from which it is said how long one takes, and how many are looked at. */
const ANSWERS_MIN = 3;
const ANSWERS = 50;

interface NewTicket {
  readonly departmentId: string;
  readonly priority: TicketPriority;
  readonly subject: string;
  /** Markdown. */
  readonly text: string;
  readonly serverId: string | null;
  /** Ids of files that were kept for it. */
  readonly attachments?: readonly string[] | undefined;
}
interface NewMessage {
  /** Markdown; '' where there are files. */
  readonly text: string;
  readonly attachments?: readonly string[] | undefined;
}
export type Tickets = ReturnType<typeof createTickets>;

/** The tickets of the calling user (behaviour 7.3). Those of others are as good as unknown: NOT_FOUND. */
export function createTickets(deps: TicketsDeps) {
  return { ...readingOf(deps), ...writingOf(deps) };
}

/** What users read of their tickets. */
function readingOf({ uow, clock }: TicketsDeps) {
  /**
   * A page of the caller's tickets, all or a share of them, where the next one begins, and how many are not closed.
   * `answerMs`, of one that waits for its first answer: half of them were quicker in its department; null: not known.
   */
  function list(ctx: SignedIn, before: TicketCursor | null, share?: TicketShare) {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const found = await tx.tickets.listOfUser(userId, before, TICKETS + 1, share);
      const rows = found.slice(0, TICKETS);
      const last = rows.at(-1);
      const isWaiting = ({ status, firstAnswerMs }: TicketRow) => status === 'open' && firstAnswerMs === null;
      const times = new Map<string, number | null>();
      for (const id of new Set(rows.filter(isWaiting).map(({ departmentId }) => departmentId)))
        times.set(id, await usualAnswerMs(tx, id));
      return {
        rows: rows.map((ticket) => ({
          ...ticket,
          isUnread: isUnread(ticket),
          answerMs: isWaiting(ticket) ? (times.get(ticket.departmentId) ?? null) : null,
        })),
        older: found.length > TICKETS && last ? { ms: last.updatedMs, id: last.id } : null,
        open: await tx.tickets.countOpen(userId),
      };
    });
  }

  /** What the form of a new ticket offers. `answerMs`: half of the first answers were quicker; null: not known. */
  function form(ctx: SignedIn) {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const departments = [];
      for (const department of await tx.tickets.listDepartments())
        departments.push({
          ...department,
          answerMs: await usualAnswerMs(tx, department.id),
        });
      const servers = await tx.servers.listByUser(userId);
      return {
        departments,
        servers: servers.map(({ id, name }) => ({ id, name })),
        open: await tx.tickets.countOpen(userId),
        isBlocked: (await tx.ticketMoves.findBlock(userId)) !== null,
      };
    });
  }

  /** A ticket with its latest lines before a number (null: the last ones). Throws NOT_FOUND. */
  function get(ctx: SignedIn, id: string, before: number | null) {
    return uow.read(async (tx) => {
      const ticket = await tx.tickets.find(id);
      if (!ticket || ticket.userId !== ctx.actor.userId) throw new DomainError('NOT_FOUND');
      return {
        ticket: { ...ticket, isUnread: isUnread(ticket) },
        ...(await readLines(tx, id, before, false)),
        closesMs: closesMs(ticket),
        mergedInto: await findMergedInto(tx, ticket),
        can: {
          reply: ticket.status !== 'closed',
          close: ticket.status !== 'closed',
          reopen: isReopenable(ticket, clock.now()),
          rate: isRateable(ticket, clock.now()),
        },
      };
    });
  }

  /** Notes that the caller has read a ticket up to a line. Throws NOT_FOUND. */
  function markRead(ctx: SignedIn, id: string, seq: number): Promise<void> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const ticket = await getOwn(tx, ctx, id);
      const upTo = Math.min(seq, ticket.messages);
      if (upTo <= ticket.readSeq) return;
      await tx.tickets.update(id, { readSeq: upTo });
      touchTicket(tx, ticket.userId);
    });
  }

  return { list, form, get, markRead };
}

/** What users write in their tickets. */
function writingOf(deps: TicketsDeps) {
  const { uow, clock } = deps;

  /**
   * Opens a ticket, once an Idempotency-Key. Throws TICKET_BLOCKED, TICKET_LIMIT, VALIDATION_FAILED at `department`
   * where it is not in use, and at `server` where it is not the caller's.
   */
  function create(ctx: SignedIn, input: NewTicket): Promise<{ id: string; number: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, (tx) => openTicket(deps, tx, ctx.actor.userId, input, ctx));
  }

  /** Adds a message, once an Idempotency-Key; the ticket waits for staff again. Throws NOT_FOUND, TICKET_CLOSED. */
  function reply(ctx: SignedIn, id: string, message: NewMessage): Promise<{ seq: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const ticket = await getOwn(tx, ctx, id);
      if (ticket.status === 'closed') throw new DomainError('TICKET_CLOSED');
      return addReply(deps, tx, ticket, message, ctx);
    });
  }

  /** Closes a ticket; nothing happens to one that is. Throws NOT_FOUND. */
  function close(ctx: SignedIn, id: string): Promise<void> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const ticket = await getOwn(tx, ctx, id);
      if (ticket.status === 'closed') return;
      await closeTicket(deps, tx, ticket, ctx.actor.userId, 'user');
    });
  }

  /**
   * Reopens a ticket that was closed lately; nothing happens to one that is not closed. Throws NOT_FOUND, TICKET_CLOSED
   * where it is too late, TICKET_BLOCKED, TICKET_LIMIT.
   */
  function reopen(ctx: SignedIn, id: string): Promise<void> {
    const { userId } = ctx.actor;
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      // In the order of `create`: first the user, then the ticket.
      await tx.identity.lockUser(userId);
      const ticket = await getOwn(tx, ctx, id);
      if (ticket.status !== 'closed') return;
      if (!isReopenable(ticket, clock.now())) throw new DomainError('TICKET_CLOSED');
      await assertMayOpen(tx, userId);
      await reopenTicket(deps, tx, ticket, ctx);
    });
  }

  return { create, reply, close, reopen };
}

/**
 * Opens a ticket of a user, who is locked. `by`: whose call it is, null where it came by mail. Throws TICKET_LIMIT,
 * VALIDATION_FAILED at `department` where it is not in use, and at `server` where it is not the user's.
 */
export async function openTicket(
  deps: TicketsDeps,
  tx: Tx,
  userId: string,
  input: NewTicket,
  by: Ctx | null,
): Promise<{ id: string; number: number }> {
  const now = deps.clock.now();
  await assertMayOpen(tx, userId);
  if (!(await tx.tickets.findDepartment(input.departmentId))) throw fieldError('department', 'UNAVAILABLE');
  await assertOwnServer(tx, userId, input.serverId);
  const ticket: TicketRow = {
    id: deps.ids.uuid(),
    number: await tx.tickets.takeNumber(),
    userId,
    departmentId: input.departmentId,
    subject: input.subject,
    priority: input.priority,
    serverId: input.serverId,
    createdMs: now,
    sinceMs: now,
    updatedMs: now,
    ...NEW_TICKET,
  };
  await tx.tickets.add(ticket);
  await tx.tickets.addLine(ticket.id, {
    id: deps.ids.uuid(),
    seq: 1,
    kind: 'user',
    authorId: userId,
    text: input.text,
    createdMs: now,
  });
  await bindAttachments(tx, input.attachments ?? [], { authorId: userId, ticketId: ticket.id, seq: 1 });
  touchTicket(tx, userId);
  await deps.events.emit(tx, 'ticket.created', { ...toEventData(ticket), byMail: by === null }, by);
  return { id: ticket.id, number: ticket.number };
}

/**
 * Adds a message of its user to a locked ticket that is not closed; it waits for staff again. `by`: whose call it is,
 * null where it came by mail.
 */
export async function addReply(
  deps: TicketsDeps,
  tx: Tx,
  ticket: TicketRow,
  { text, attachments = [] }: NewMessage,
  by: Ctx | null,
): Promise<{ seq: number }> {
  const now = deps.clock.now();
  const turn = ticket.status === 'open' ? {} : standing('open', now);
  const after = await addLines(deps, tx, ticket, [{ kind: 'user', authorId: ticket.userId, text, attachments }], {
    ...turn,
    readSeq: ticket.messages + 1,
    updatedMs: now,
  });
  const { assigneeId, messages: seq } = after;
  await deps.events.emit(tx, 'ticket.replied', { ...toEventData(after), assigneeId, seq }, by);
  return { seq };
}

/** Reopens a locked ticket that its user closed or that was closed for them. Out: the ticket as it is then. */
export async function reopenTicket(deps: TicketsDeps, tx: Tx, ticket: TicketRow, by: Ctx | null): Promise<TicketRow> {
  const now = deps.clock.now();
  const line = eventLine(ticket.userId, { what: 'status', to: 'open' });
  const after = await addLines(deps, tx, ticket, [line], { ...standing('open', now), updatedMs: now });
  await deps.events.emit(tx, 'ticket.reopened', toEventData(ticket), by);
  return after;
}

/** Closes a locked ticket. `by`: who did, null for the system. */
export async function closeTicket(
  deps: TicketsDeps,
  tx: Tx,
  ticket: TicketRow,
  authorId: string | null,
  by: 'user' | 'silence',
): Promise<void> {
  const now = deps.clock.now();
  await addLines(deps, tx, ticket, [eventLine(authorId, { what: 'status', to: 'closed' })], {
    ...standing('closed', now),
    updatedMs: now,
  });
  await deps.events.emit(tx, 'ticket.closed', { ...toEventData(ticket), by, atMs: now });
}

/**
 * Throws TICKET_BLOCKED where staff said so; TICKET_LIMIT where a user has as many open tickets as one may; those that
 * come at once wait for each other.
 */
export async function assertMayOpen(tx: Tx, userId: string): Promise<void> {
  if ((await tx.identity.lockUser(userId))?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
  await assertNotBlocked(tx, userId);
  if ((await tx.tickets.countOpen(userId)) >= OPEN_TICKETS_MAX) throw new DomainError('TICKET_LIMIT');
}

async function assertOwnServer(tx: Tx, userId: string, serverId: string | null): Promise<void> {
  if (serverId === null) return;
  const own = await tx.servers.listByUser(userId);
  if (!own.some(({ id }) => id === serverId)) throw fieldError('server', 'UNAVAILABLE');
}

const isUnread = ({ answeredSeq, readSeq }: NamedTicket): boolean => answeredSeq > readSeq;

/** Whether a ticket was closed lately enough to be reopened. */
export const isReopenable = ({ closedMs, mergedInto }: TicketRow, nowMs: number): boolean =>
  closedMs !== null && mergedInto === null && nowMs < closedMs + REOPEN_DAYS * DAY;

/** When an answered ticket closes by itself if its user stays silent, UTC ms; null: it does not. */
export const closesMs = ({ status, sinceMs }: TicketRow): number | null =>
  status === 'answered' || status === 'waiting' ? sinceMs + AUTO_CLOSE_DAYS * DAY : null;

/** Half of the latest first answers of a department were quicker, ms; null: there are too few. */
const usualAnswerMs = async (tx: Tx, departmentId: string): Promise<number | null> =>
  medianOf(await tx.tickets.listAnswerTimes(departmentId, ANSWERS), ANSWERS_MIN);

/** The middle of some numbers; null where there are too few. */
export function medianOf(values: readonly number[], min: number): number | null {
  if (values.length < min) return null;
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}
