import { DomainError } from '#shared/errors.ts';
import { SECOND } from '#shared/time.ts';
import type { Bus, Clock, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { TicketRow } from './ports.ts';

interface PresenceDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly bus: Pick<Bus, 'publish'>;
}
export type Presence = ReturnType<typeof createPresence>;

/** What somebody writes: a message that both sides will read, or a note of staff. */
type Written = 'message' | 'note';
interface Writer {
  readonly userId: string;
  readonly name: string;
  readonly isStaff: boolean;
  readonly what: Written;
  /** When they were heard of last. */
  readonly atMs: number;
}
/** Somebody who writes, as the others see it. */
interface SeenWriter {
  readonly name: string;
  readonly isStaff: boolean;
  /** They typed a moment ago; false: an answer of theirs is begun. */
  readonly isTyping: boolean;
  /** For how long this holds, ms. */
  readonly forMs: number;
}

/** How long somebody counts as typing after they were heard of; pages say it every few seconds. */
const TYPING_MS = 8 * SECOND;
/** How long an answer that staff began counts as theirs. */
const ANSWERING_MS = 90 * SECOND;
/** Tickets of which this is remembered; the oldest are forgotten (attacks T52). */
const TICKETS_MAX = 5000;

/** Topic of staff's pages, and of the page of a ticket's user. */
export const TYPING_TOPIC = 'typing';
export const typingTopicOf = (userId: string): string => `${TYPING_TOPIC}:${userId}`;

/**
 * Who is writing in which ticket (behaviour 7.3). It is remembered by this process alone and never stored: pages say it
 * every few seconds, and what they do not say again is over. The stream of events names only that somebody began or
 * stopped.
 */
export function createPresence({ uow, clock, bus }: PresenceDeps) {
  const tickets = new Map<string, Map<string, Writer>>();

  const writersOf = (ticketId: string): Writer[] =>
    [...(tickets.get(ticketId)?.values() ?? [])].filter(({ atMs }) => clock.now() < atMs + ANSWERING_MS);

  /** Remembers that somebody writes, or (`what` null) stopped; says so where others see a difference. */
  function remember(ticket: TicketRow, writer: Omit<Writer, 'what' | 'atMs'>, what: Written | null): void {
    const writers = tickets.get(ticket.id) ?? new Map<string, Writer>();
    const before = writers.get(writer.userId);
    const wasTyping = before !== undefined && clock.now() < before.atMs + TYPING_MS;
    if (what === null) writers.delete(writer.userId);
    else writers.set(writer.userId, { ...writer, what, atMs: clock.now() });
    tickets.delete(ticket.id);
    if (writers.size > 0) tickets.set(ticket.id, writers);
    for (const oldest of tickets.keys()) {
      if (tickets.size <= TICKETS_MAX) break;
      tickets.delete(oldest);
    }
    if (what === null ? before !== undefined : !wasTyping || before.what !== what)
      bus.publish([TYPING_TOPIC, typingTopicOf(ticket.userId)]);
  }

  /** What the caller, on one side of a ticket, sees of the others who write in it. */
  function seenBy(callerId: string, ticketId: string, isStaff: boolean): SeenWriter[] {
    const now = clock.now();
    return writersOf(ticketId).flatMap((writer) => {
      const isTyping = now < writer.atMs + TYPING_MS;
      // A user sees who is typing an answer; staff see as well who has begun one, or a note.
      const isShown = isStaff ? isTyping || writer.isStaff : isTyping && writer.isStaff && writer.what === 'message';
      if (!isShown || writer.userId === callerId) return [];
      const forMs = writer.atMs + (isTyping ? TYPING_MS : ANSWERING_MS) - now;
      return [{ name: writer.name, isStaff: writer.isStaff, isTyping, forMs }];
    });
  }

  async function setWriting(ctx: SignedIn, id: string, what: Written | null, isStaff: boolean): Promise<void> {
    const { userId, viewer } = ctx.actor;
    if (viewer) throw new DomainError('VIEWING_READ_ONLY');
    const { ticket, user } = await uow.read(async (tx) => ({
      ticket: isStaff ? await getTicket(tx, id) : await getOwnTicket(tx, ctx, id),
      user: await tx.identity.findUser(userId),
    }));
    if (user) remember(ticket, { userId, name: user.username, isStaff }, what);
  }

  return {
    /** The caller types in a ticket of their own, or stopped. Throws NOT_FOUND, VIEWING_READ_ONLY. */
    setOwn: (ctx: SignedIn, id: string, isTyping: boolean) => setWriting(ctx, id, isTyping ? 'message' : null, false),
    /** A member of staff writes in a ticket, or (null) stopped. Throws FORBIDDEN, NOT_FOUND, VIEWING_READ_ONLY. */
    async setAsStaff(ctx: SignedIn, id: string, what: Written | null) {
      assertMay(ctx, 'admin.tickets.view');
      await setWriting(ctx, id, what, true);
    },
    /** Who of staff is typing an answer to the caller. Throws NOT_FOUND. */
    async getOwn(ctx: SignedIn, id: string): Promise<SeenWriter[]> {
      await uow.read((tx) => getOwnTicket(tx, ctx, id));
      return seenBy(ctx.actor.userId, id, false);
    },
    /** Who else writes in a ticket. Throws FORBIDDEN, NOT_FOUND. */
    async getAsStaff(ctx: SignedIn, id: string): Promise<SeenWriter[]> {
      assertMay(ctx, 'admin.tickets.view');
      await uow.read((tx) => getTicket(tx, id));
      return seenBy(ctx.actor.userId, id, true);
    },
  };
}

async function getTicket(tx: Tx, id: string): Promise<TicketRow> {
  const ticket = await tx.tickets.find(id);
  if (!ticket) throw new DomainError('NOT_FOUND');
  return ticket;
}

async function getOwnTicket(tx: Tx, ctx: SignedIn, id: string): Promise<TicketRow> {
  const ticket = await getTicket(tx, id);
  if (ticket.userId !== ctx.actor.userId) throw new DomainError('NOT_FOUND');
  return ticket;
}
