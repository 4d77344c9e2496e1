import { TICKET_MAIL_MAX } from '#shared/contract/ticket-mail.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, SECOND } from '#shared/time.ts';
import type { Clock, Ids, Log } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import { MailboxFault, type MailboxConfig, type MailboxState, type OpenMailbox, type OpenTheMailbox } from './ports.ts';
import { isTicketMailOn, type Receiver } from './receive.ts';

/** How far back a mailbox is read that is new, or whose numbers mean something else now. */
const BACK_MS = 7 * DAY;
/** Mails that are asked for at a time, and how long one run goes on: the next one goes on where it ended. */
const BATCH = 50;
const RUN_MS = 40 * SECOND;
/** Runs that end at the same mail before it is left alone, so that it does not hold up all that come after it. */
const TRIES = 5;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: { current(): SettingValues };
  readonly open: OpenTheMailbox;
  readonly receive: Receiver;
}

/** The mailbox that answers come to; null where none is set. */
export function mailboxOf(values: SettingValues): MailboxConfig | null {
  const { imap_host: host, imap_port: port, imap_encryption: encryption, imap_folder: folder } = values;
  if (host === '') return null;
  return {
    host,
    port,
    security: encryption === 'starttls' || encryption === 'none' ? encryption : 'tls',
    username: values.imap_username,
    password: values.imap_password,
    folder,
  };
}

/**
 * Reads the mailbox that answers to tickets come to. For the scheduler. Mails are read in the order of their numbers
 * and marked as read after they were taken; how far it came is written down behind them, so that one may be read twice,
 * and is then known, but none is left out. What cannot be read is a state of the mailbox and not a fault of the task.
 */
export function createMailboxPoll({ uow, clock, ids, log, settings, open, receive }: Deps) {
  let failing = { uid: 0, times: 0 };
  const write = (state: MailboxState): Promise<void> => uow.run((tx) => tx.ticketMails.putMailbox(state));

  /**
   * Has a mail taken. False where it is given up: it stays unread. Throws what taking it throws, as long as it is
   * tried.
   */
  async function isReceived(uid: number, raw: Uint8Array<ArrayBuffer>): Promise<boolean> {
    try {
      await receive(raw);
      return true;
    } catch (error) {
      failing = { uid, times: failing.uid === uid ? failing.times + 1 : 1 };
      if (failing.times < TRIES) throw error;
      log.error('ticket_mail.given_up', { uid, error: String(error) });
      return false;
    }
  }

  /** Takes what came after a mail; null: what came lately. `note`: gets the number of each mail that is done with. */
  async function readOn(box: OpenMailbox, from: number | null, note: (uid: number) => void): Promise<void> {
    const endMs = clock.now() + RUN_MS;
    const sinceMs = clock.now() - BACK_MS;
    let after = from;
    while (clock.now() < endMs) {
      const found = await box.list(after, sinceMs, BATCH);
      for (const { uid, size } of found) {
        if (clock.now() > endMs) return;
        // What is too large is not even fetched.
        const raw = size > TICKET_MAIL_MAX ? null : await box.get(uid);
        if (raw === null) log.info('ticket_mail.refused', { why: 'size', bytes: size });
        const isDone = raw === null || (await isReceived(uid, raw));
        if (isDone) await box.markRead(uid);
        after = uid;
        note(uid);
      }
      if (found.length === BATCH) continue;
      // What is older is left alone for good.
      if (from === null) note(Math.max(after ?? 0, box.lastUid));
      return;
    }
  }

  return async (): Promise<void> => {
    const values = settings.current();
    const config = mailboxOf(values);
    if (config === null || !isTicketMailOn(values)) return;
    const mailbox = ids.hash(JSON.stringify([config.host, config.port, config.username, config.folder]));
    const known = await uow.read((tx) => tx.ticketMails.findMailbox());
    const own = known?.mailbox === mailbox ? known : null;
    let state: MailboxState = own ?? {
      mailbox,
      uidValidity: '',
      lastUid: 0,
      readMs: null,
      failingMs: null,
      fault: null,
    };
    let box: OpenMailbox | null = null;
    try {
      box = await open(config);
      const isSame = box.uidValidity === state.uidValidity;
      state = { ...state, uidValidity: box.uidValidity, lastUid: isSame ? state.lastUid : 0 };
      await readOn(box, isSame ? state.lastUid : null, (lastUid) => (state = { ...state, lastUid }));
      await write({ ...state, readMs: clock.now(), failingMs: null, fault: null });
    } catch (error) {
      const fault = error instanceof MailboxFault ? error : null;
      const since = fault ? { failingMs: state.failingMs ?? clock.now(), fault: fault.code } : {};
      // Before any mail is done with, the next run begins as this one did.
      const uidValidity = state.lastUid === 0 ? '' : state.uidValidity;
      await write({ ...state, ...since, uidValidity });
      if (!fault) throw error;
      log.warn('ticket_mail.mailbox', { fault: fault.code, said: fault.message });
    } finally {
      await box?.close();
    }
  };
}
