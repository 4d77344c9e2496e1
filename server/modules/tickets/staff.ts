import { can } from '#shared/can.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import {
  TAGS_OFFERED,
  TICKETS_COUNTED,
  type AnswerStatus,
  type TicketPriority,
  type TicketStatus,
} from '#shared/tickets.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { addLines, eventLine, toEventData, getLocked, readLines, standing, type TicketsDeps } from './deps.ts';
import type { TicketChange, TicketEvent, TicketRow } from './ports.ts';
import { findMergedInto } from './moves.ts';
import { closesMs, medianOf } from './service.ts';

/** Staff to whom a ticket can be given. */
const STAFF = 50;
/** Servers, movements of credits and other tickets on the card of a ticket's user. */
const CARD_SERVERS = 5;
const CARD_MOVEMENTS = 5;
const CARD_TICKETS = 5;
/** Tickets closed today of which the time to their first answer is told. */
const CLOSED = 200;

interface StaffReply {
  /** Markdown; '' where there are files. */
  readonly text: string;
  /** Ids of files that were kept for it. */
  readonly attachments?: readonly string[] | undefined;
  /** For staff alone. */
  readonly internal: boolean;
  readonly status: AnswerStatus;
  /** Number of the last line that its writer saw. */
  readonly seen: number;
}
export interface StaffChange {
  readonly status?: TicketStatus | undefined;
  readonly priority?: TicketPriority | undefined;
  readonly departmentId?: string | undefined;
  /** Null: nobody. */
  readonly assigneeId?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
}
export type StaffTickets = ReturnType<typeof createStaffTickets>;
interface StaffDeps extends TicketsDeps {
  /** Markdown without its marks, for e-mails. */
  readonly toPlainText: (markdown: string) => string;
}

/** The tickets of everybody, for staff (behaviour 7.3). */
export function createStaffTickets(deps: StaffDeps) {
  const { uow, clock } = deps;

  /** A ticket with its latest lines, and who its user is. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, id: string, before: number | null) {
    assertMay(ctx, 'admin.tickets.view');
    return uow.read(async (tx) => {
      const ticket = await tx.tickets.find(id);
      if (!ticket) throw new DomainError('NOT_FOUND');
      return {
        ticket: { ...ticket, tags: await tx.ticketInbox.tagsOf(id) },
        offeredTags: await tx.ticketInbox.listTags(TAGS_OFFERED),
        ...(await readLines(tx, id, before, true)),
        closesMs: closesMs(ticket),
        mergedInto: await findMergedInto(tx, ticket),
        block: await tx.ticketMoves.findBlock(ticket.userId),
        card: await cardOf(deps, tx, ctx, ticket),
        staff: await listAssignable(tx),
        departments: (await tx.tickets.listDepartments()).map((each) => ({ id: each.id, name: each.name })),
      };
    });
  }

  /**
   * Answers, or notes something for staff, once an Idempotency-Key. Throws FORBIDDEN, NOT_FOUND; TICKET_CHANGED where
   * somebody wrote an answer that the caller has not seen.
   */
  function reply(ctx: SignedIn, id: string, input: StaffReply): Promise<{ seq: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.tickets.view');
      const ticket = await getLocked(tx, id);
      const after = await (input.internal ? addNote : addAnswer)(deps, tx, ctx, ticket, input);
      return { seq: after.messages };
    });
  }

  /** Notes that staff have read a ticket up to a line. Throws FORBIDDEN, NOT_FOUND. */
  function markRead(ctx: SignedIn, id: string, seq: number): Promise<void> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.tickets.view');
      const ticket = await getLocked(tx, id);
      const upTo = Math.min(seq, ticket.messages);
      if (upTo <= ticket.staffSeq) return;
      await tx.tickets.update(id, { staffSeq: upTo });
      tx.touch(`tickets:${ticket.userId}`);
    });
  }

  /** Changes a ticket. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED at what is not there to be chosen. */
  function update(ctx: SignedIn, id: string, change: StaffChange): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.tickets.view');
      await changeTicket(deps, tx, ctx, await getLocked(tx, id), change);
    });
  }

  /** Of the overview: what waits, what nobody takes care of, what was closed since a moment. Throws FORBIDDEN. */
  async function summary(ctx: SignedIn, sinceMs: number) {
    assertMay(ctx, 'admin.dashboard.components.support.view');
    return uow.read(async (tx) => {
      const { count, sinceMs: oldestMs, unassigned } = await tx.tickets.waiting(TICKETS_COUNTED);
      const closed = await tx.tickets.closedSince(sinceMs, CLOSED);
      return {
        open: count,
        oldestMs,
        unassigned,
        closed: closed.count,
        answerMs: medianOf(closed.answerTimes, 1),
      };
    });
  }

  return { get, reply, markRead, update, summary };
}

