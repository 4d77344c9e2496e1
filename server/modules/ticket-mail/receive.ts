import { ATTACHMENTS_MAX } from '#shared/attachments.ts';
import { TICKET_MAIL_MAX } from '#shared/contract/ticket-mail.ts';
import { DomainError } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, dayIn } from '#shared/time.ts';
import type { UserRow } from '../identity/ports.ts';
import type { Log } from '../kernel.ts';
import {
  addReply,
  assertMayOpen,
  findMerged,
  isReopenable,
  openTicket,
  reopenTicket,
  type Attachments,
  type TicketRow,
  type TicketsDeps,
} from '../tickets/index.ts';
import type { Tx } from '../tx.ts';
import { isCodeOf, isMailbox, isOwnAddress, parseTicketAddresses, type AddressKey } from './address.ts';
import { originOf } from './origin.ts';
import type { IncomingMail, MailReader } from './ports.ts';

/** Mails of a ticket in a day: more are a loop, or a flood (attacks T52). */
const MAILS_A_DAY = 50;
const OWN_ID = /^([0-9a-f]{8}-[0-9a-f-]{27})@/;

/**
 * Why a mail was not added. `address`: it went to no address of a ticket's, or opens none; `sender`: it is not from the
 * address of the ticket's user; `forged`: the own mail server does not say that it comes from where it says; `limit`:
 * its user has as many tickets as one may; `blocked`: staff let them open none.
 */
type Refusal =
  | 'off'
  | 'size'
  | 'unreadable'
  | 'automatic'
  | 'address'
  | 'sender'
  | 'forged'
  | 'empty'
  | 'closed'
  | 'flood'
  | 'limit'
  | 'blocked';
/** What became of a mail. `known`: it was added before. */
type Received =
  | { readonly outcome: 'added'; readonly ticketId: string }
  | { readonly outcome: 'known' }
  | { readonly outcome: 'refused'; readonly why: Refusal };
/** A mail that may be added: whose it is, the ticket that it answers (null: it opens one), and what it is known by. */
interface Taken {
  readonly user: UserRow;
  readonly ticket: TicketRow | null;
  readonly key: string;
}
/** What becomes of a mail's text and files. */
interface Message {
  readonly text: string;
  readonly attachments: readonly string[];
}

interface Deps extends AddressKey, TicketsDeps {
  readonly log: Log;
  readonly reader: MailReader;
  readonly attachments: Pick<Attachments, 'add'>;
  /** A line in a language that names files which were not taken. */
  readonly describeLeftOut: (locale: Locale, names: string) => string;
}
export type Receiver = ReturnType<typeof createReceiver>;

const refused = (why: Refusal): Received => ({ outcome: 'refused', why });

/** Whether answers by mail are taken at all. */
export function isTicketMailOn({
  allow_tickets: on,
  ticket_mail_enabled: enabled,
  ticket_mail_address: to,
}: SettingValues) {
  return on && enabled && to !== '';
}

/**
 * Takes mails of users (behaviour 7.3): each becomes a message of the ticket that it answers, or a new ticket, once,
 * however often and by whatever way it comes. An answer needs the code of the ticket's address and the address of its
 * user; a new ticket needs that the own mail server proved the sender. What a program wrote is refused, so that two of
 * them never write to each other.
 */
export function createReceiver(deps: Deps) {
  const { uow, settings, reader, log } = deps;

  async function take(raw: Uint8Array<ArrayBuffer>): Promise<Received> {
    const values = settings.current();
    if (!isTicketMailOn(values)) return refused('off');
    if (raw.byteLength > TICKET_MAIL_MAX) return refused('size');
    const mail = await reader.read(raw);
    if (mail === null) return refused('unreadable');
    const why = refusalOf(mail, values);
    if (why !== null) return refused(why);
    // Files are kept before the transaction: drawing a picture anew takes its time.
    const first = await uow.read((tx) => examine(deps, tx, mail, (id) => tx.identity.findUser(id)));
    if ('outcome' in first) return first;
    const message = await toMessage(deps, first.user, mail);
    return uow.run((tx) => add(deps, tx, mail, message));
  }

  /** In: a mail as it came. Throws where it could not be looked at, and should come again; then nothing was added. */
  return async (raw: Uint8Array<ArrayBuffer>): Promise<Received> => {
    const received = await take(raw);
    if (received.outcome === 'added') log.info('ticket_mail.added', { ticket_id: received.ticketId });
    if (received.outcome === 'refused') log.info('ticket_mail.refused', { why: received.why });
    return received;
  };
}

