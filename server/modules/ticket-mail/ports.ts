/** What is read of a mail that came in. */
export interface IncomingMail {
  /** Without angle brackets; null: it has none. */
  readonly messageId: string | null;
  /** The one address that it says it is from, as it is written; null where it names none or several. */
  readonly from: string | null;
  /** Every address that it was sent or delivered to. */
  readonly to: readonly string[];
  readonly subject: string;
  /** When it says it was written, as it is; '' where it does not. */
  readonly date: string;
  /** What its sender wrote: text without what is quoted and without signature; '' where nothing is left. */
  readonly text: string;
  /** Its files; `bytes` null: larger than a file of a ticket may be. */
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> | null }[];
  /** It says of itself that a program wrote it, or it is the report of a mail server. */
  readonly isAutomatic: boolean;
  /** What mail servers on its way say of its origin (RFC 8601), the last server first, as they are. */
  readonly authResults: readonly string[];
}

/** Takes mails apart, away from the thread that answers. Null for what cannot be read. Never throws. */
export interface MailReader {
  read(raw: Uint8Array<ArrayBuffer>): Promise<IncomingMail | null>;
}

/** Whether a code is the HMAC-SHA256 of a text and bytes behind it under a secret, in hex. */
export type VerifySignature = (secret: string, text: string, bytes: Uint8Array<ArrayBuffer>, code: string) => boolean;

/** How the mailbox that answers come to is reached. */
export interface MailboxConfig {
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly username: string;
  readonly password: string;
  readonly folder: string;
}
/**
 * Why a mailbox cannot be read. `refused`: the server says no to user or password; `folder`: there is no such folder;
 * `silent`: it cannot be reached, hangs or breaks off.
 */
export type MailboxFaultCode = 'refused' | 'folder' | 'silent';
export class MailboxFault extends Error {
  override readonly name = 'MailboxFault';
  readonly code: MailboxFaultCode;
  constructor(code: MailboxFaultCode, said: string) {
    super(said);
    this.code = code;
  }
}
/** A folder that is open. Every call throws MailboxFault where the server does not answer in time. */
export interface OpenMailbox {
  /** The numbers of mails mean what they mean only as long as this is the same. */
  readonly uidValidity: string;
  /** How many mails there are. */
  readonly mails: number;
  /** Number of the newest, or one above it where that is gone; 0: there was never any. */
  readonly lastUid: number;
  /** Mails after a number, in their order, at most `limit`; null: those that came since a moment (UTC ms). */
  list(
    after: number | null,
    sinceMs: number,
    limit: number,
  ): Promise<readonly { readonly uid: number; readonly size: number }[]>;
  /** A mail as it came; null where it is gone. */
  get(uid: number): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Marks a mail as read. */
  markRead(uid: number): Promise<void>;
  close(): Promise<void>;
}
/** Opens the folder of a mailbox. Throws MailboxFault. */
export type OpenTheMailbox = (config: MailboxConfig) => Promise<OpenMailbox>;

/** How far a mailbox was read, and whether that works. */
export interface MailboxState {
  /** Hash of server, user and folder: another one is read from its beginning. */
  readonly mailbox: string;
  readonly uidValidity: string;
  readonly lastUid: number;
  /** When it was read last; null: never. UTC ms. */
  readonly readMs: number | null;
  /** Since when it cannot be read; null: it can. UTC ms. */
  readonly failingMs: number | null;
  readonly fault: MailboxFaultCode | null;
}

/** The mails that became lines of tickets, and how far the mailbox was read. */
export interface TicketMailRepo {
  /** Notes a mail as a line of a ticket; false where its key is known. */
  add(mail: {
    readonly key: string;
    readonly ticketId: string;
    readonly seq: number;
    readonly messageId: string;
    readonly receivedMs: number;
  }): Promise<boolean>;
  isKnown(key: string): Promise<boolean>;
  /** How many became lines of a ticket since a moment. */
  countSince(ticketId: string, sinceMs: number): Promise<number>;
  /** Message-ID of the newest mail of a ticket, without angle brackets; null: there is none. */
  lastMessageId(ticketId: string): Promise<string | null>;
  findMailbox(): Promise<MailboxState | null>;
  putMailbox(state: MailboxState): Promise<void>;
}