async function addNote(deps: TicketsDeps, tx: Tx, ctx: SignedIn, ticket: TicketRow, input: StaffReply) {
  const { text, attachments = [] } = input;
  const note = { kind: 'note', authorId: ctx.actor.userId, text, attachments } as const;
  const after = await addLines(deps, tx, ticket, [note], {});
  await deps.events.emit(tx, 'ticket.noted', toEventData(ticket), ctx);
  return after;
}

/** Adds an answer; who answers a ticket of which nobody takes care takes care of it. */
async function addAnswer(deps: StaffDeps, tx: Tx, ctx: SignedIn, ticket: TicketRow, input: StaffReply) {
  const { userId: authorId } = ctx.actor;
  const now = deps.clock.now();
  if (ticket.mergedInto !== null) throw new DomainError('TICKET_MERGED');
  if (ticket.answeredSeq > input.seen) throw new DomainError('TICKET_CHANGED');
  const seq = ticket.messages + 1;
  const isClosing = input.status === 'closed';
  const after = await addLines(
    deps,
    tx,
    ticket,
    [
      { kind: 'staff', authorId, text: input.text, attachments: input.attachments ?? [] },
      ...(isClosing ? [eventLine(authorId, { what: 'status', to: 'closed' })] : []),
    ],
    {
      ...standing(input.status, now),
      answeredSeq: seq,
      updatedMs: now,
      assigneeId: ticket.assigneeId ?? authorId,
      firstAnswerMs: ticket.firstAnswerMs ?? now,
    },
  );
  const files = await tx.attachments.listOfLines(ticket.id, seq, seq);
  // An e-mail names files; they are opened on the site.
  const text = [deps.toPlainText(input.text), files.map(({ name }) => `[${name}]`).join('\n')].filter(Boolean);
  const facts = { ...toEventData(ticket), seq, status: input.status, text: text.join('\n\n') };
  await deps.events.emit(tx, 'ticket.answered', facts, ctx);
  if (isClosing && ticket.status !== 'closed') await emitClosed(deps, tx, ctx, ticket);
  return after;
}

const emitClosed = (deps: TicketsDeps, tx: Tx, ctx: SignedIn, ticket: TicketRow): Promise<void> =>
  deps.events.emit(tx, 'ticket.closed', { ...toEventData(ticket), by: 'staff', atMs: deps.clock.now() }, ctx);

/**
 * Changes a locked ticket, where there is something to change. Throws VALIDATION_FAILED at what cannot be chosen,
 * TICKET_MERGED.
 */
export async function changeTicket(
  deps: TicketsDeps,
  tx: Tx,
  ctx: SignedIn,
  ticket: TicketRow,
  change: StaffChange,
): Promise<void> {
  if (ticket.mergedInto !== null) throw new DomainError('TICKET_MERGED');
  const { events, columns, from, to } = await changesOf(deps, tx, ticket, change);
  if (change.tags) {
    const before = await tx.ticketInbox.tagsOf(ticket.id);
    const after = [...new Set(change.tags)].toSorted();
    if (before.join() !== after.join()) {
      await tx.ticketInbox.replaceTags(ticket.id, after);
      [from.tags, to.tags] = [before.join(', '), after.join(', ')];
    }
  }
  if (Object.keys(to).length === 0) return;
  const lines = events.map((event) => eventLine(ctx.actor.userId, event));
  await addLines(deps, tx, ticket, lines, columns);
  await deps.events.emit(tx, 'ticket.changed', { ...toEventData(ticket), from, to }, ctx);
  if (to.status === 'closed') await emitClosed(deps, tx, ctx, ticket);
}