const originOfMail = ({ from, authResults }: IncomingMail, { ticket_mail_authserv: server }: SettingValues) =>
  originOf(authResults, server, from?.slice(from.lastIndexOf('@') + 1) ?? '');

/** What speaks against a mail before any ticket is looked at; null: nothing. */
function refusalOf(mail: IncomingMail, values: SettingValues): Refusal | null {
  const { isAutomatic, from } = mail;
  if (isAutomatic) return 'automatic';
  if (from === null) return 'sender';
  const isOurs = from.toLowerCase() === values.mail_from_address.toLowerCase();
  if (isOurs || isOwnAddress(from, values.ticket_mail_address)) return 'automatic';
  return originOfMail(mail, values) === 'forged' ? 'forged' : null;
}

/** The ticket that a mail answers; null where it went to no address of one. */
async function findTicket(deps: Deps, tx: Tx, { to }: IncomingMail): Promise<TicketRow | null> {
  for (const { number, code } of parseTicketAddresses(to, deps.settings.current().ticket_mail_address)) {
    const found = await tx.tickets.findByNumber(number);
    // What was merged into another goes on there.
    if (found && isCodeOf(deps, found.id, code)) return findMerged(tx, found);
  }
  return null;
}

/** Whose new ticket a mail is: who has its sender's address. Null where it opens none. */
async function findOpener({ settings }: Deps, tx: Tx, { to, from }: IncomingMail): Promise<string | null> {
  const { ticket_mail_new: isOn, ticket_mail_address: address } = settings.current();
  if (!isOn || from === null || !to.some((each) => isMailbox(each, address))) return null;
  return (await tx.identity.findUserByLogin(from))?.id ?? null;
}

/** Whether a mail is from a user, by the address that is theirs now. `asNew`: as a ticket that nothing else proves. */
function isFrom({ settings }: Deps, user: UserRow | null, { from }: IncomingMail, asNew: boolean): user is UserRow {
  if (user?.status !== 'active' || from === null) return false;
  const isProven = user.verifiedMs !== null || (!asNew && !settings.current().mail_verification);
  // Letter by letter: what merely looks alike is another mailbox (attacks T58).
  return isProven && user.email.toLowerCase() === from.toLowerCase();
}

/** Whether a mail may be added, and to what. In: also how its user is read. */
async function examine(
  deps: Deps,
  tx: Tx,
  mail: IncomingMail,
  readUser: (id: string) => Promise<UserRow | null>,
): Promise<Taken | Received> {
  const ticket = await findTicket(deps, tx, mail);
  const userId = ticket ? ticket.userId : await findOpener(deps, tx, mail);
  if (userId === null) return refused('address');
  if (!ticket && originOfMail(mail, deps.settings.current()) !== 'proven') return refused('forged');
  const user = await readUser(userId);
  if (!isFrom(deps, user, mail, ticket === null)) return refused('sender');
  const ownId = OWN_ID.exec(mail.messageId ?? '')?.[1];
  if (ownId !== undefined && (await tx.mail.find(ownId))) return refused('automatic');
  const files = mail.files.map(({ name, bytes }) => [name, bytes?.byteLength]);
  const name = mail.messageId ?? [mail.date, mail.subject, mail.text, files];
  const key = deps.ids.hash(JSON.stringify([userId, name]));
  if (await tx.ticketMails.isKnown(key)) return { outcome: 'known' };
  if (mail.text === '' && mail.files.length === 0) return refused('empty');
  return { user, ticket, key };
}

/** A mail as a message: its files are kept for it, and those that are not taken are named in it. Throws RATE_LIMITED. */
async function toMessage(deps: Deps, user: UserRow, { text, files }: IncomingMail): Promise<Message> {
  const [attachments, left]: [string[], string[]] = [[], []];
  for (const { name, bytes } of files) {
    const id = bytes && attachments.length < ATTACHMENTS_MAX ? await keepFile(deps, user.id, name, bytes) : null;
    if (id === null) left.push(name);
    else attachments.push(id);
  }
  if (left.length === 0) return { text, attachments };
  const names = left.map((name) => `\`${name.replaceAll(/[`\p{Cc}\p{Cf}]/gu, '').slice(0, 80)}\``).join(', ');
  const line = deps.describeLeftOut(user.locale, names);
  return { text: text === '' ? line : `${text}\n\n${line}`, attachments };
}

