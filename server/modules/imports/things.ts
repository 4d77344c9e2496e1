import { iso } from '#shared/time.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import type { TicketLine, TicketRow } from '../tickets/index.ts';
import type { Tx } from '../tx.ts';
import type { ImportsDeps } from './deps.ts';
import type { ImportedPayment, ImportOrigin } from './ports.ts';

interface Place {
  readonly runId: string;
  readonly origin: ImportOrigin;
}
/** Notes what a row of the source became. */
const note = (
  tx: Tx,
  { runId, origin }: Place,
  kind: 'code' | 'package' | 'payment' | 'ticket',
  sourceId: string,
  targetId: string,
) => tx.imports.addRow(origin, { kind, sourceId, runId, targetId, made: true, credits: 0, undo: '' });

interface ComingCode {
  readonly sourceId: string;
  readonly code: string;
  readonly credits: number;
  readonly usesTotal: number;
  readonly usesCount: number;
  readonly endsMs: number | null;
  /** Ids of ours of who used it already. */
  readonly users: readonly string[];
}
/** Makes a redeem code; who used it there cannot use it here. Throws VALIDATION_FAILED where there is one. */
export async function addCode({ ids, clock }: ImportsDeps, tx: Tx, place: Place, code: ComingCode): Promise<void> {
  const id = ids.uuid();
  const at = iso(clock.now());
  await tx.crud.area('redeemCodes').insert({
    id,
    code: code.code,
    code_key: normaliseCode(code.code),
    note: '',
    credits: code.credits,
    uses_total: code.usesTotal,
    uses_count: code.usesCount,
    min_age_days: 0,
    starts_at: null,
    ends_at: code.endsMs === null ? null : iso(code.endsMs),
    enabled: true,
    creator_id: null,
    changer_id: null,
    created_at: at,
    updated_at: at,
  });
  for (const userId of new Set(code.users)) await tx.imports.addCodeUse(id, userId);
  await note(tx, place, 'code', code.sourceId, id);
}

interface ComingPackage {
  readonly sourceId: string;
  readonly name: string;
  readonly priceMinor: number;
  readonly currency: string;
  readonly credits: number;
}
/** Makes a package of credits that is not yet sold: staff look at its price first. */
export async function addPackage(
  { ids, clock }: ImportsDeps,
  tx: Tx,
  place: Place,
  coming: ComingPackage,
): Promise<void> {
  const id = ids.uuid();
  const at = iso(clock.now());
  await tx.crud.area('creditPackages').insert({
    id,
    name: coming.name,
    price_minor: coming.priceMinor,
    currency: coming.currency,
    credits: coming.credits,
    bonus: 0,
    position: 0,
    visible: false,
    created_at: at,
    updated_at: at,
  });
  await note(tx, place, 'package', coming.sourceId, id);
}

/** Keeps a payment for the books; nothing is credited for it. */
export async function addPayment(
  { ids }: ImportsDeps,
  tx: Tx,
  place: Place,
  sourceId: string,
  payment: Omit<ImportedPayment, 'id' | 'runId'>,
): Promise<void> {
  const id = ids.uuid();
  await tx.imports.addPayment({ ...payment, id, runId: place.runId });
  await note(tx, place, 'payment', sourceId, id);
}

interface ComingTicket {
  readonly sourceId: string;
  readonly userId: string;
  readonly departmentId: string;
  readonly subject: string;
  readonly status: 'open' | 'answered' | 'closed';
  readonly priority: TicketRow['priority'];
  readonly atMs: number;
  /** At least one, in their order; `authorId`: null where nobody knows. */
  readonly lines: readonly Pick<TicketLine, 'authorId' | 'text' | 'createdMs'>[];
  /** Which of them staff wrote. */
  readonly byStaff: readonly boolean[];
}
/** Opens a ticket as it stood there, with its lines; nobody is notified. */
export async function addTicket({ ids }: ImportsDeps, tx: Tx, place: Place, ticket: ComingTicket): Promise<void> {
  const id = ids.uuid();
  const { lines, byStaff } = ticket;
  const last = lines.at(-1)?.createdMs ?? ticket.atMs;
  const answered = byStaff.lastIndexOf(true) + 1;
  const first = byStaff.indexOf(true);
  await tx.tickets.add({
    id,
    number: await tx.tickets.takeNumber(),
    userId: ticket.userId,
    departmentId: ticket.departmentId,
    subject: ticket.subject,
    priority: ticket.priority,
    status: ticket.status,
    serverId: null,
    assigneeId: null,
    messages: lines.length,
    answeredSeq: answered,
    readSeq: lines.length,
    createdMs: ticket.atMs,
    sinceMs: last,
    updatedMs: last,
    firstAnswerMs: first === -1 ? null : (lines[first]?.createdMs ?? last),
    closedMs: ticket.status === 'closed' ? last : null,
    rating: null,
    ratingText: '',
    ratedMs: null,
    staffSeq: ticket.status === 'open' ? answered : lines.length,
    mergedInto: null,
  });
  for (const [at, line] of lines.entries())
    await tx.tickets.addLine(id, { ...line, id: ids.uuid(), seq: at + 1, kind: byStaff[at] ? 'staff' : 'user' });
  await note(tx, place, 'ticket', ticket.sourceId, id);
}

/** The department of a name, made where there is none. */
export async function departmentOf({ ids, clock }: ImportsDeps, tx: Tx, name: string): Promise<string> {
  const known = await tx.tickets.listDepartments();
  const found = known.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (found) return found.id;
  const id = ids.uuid();
  const at = iso(clock.now());
  await tx.crud
    .area('departments')
    .insert({ id, name, description: '', hours: '', position: 1000, enabled: true, created_at: at, updated_at: at });
  return id;
}