/** What a change does: lines of the conversation, columns, and what the audit log keeps. */
async function changesOf(deps: TicketsDeps, tx: Tx, ticket: TicketRow, change: StaffChange) {
  const events: TicketEvent[] = [];
  const columns: TicketChange[] = [];
  const from: Record<string, string | null> = {};
  const to: Record<string, string | null> = {};
  const note = (name: string, before: string | null, after: string | null) => {
    [from[name], to[name]] = [before, after];
  };
  const { status, priority, departmentId, assigneeId } = change;
  if (assigneeId !== undefined && assigneeId !== ticket.assigneeId) {
    const isStaff = (await listAssignable(tx)).some(({ id }) => id === assigneeId);
    if (assigneeId !== null && !isStaff) throw fieldError('assignee', 'UNAVAILABLE');
    events.push({ what: 'assignee', to: assigneeId });
    columns.push({ assigneeId });
    note('assignee', ticket.assigneeId, assigneeId);
  }
  if (departmentId !== undefined && departmentId !== ticket.departmentId) {
    const department = await tx.tickets.findDepartment(departmentId);
    if (!department) throw fieldError('department', 'UNAVAILABLE');
    events.push({ what: 'department', to: department.name });
    columns.push({ departmentId });
    note('department', ticket.departmentId, departmentId);
  }
  if (priority !== undefined && priority !== ticket.priority) {
    events.push({ what: 'priority', from: ticket.priority, to: priority });
    columns.push({ priority });
    note('priority', ticket.priority, priority);
  }
  if (status !== undefined && status !== ticket.status) {
    events.push({ what: 'status', to: status });
    columns.push({ ...standing(status, deps.clock.now()), updatedMs: deps.clock.now() });
    note('status', ticket.status, status);
  }
  return { events, columns: Object.assign({}, ...columns) as TicketChange, from, to };
}

/** Staff who answer tickets, by name. */
export async function listAssignable(tx: Tx): Promise<{ id: string; username: string }[]> {
  const ids = await tx.access.holders(['admin.tickets.view', 'admin.root'], STAFF);
  const found = [];
  for (const id of ids) {
    const user = await tx.identity.findUser(id);
    if (user) found.push({ id, username: user.username });
  }
  return found.toSorted((a, b) => a.username.localeCompare(b.username));
}

/**
 * What stands beside a conversation of its user, as far as the caller may see it elsewhere as well (attacks T59); null
 * where the account is gone.
 */
async function cardOf({ ledger }: TicketsDeps, tx: Tx, ctx: SignedIn, ticket: TicketRow) {
  const { userId } = ticket;
  const user = await tx.identity.findUser(userId);
  if (!user) return null;
  const owned = can(ctx.actor.permissions, 'admin.servers.list') ? await tx.servers.listByUser(userId) : [];
  // The one that the ticket is about comes first.
  const servers = owned.toSorted((a, b) => Number(b.id === ticket.serverId) - Number(a.id === ticket.serverId));
  const { rows } = await ledger.history(tx, `user:${userId}`, { limit: CARD_MOVEMENTS });
  const tickets = await tx.tickets.listOfUser(userId, null, CARD_TICKETS + 1);
  return {
    username: user.username,
    status: user.status,
    createdMs: user.createdMs,
    balance: await ledger.balance(tx, `user:${userId}`),
    tickets: await tx.tickets.countOfUser(userId),
    otherTickets: tickets
      .filter(({ id }) => id !== ticket.id)
      .slice(0, CARD_TICKETS)
      .map(({ id, number, subject, status }) => ({ id, number, subject, status })),
    servers: servers.slice(0, CARD_SERVERS).map(({ id, name, state }) => ({ id, name, state })),
    movements: rows,
  };
}