/** Keeps a file until its message is sent. Out: its id; null where it is none that is taken. Throws RATE_LIMITED. */
async function keepFile(
  { attachments }: Deps,
  userId: string,
  name: string,
  file: Uint8Array<ArrayBuffer>,
): Promise<string | null> {
  try {
    return (await attachments.add(userId, { name, file }, false)).id;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'VALIDATION_FAILED') return null;
    throw error;
  }
}

/** Adds a mail to the ticket that it answers, or opens one. */
async function add(deps: Deps, tx: Tx, mail: IncomingMail, message: Message): Promise<Received> {
  // In the order of all that opens tickets: first the user, then the ticket.
  const taken = await examine(deps, tx, mail, (id) => tx.identity.lockUser(id));
  if ('outcome' in taken) return taken;
  const done = taken.ticket
    ? await answer(deps, tx, taken.ticket.id, message)
    : await open(deps, tx, taken, mail, message);
  if (typeof done === 'string') return refused(done);
  const receivedMs = deps.clock.now();
  await tx.ticketMails.add({ key: taken.key, ...done, messageId: mail.messageId ?? '', receivedMs });
  return { outcome: 'added', ticketId: done.ticketId };
}

/** Adds a message to a ticket. Out: which line of which ticket it is now, or why it is none. */
async function answer(
  deps: Deps,
  tx: Tx,
  ticketId: string,
  message: Message,
): Promise<{ readonly ticketId: string; readonly seq: number } | Refusal> {
  const found = await tx.tickets.lock(ticketId);
  // Merged just now: what it became takes the message.
  const ticket = found?.mergedInto ? await tx.tickets.lock((await findMerged(tx, found)).id) : found;
  if (!ticket) return 'address';
  if ((await tx.ticketMails.countSince(ticket.id, deps.clock.now() - DAY)) >= MAILS_A_DAY) return 'flood';
  const open = await openAgain(deps, tx, ticket);
  if (!open) return 'closed';
  const { seq } = await addReply(deps, tx, open, message, null);
  return { ticketId: ticket.id, seq };
}

/** Opens a ticket in the first department. Out: as of `answer`. */
async function open(
  deps: Deps,
  tx: Tx,
  { user: { id: userId } }: Taken,
  { subject: given }: IncomingMail,
  message: Message,
): Promise<{ readonly ticketId: string; readonly seq: number } | Refusal> {
  const [department] = await tx.tickets.listDepartments();
  if (!department) return 'address';
  const subject = given || message.text.split('\n', 1)[0]?.slice(0, 80) || '…';
  const why = await findObstacle(tx, userId);
  if (why === 'limit') await deps.events.emit(tx, 'ticket.mail_limit', { userId, subject, day: dayOf(deps) });
  if (why !== null) return why;
  const input = { ...message, departmentId: department.id, priority: 'normal', subject, serverId: null } as const;
  return { ticketId: (await openTicket(deps, tx, userId, input, null)).id, seq: 1 };
}

/** The ticket as it takes a message: reopened where it was closed lately. Null where it stays closed; its user hears so. */
async function openAgain(deps: Deps, tx: Tx, ticket: TicketRow): Promise<TicketRow | null> {
  if (ticket.status !== 'closed') return ticket;
  const mayOpen = isReopenable(ticket, deps.clock.now()) && (await findObstacle(tx, ticket.userId)) === null;
  if (mayOpen) return reopenTicket(deps, tx, ticket, null);
  const { id: ticketId, number, userId, subject } = ticket;
  await deps.events.emit(tx, 'ticket.mail_refused', { ticketId, number, userId, subject, day: dayOf(deps) });
  return null;
}

/** Why a user may not open a ticket; null where they may. */
async function findObstacle(tx: Tx, userId: string): Promise<'limit' | 'blocked' | null> {
  try {
    await assertMayOpen(tx, userId);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'TICKET_LIMIT') return 'limit';
    if (error.code === 'TICKET_BLOCKED') return 'blocked';
    throw error;
  }
}

const dayOf = ({ clock, settings }: Deps): string => dayIn(clock.now(), settings.current().app_timezone);
