import { TICKET_MAIL_MAX } from '#shared/contract/ticket-mail.ts';
import { OPEN_TICKETS_MAX } from '#shared/tickets.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, dayIn } from '#shared/time.ts';
import type { Log } from '../kernel.ts';
import { addReply, isReopenable, reopenTicket, type TicketRow, type TicketsDeps } from '../tickets/index.ts';
import type { Tx } from '../tx.ts';
import { isCodeOf, isOwnAddress, parseTicketAddresses, type AddressKey } from './address.ts';
import { originOf } from './origin.ts';
import type { IncomingMail, MailReader } from './ports.ts';

/** Mails of a ticket in a day: more are a loop, or a flood (attacks T52). */
const MAILS_A_DAY = 50;
const OWN_ID = /^([0-9a-f]{8}-[0-9a-f-]{27})@/;

/**
 * Why a mail was not added. `address`: it went to no address of a ticket's; `sender`: it is not from the address of the
 * ticket's user; `forged`: the own mail server says that it does not come from where it says.
 */
type Refusal =
  'off' | 'size' | 'unreadable' | 'automatic' | 'address' | 'sender' | 'forged' | 'empty' | 'closed' | 'flood';
/** What became of a mail. `known`: it was added before. */
type Received =
  | { readonly outcome: 'added'; readonly ticketId: string; readonly seq: number }
  | { readonly outcome: 'known' }
  | { readonly outcome: 'refused'; readonly why: Refusal };

interface Deps extends AddressKey, TicketsDeps {
  readonly log: Log;
  readonly reader: MailReader;
}
export type Receiver = ReturnType<typeof createReceiver>;

const refused = (why: Refusal): Received => ({ outcome: 'refused', why });

/** Whether answers by mail are taken at all. */
export function takesMail({ allow_tickets: on, ticket_mail_enabled: enabled, ticket_mail_address: to }: SettingValues) {
  return on && enabled && to !== '';
}

/**
 * Takes mails that answer those of tickets (behaviour 7.3): each becomes a message of its ticket once, however often
 * and by whatever way it comes. Only with the code of the ticket's address and from the address of its user; what a
 * program wrote is refused, so that two of them never write to each other.
 */
export function createReceiver(deps: Deps) {
  const { uow, settings, reader, log } = deps;

  async function take(raw: Uint8Array<ArrayBuffer>): Promise<Received> {
    const values = settings.current();
    if (!takesMail(values)) return refused('off');
    if (raw.byteLength > TICKET_MAIL_MAX) return refused('size');
    const mail = await reader.read(raw);
    if (mail === null) return refused('unreadable');
    const why = refusalOf(mail, values);
    return why === null ? uow.run((tx) => add(deps, tx, mail)) : refused(why);
  }

  /** In: a mail as it came. Throws where the database does; then nothing was added. */
  return async (raw: Uint8Array<ArrayBuffer>): Promise<Received> => {
    const received = await take(raw);
    if (received.outcome === 'added') log.info('ticket_mail.added', { ticket_id: received.ticketId });
    if (received.outcome === 'refused') log.info('ticket_mail.refused', { why: received.why });
    return received;
  };
}

/** What speaks against a mail before any ticket is looked at; null: nothing. */
function refusalOf({ isAutomatic, from, authResults }: IncomingMail, values: SettingValues): Refusal | null {
  if (isAutomatic) return 'automatic';
  if (from === null) return 'sender';
  const isOurs = from.toLowerCase() === values.mail_from_address.toLowerCase();
  if (isOurs || isOwnAddress(from, values.ticket_mail_address)) return 'automatic';
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return originOf(authResults, values.ticket_mail_authserv, domain) === 'forged' ? 'forged' : null;
}

/** The ticket that a mail answers, locked after its user; null where it went to no address of one. */
async function findTicket(deps: Deps, tx: Tx, mail: IncomingMail): Promise<TicketRow | null> {
  for (const { number, code } of parseTicketAddresses(mail.to, deps.settings.current().ticket_mail_address)) {
    const found = await tx.tickets.findByNumber(number);
    if (!found || !isCodeOf(deps, found.id, code)) continue;
    // In the order of all that opens tickets: first the user, then the ticket.
    await tx.identity.lockUser(found.userId);
    return tx.tickets.lock(found.id);
  }
  return null;
}

/** Whether a mail is from a user, by the address that is theirs now. */
async function isFrom({ settings }: Deps, tx: Tx, userId: string, from: string | null): Promise<boolean> {
  const user = await tx.identity.findUser(userId);
  if (user?.status !== 'active' || from === null) return false;
  const isProven = user.verifiedMs !== null || !settings.current().mail_verification;
  // Letter by letter: what merely looks alike is another mailbox (attacks T58).
  return isProven && user.email.toLowerCase() === from.toLowerCase();
}

/** Adds a mail to the ticket that it answers. */
async function add(deps: Deps, tx: Tx, mail: IncomingMail): Promise<Received> {
  const { clock, ids } = deps;
  const ticket = await findTicket(deps, tx, mail);
  if (!ticket) return refused('address');
  if (!(await isFrom(deps, tx, ticket.userId, mail.from))) return refused('sender');
  const ownId = OWN_ID.exec(mail.messageId ?? '')?.[1];
  if (ownId !== undefined && (await tx.mail.find(ownId))) return refused('automatic');
  const key = ids.hash(JSON.stringify([ticket.userId, mail.messageId ?? [ticket.id, mail.text]]));
  if (await tx.ticketMails.isKnown(key)) return { outcome: 'known' };
  if (mail.text === '') return refused('empty');
  const nowMs = clock.now();
  if ((await tx.ticketMails.countSince(ticket.id, nowMs - DAY)) >= MAILS_A_DAY) return refused('flood');
  const open = await openAgain(deps, tx, ticket);
  if (!open) return refused('closed');
  const { seq } = await addReply(deps, tx, open, { text: mail.text }, null);
  await tx.ticketMails.add({ key, ticketId: ticket.id, seq, messageId: mail.messageId ?? '', receivedMs: nowMs });
  return { outcome: 'added', ticketId: ticket.id, seq };
}

/** The ticket as it takes a message: reopened where it was closed lately. Null where it stays closed; its user hears so. */
async function openAgain(deps: Deps, tx: Tx, ticket: TicketRow): Promise<TicketRow | null> {
  if (ticket.status !== 'closed') return ticket;
  const nowMs = deps.clock.now();
  const hasRoom = (await tx.tickets.countOpen(ticket.userId)) < OPEN_TICKETS_MAX;
  if (isReopenable(ticket, nowMs) && hasRoom) return reopenTicket(deps, tx, ticket, null);
  const day = dayIn(nowMs, deps.settings.current().app_timezone);
  const { id: ticketId, number, userId, subject } = ticket;
  await deps.events.emit(tx, 'ticket.mail_refused', { ticketId, number, userId, subject, day });
  return null;
}
