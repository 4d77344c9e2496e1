import { DomainError, fieldError } from '#shared/errors.ts';
import { TICKET_PRIORITIES, type TicketStatus } from '#shared/tickets.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx } from '../tx.ts';
import {
  addLines,
  eventLine,
  getLocked,
  NEW_TICKET,
  standing,
  toEventData,
  touchTicket,
  type TicketsDeps,
} from './deps.ts';
import type { TicketRow } from './ports.ts';

export type TicketMoves = ReturnType<typeof createTicketMoves>;

/** Where a ticket stands that two became: what waits for staff goes before what waits for its user. */
const ORDER: readonly TicketStatus[] = ['open', 'on_hold', 'waiting', 'answered', 'closed'];
/** Tickets that were merged one into the other, looked through at most. */
const CHAIN_MAX = 20;

/**
 * Merging and splitting tickets (behaviour 7.3). Lines move, with their files, and get the next numbers of the ticket
 * that they go to: its own lines keep theirs, and so does everything that was read of it.
 */
export function createTicketMoves(deps: TicketsDeps) {
  const { uow, clock } = deps;

  /**
   * Moves everything of a ticket into another of the same user; what is left of it says where it went. Throws
   * FORBIDDEN, NOT_FOUND, TICKET_MERGED where either was merged, VALIDATION_FAILED at `into` where it is not that
   * user's, or itself.
   */
  function merge(ctx: SignedIn, id: string, into: number): Promise<{ id: string; number: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.tickets.view');
      const target = await tx.tickets.findByNumber(into);
      if (!target || target.id === id) throw fieldError('into', 'UNAVAILABLE');
      // In one order: two who merge them both ways wait for each other.
      const locked = new Map<string, TicketRow>();
      for (const each of [id, target.id].toSorted()) locked.set(each, await getLocked(tx, each));
      const [from, to] = [locked.get(id), locked.get(target.id)];
      if (!from || !to) throw new DomainError('NOT_FOUND');
      if (from.mergedInto !== null || to.mergedInto !== null) throw new DomainError('TICKET_MERGED');
      if (from.userId !== to.userId) throw fieldError('into', 'UNAVAILABLE');
      await join(deps, tx, ctx, from, to);
      const said = { into: to.number, intoId: to.id, intoSubject: to.subject, byUser: isOwn(ctx, from) };
      await deps.events.emit(tx, 'ticket.merged', { ...toEventData(from), ...said }, ctx);
      return { id: to.id, number: to.number };
    });
  }

  /**
   * Makes a ticket of its own of a message of a user and all that follows it. Throws FORBIDDEN, NOT_FOUND,
   * TICKET_CLOSED, VALIDATION_FAILED at `seq` where that is no such message, or the first.
   */
  function split(
    ctx: SignedIn,
    id: string,
    input: { readonly seq: number; readonly subject: string },
  ): Promise<{ id: string; number: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.tickets.view');
      const found = await getLocked(tx, id);
      if (found.status === 'closed') throw new DomainError('TICKET_CLOSED');
      const [line] = await tx.tickets.listLines(id, { withNotes: true, before: input.seq + 1, limit: 1 });
      if (input.seq < 2 || line?.seq !== input.seq || line.kind !== 'user') throw fieldError('seq', 'UNAVAILABLE');
      const made = await separate(deps, tx, ctx, found, { ...input, sentMs: line.createdMs });
      const said = { made: made.number, madeId: made.id, madeSubject: made.subject, byUser: isOwn(ctx, found) };
      await deps.events.emit(tx, 'ticket.split', { ...toEventData(found), ...said }, ctx);
      return { id: made.id, number: made.number };
    });
  }

  return { merge, split };
}

/** Whether a ticket is that of the member of staff who works on it. */
const isOwn = (ctx: SignedIn, { userId }: TicketRow): boolean => ctx.actor.userId === userId;

/** The ticket that has the lines of another now: the one it was merged into, and so on; itself where it was not. */
export async function findMerged(tx: Tx, ticket: TicketRow): Promise<TicketRow> {
  let found = ticket;
  for (let steps = 0; steps < CHAIN_MAX && found.mergedInto !== null; steps += 1)
    found = (await tx.tickets.find(found.mergedInto)) ?? { ...found, mergedInto: null };
  return found;
}

/** Where the lines of a ticket went; null: it was not merged. */
export async function findMergedInto(tx: Tx, ticket: TicketRow): Promise<{ id: string; number: number } | null> {
  if (ticket.mergedInto === null) return null;
  const { id, number } = await findMerged(tx, ticket);
  return { id, number };
}

