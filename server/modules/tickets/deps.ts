import { DomainError, fieldError } from '#shared/errors.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { AnswerStatus, TicketStatus } from '#shared/tickets.ts';
import type { Events } from '../events/index.ts';
import type { Clock, Ids, Log, SignedIn } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import type { Attachment } from './attachment-ports.ts';
import type { LineKind, TicketChange, TicketEvent, TicketLine, TicketRow } from './ports.ts';

export interface TicketsDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Pick<Log, 'error'>;
  readonly events: Pick<Events, 'emit'>;
  readonly ledger: Pick<Ledger, 'balance' | 'history'>;
  readonly settings: { current(): SettingValues };
}

/** The topic that some ticket changed, for staff. */
export const TICKETS_TOPIC = 'tickets';

/** Lines of a conversation that are read at a time, and tickets of a list. */
const LINES = 50;
export const TICKETS = 25;

/** Says to the pages of a ticket's user and of staff that it changed. */
export function touchTicket(tx: Tx, userId: string): void {
  tx.touch(TICKETS_TOPIC, `tickets:${userId}`);
}

/** The ticket, locked. Throws NOT_FOUND. */
export async function getLocked(tx: Tx, id: string): Promise<TicketRow> {
  const ticket = await tx.tickets.lock(id);
  if (!ticket) throw new DomainError('NOT_FOUND');
  return ticket;
}

/** The caller's ticket, locked. Throws NOT_FOUND. */
export async function getOwn(tx: Tx, ctx: SignedIn, id: string): Promise<TicketRow> {
  const ticket = await tx.tickets.lock(id);
  if (!ticket || ticket.userId !== ctx.actor.userId) throw new DomainError('NOT_FOUND');
  return ticket;
}

/** A ticket to which nothing has happened yet. */
export const NEW_TICKET = {
  status: 'open',
  assigneeId: null,
  messages: 1,
  answeredSeq: 0,
  readSeq: 1,
  firstAnswerMs: null,
  closedMs: null,
  rating: null,
  ratingText: '',
  ratedMs: null,
  staffSeq: 0,
  mergedInto: null,
} as const satisfies Partial<TicketRow>;

/** Which ticket an event is about. */
export const toEventData = ({ id, number, userId, subject }: TicketRow) => ({ ticketId: id, number, userId, subject });

interface NewLine {
  readonly kind: LineKind;
  readonly authorId: string | null;
  readonly text: string;
  /** Ids of files that its author kept for it. */
  readonly attachments?: readonly string[];
}

/** Makes files that were kept for a message those of a line. Throws VALIDATION_FAILED where one is there no longer. */
export async function bindAttachments(
  tx: Tx,
  ids: readonly string[],
  line: { readonly authorId: string; readonly ticketId: string; readonly seq: number },
): Promise<void> {
  if ((await tx.attachments.bind(ids, line)) < new Set(ids).size) throw fieldError('attachments', 'ATTACHMENT_GONE');
}

/** Adds lines to a locked ticket and changes it. Out: the ticket as it is then. */
export async function addLines(
  { ids, clock }: Pick<TicketsDeps, 'ids' | 'clock'>,
  tx: Tx,
  ticket: TicketRow,
  lines: readonly NewLine[],
  change: Omit<TicketChange, 'messages'>,
): Promise<TicketRow> {
  let seq = ticket.messages;
  for (const { kind, authorId, text, attachments = [] } of lines) {
    seq += 1;
    await tx.tickets.addLine(ticket.id, { id: ids.uuid(), seq, createdMs: clock.now(), kind, authorId, text });
    if (authorId !== null) await bindAttachments(tx, attachments, { authorId, ticketId: ticket.id, seq });
  }
  const whole = { ...change, messages: seq };
  await tx.tickets.update(ticket.id, whole);
  touchTicket(tx, ticket.userId);
  return { ...ticket, ...whole };
}

/** A line that says what happened. */
export const eventLine = (authorId: string | null, event: TicketEvent): NewLine => ({
  kind: 'event',
  authorId,
  text: JSON.stringify(event),
});

/** A line as it is read: its author by name, and what happened instead of its JSON. */
export interface ReadLine extends TicketLine {
  readonly author: string | null;
  readonly event: TicketEvent | null;
  readonly attachments: readonly Attachment[];
}

/** The latest lines of a ticket before a number (null: the last ones), in the order of time, and whether there are more. */
export async function readLines(
  tx: Tx,
  ticketId: string,
  before: number | null,
  withNotes: boolean,
): Promise<{ lines: ReadLine[]; hasOlder: boolean }> {
  const found = await tx.tickets.listLines(ticketId, { withNotes, before, limit: LINES + 1 });
  const shown = found.slice(0, LINES).toReversed();
  const [first, last] = [shown.at(0), shown.at(-1)];
  const files = first && last ? await tx.attachments.listOfLines(ticketId, first.seq, last.seq) : [];
  const lines: ReadLine[] = [];
  for (const line of shown)
    lines.push({
      ...line,
      event: line.kind === 'event' ? await readEvent(tx, line.text) : null,
      attachments: files.filter(({ seq }) => seq === line.seq),
    });
  return { lines, hasOlder: found.length > LINES };
}

async function readEvent(tx: Tx, text: string): Promise<TicketEvent> {
  const event = JSON.parse(text) as TicketEvent;
  if (event.what !== 'assignee' || event.to === null) return event;
  return { ...event, to: (await tx.identity.findUser(event.to))?.username ?? null };
}

/** What else changes with where a ticket stands. */
export function standing(status: AnswerStatus | TicketStatus, nowMs: number): TicketChange {
  return { status, sinceMs: nowMs, closedMs: status === 'closed' ? nowMs : null };
}