/** Moves the lines of one locked ticket to the end of another. */
async function join(deps: TicketsDeps, tx: Tx, ctx: SignedIn, from: TicketRow, to: TicketRow): Promise<void> {
  const { userId: authorId } = ctx.actor;
  const now = deps.clock.now();
  const by = to.messages + 1;
  await addLines(deps, tx, to, [eventLine(authorId, { what: 'mergedFrom', to: `#${from.number}` })], {});
  await tx.ticketMoves.moveLines({ from, into: to, firstSeq: 1, by });
  const facts = await tx.ticketMoves.factsOf(to.id);
  const [wasUnread, bringsUnread] = [to.answeredSeq > to.readSeq, from.answeredSeq > from.readSeq];
  const first = ORDER.indexOf(from.status) < ORDER.indexOf(to.status) ? from : to;
  await tx.tickets.update(to.id, {
    messages: facts.last,
    answeredSeq: facts.answeredSeq,
    readSeq: wasUnread ? to.readSeq : bringsUnread ? by + from.readSeq : facts.last,
    staffSeq: to.staffSeq < to.messages ? to.staffSeq : by + Math.min(from.staffSeq, from.messages),
    status: first.status,
    sinceMs: from.status === to.status ? Math.min(from.sinceMs, to.sinceMs) : first.sinceMs,
    closedMs: first.closedMs,
    updatedMs: Math.max(from.updatedMs, to.updatedMs),
    firstAnswerMs: facts.firstAnswerMs,
    assigneeId: to.assigneeId ?? from.assigneeId,
    priority: TICKET_PRIORITIES.findLast((each) => [from.priority, to.priority].includes(each)) ?? to.priority,
  });
  // What is left of it: that it was merged. It counts as no answer, and was read.
  const line = eventLine(authorId, { what: 'merged', to: `#${to.number}` });
  await addLines(deps, tx, { ...from, messages: 0 }, [line], {
    ...standing('closed', now),
    updatedMs: now,
    answeredSeq: 0,
    readSeq: 1,
    staffSeq: 1,
    firstAnswerMs: null,
    mergedInto: to.id,
  });
}

/** Moves the lines of a locked ticket from a number on into a new one. */
async function separate(
  deps: TicketsDeps,
  tx: Tx,
  ctx: SignedIn,
  ticket: TicketRow,
  { seq, subject, sentMs }: { readonly seq: number; readonly subject: string; readonly sentMs: number },
): Promise<TicketRow> {
  const { userId: authorId } = ctx.actor;
  const made: TicketRow = {
    ...NEW_TICKET,
    id: deps.ids.uuid(),
    number: await tx.tickets.takeNumber(),
    userId: ticket.userId,
    departmentId: ticket.departmentId,
    subject,
    priority: ticket.priority,
    serverId: ticket.serverId,
    assigneeId: ticket.assigneeId,
    createdMs: sentMs,
    sinceMs: ticket.sinceMs,
    updatedMs: ticket.updatedMs,
  };
  await tx.tickets.add(made);
  await tx.ticketMoves.moveLines({ from: ticket, into: made, firstSeq: seq, by: 1 - seq });
  await tx.ticketMoves.addSubjectWords(made);
  const moved = await tx.ticketMoves.factsOf(made.id);
  const madeNow = {
    ...made,
    messages: moved.last,
    answeredSeq: moved.answeredSeq,
    readSeq: Math.max(1, ticket.readSeq - seq + 1),
    staffSeq: Math.max(0, ticket.staffSeq - seq + 1),
    firstAnswerMs: moved.firstAnswerMs,
    status: ticket.status,
  };
  await addLines(deps, tx, madeNow, [eventLine(authorId, { what: 'splitFrom', to: `#${ticket.number}` })], {
    answeredSeq: madeNow.answeredSeq,
    readSeq: madeNow.readSeq,
    staffSeq: madeNow.staffSeq,
    firstAnswerMs: madeNow.firstAnswerMs,
    status: madeNow.status,
  });
  const left = await tx.ticketMoves.factsOf(ticket.id);
  const isAnswered = left.updatedBy === 'staff';
  await addLines(
    deps,
    tx,
    { ...ticket, messages: left.last },
    [eventLine(authorId, { what: 'split', to: `#${made.number}` })],
    {
      answeredSeq: left.answeredSeq,
      readSeq: Math.min(ticket.readSeq, left.last),
      staffSeq: Math.min(ticket.staffSeq, left.last),
      firstAnswerMs: left.firstAnswerMs,
      updatedMs: left.updatedMs ?? ticket.updatedMs,
      ...(ticket.status === 'on_hold'
        ? {}
        : standing(isAnswered ? 'answered' : 'open', left.updatedMs ?? ticket.sinceMs)),
    },
  );
  touchTicket(tx, ticket.userId);
  return madeNow;
}
