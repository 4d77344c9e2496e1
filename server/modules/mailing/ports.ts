import type { Locale } from '#shared/i18n/locales.ts';
import type { MailContent, MailState, OwnTemplate } from '#shared/mails.ts';

/** Published when a host changed what a mail says. */
export const MAIL_TEXTS_TOPIC = 'mailTexts';

/** Name, address, language and time zone for e-mails to a user. */
export interface MailContact {
  readonly username: string;
  readonly firstName: string;
  readonly address: string;
  readonly locale: Locale;
  readonly timeZone: string | null;
  readonly status: 'active' | 'banned' | 'deleted';
  /** The address is confirmed. */
  readonly verified: boolean;
}

/** A moment in a mail, shown in the receiver's language and the installation's time zone. UTC ms. */
export interface Moment {
  readonly at: number;
}

/**
 * Variables of each mail (texts: locale namespace `mail`, under the template's name). `path` is a path of the product,
 * beginning with /; the address in front of it is APP_URL. `name` is how the receiver is addressed. Every mail may also
 * use `app`.
 */
export interface MailVars {
  verify: { name: string; path: string };
  /** Somebody registered with an address that has an account. */
  accountExists: { name: string; path: string };
  /** The receiver's account is deleted at a moment, unless they cancel it. */
  deletionRequested: { name: string; when: Moment; path: string };
  /** A link that proves the new address of an account. */
  emailChange: { name: string; path: string };
  /** Somebody wanted to give their account an address that has one. */
  emailTaken: { name: string; path: string };
  /** To the old address: the account has another one; the path undoes it. */
  emailChanged: { name: string; when: Moment; path: string };
  twoFactorOn: { name: string; when: Moment; path: string };
  twoFactorOff: { name: string; when: Moment; path: string };
  /** `passkey`: what its user calls it. */
  passkeyAdded: { name: string; passkey: string; when: Moment; path: string };
  passkeyRemoved: { name: string; passkey: string; when: Moment; path: string };
  /** Staff changed a way into the account. */
  twoFactorRemoved: { name: string; when: Moment; path: string };
  passkeyTaken: { name: string; passkey: string; when: Moment; path: string };
  /** `provider`: what the service is called. */
  identityLinked: { name: string; provider: string; when: Moment; path: string };
  identityUnlinked: { name: string; provider: string; when: Moment; path: string };
  identityTaken: { name: string; provider: string; when: Moment; path: string };
  /** Usernames before and after. */
  usernameChanged: { name: string; from: string; to: string; when: Moment; path: string };
  /** An API token was made; `token`: what its owner calls it. */
  tokenCreated: { name: string; token: string; when: Moment; path: string };
  /** A link for a new password was asked for. */
  passwordReset: { name: string; path: string };
  /** `device` and `address`: from where it was changed. */
  passwordChanged: { name: string; device: string; address: string; when: Moment; path: string };
  /** Banned until `when`; how to appeal is shown at the log-in. */
  accountBanned: { name: string; reason: string; when: Moment; path: string };
  accountBannedForGood: { name: string; reason: string; path: string };
  /** A ban was lifted, or its time is over. */
  banLifted: { name: string; path: string };
  /** What staff write to a user, in their own words. */
  staffMessage: { name: string; subject: string; text: string; path: string };
  /** What a plugin of others writes to a user, in its own words; `plugin`: its name. */
  pluginMail: { name: string; subject: string; text: string; plugin: string; path: string };
  newDevice: { name: string; device: string; address: string; when: Moment; path: string };
  /** `days` are left; `credits` is the price of a renewal. */
  renewReminder: { name: string; server: string; days: number; credits: number; when: Moment; path: string };
  /** The expiry (`when`) is past, and the server is suspended at `until` unless it is renewed. */
  renewOverdue: { name: string; server: string; credits: number; when: Moment; until: Moment; path: string };
  /** `when`: the moment of deletion. */
  serverSuspended: { name: string; server: string; when: Moment; path: string };
  serverDeleteWarning: { name: string; server: string; when: Moment; path: string };
  serverDeleted: { name: string; server: string; path: string };
  serverReady: { name: string; server: string; address: string; path: string };
  /** The reason is in the queue's log, which the path leads to. */
  serverFailed: { name: string; server: string; path: string };
  /** A code by which the receiver proves an account in a game panel. */
  panelAccount: { name: string; code: string; panel: string; path: string };
  /** Staff answered a ticket with `text`. */
  ticketAnswered: { name: string; number: string; subject: string; text: string; path: string };
  /** An e-mail of the receiver opened a ticket. */
  ticketOpened: { name: string; number: string; subject: string; path: string };
  /** An e-mail of the receiver opened none: they have as many as one may. */
  ticketMailLimit: { name: string; subject: string; path: string };
  /** What a user wrote to a closed ticket by e-mail was not added. */
  ticketMailRefused: { name: string; number: string; subject: string; path: string };
  /** There is capacity at a location that the receiver waited for. */
  capacityFree: { name: string; location: string; path: string };
  /** What a notification says, for kinds without a mail of their own. */
  notification: { name: string; sentence: string; path: string };
  /** What happened since the last mail of the day: a sentence a line. */
  notificationDigest: { name: string; list: string; path: string };
  /** Staff test the mail server. */
  test: { name: string; path: string };
}
export type MailTemplate = keyof MailVars;
/** What the outbox says that a mail was made of: one of the product's, or one of the host's own by its kind. */
export type MailOrigin = MailTemplate | OwnTemplate;

interface MailRow {
  readonly id: string;
  readonly userId: string | null;
  readonly address: string;
  readonly template: MailOrigin;
  readonly locale: Locale;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly uniqueKey: string | null;
  readonly createdMs: number;
  /** The ticket that it is of, which an answer to it is for; null: of none. */
  readonly ticketId: string | null;
}
/** What became of a mail; `shared/mails.ts` says what each means. */
export interface StoredMail extends MailRow {
  readonly state: MailState;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly sentMs: number | null;
  /** The last try. UTC ms. */
  readonly triedMs: number | null;
  /** The mail server's number, where it refused. */
  readonly replyCode: number | null;
  /** The mail server refused the address for good. */
  readonly bounced: boolean;
}
/** How a try ended, or that it is over. */
interface MailFate {
  readonly state: MailState;
  readonly attempts: number;
  readonly error: string | null;
  readonly sentMs: number | null;
  readonly replyCode: number | null;
  readonly bounced: boolean;
}
/** What the outbox is narrowed to. */
export interface OutboxQuery {
  readonly state?: MailState | undefined;
  readonly template?: string | undefined;
  /** The beginning of an address, or a user's whole name. */
  readonly search?: string | undefined;
}
/** A position in a user's mails: time and id of one. */
export interface MailCursor {
  readonly createdMs: number;
  readonly id: string;
}
/** The outbox: every mail is a row before it is anything else. */
export interface MailRepo {
  /** Adds a mail; false where its unique key exists already. */
  add(row: MailRow & { state: 'queued' | 'kept'; dueMs: number | null }): Promise<boolean>;
  /** Deletes at most `limit` mails that are older than a moment and done with; how many it found. */
  purge(beforeMs: number, limit: number): Promise<number>;
  find(id: string): Promise<StoredMail | null>;
  /** Notes a try, and says whether there may be one: fewer than `most` began since a moment. */
  beginTry(id: string, nowMs: number, rate: { readonly sinceMs: number; readonly most: number }): Promise<boolean>;
  /** Takes a mail that waits for its hand-over: from then on nobody else sends it. False where it does not wait. */
  beginHandOver(id: string): Promise<boolean>;
  /** Writes how a try ended, unless the mail was cancelled meanwhile. */
  setFate(id: string, fate: MailFate): Promise<void>;
  /** Moves a mail from one of some states to another; false where it is in none of them. */
  move(id: string, from: readonly MailState[], to: MailState): Promise<boolean>;
  /** Replaces the bodies of a mail that has left, so that no link of it can be read back. */
  replaceBodies(id: string, text: string, html: string): Promise<void>;
  /** Mails that were written to a user, the newest first: older than a cursor, at most `limit`. */
  listOf(userId: string, before: MailCursor | null, limit: number): Promise<StoredMail[]>;
  listLatest(limit: number): Promise<StoredMail[]>;
  /** Mails of everybody, the newest first: older than a cursor, at most `limit`. */
  listOutbox(query: OutboxQuery, before: MailCursor | null, limit: number): Promise<StoredMail[]>;
  /** How many mails are in a state, made since a moment. */
  count(state: MailState, sinceMs: number): Promise<number>;
  /** When the oldest mail in a state was made, of those since a moment that may leave now; null: there is none. UTC ms. */
  oldest(state: MailState, sinceMs: number, nowMs: number): Promise<number | null>;
}

/** What a host made of a mail in a language. */
export interface StoredContent {
  readonly template: MailTemplate;
  readonly locale: Locale;
  readonly content: MailContent;
  /** How often it was stored, from 1. */
  readonly revision: number;
  readonly updatedMs: number;
  /** Username; null: their account is gone. */
  readonly updatedBy: string | null;
}
/** What hosts made of the product's mails. */
export interface MailTextsRepo {
  find(template: MailTemplate, locale: Locale): Promise<StoredContent | null>;
  list(): Promise<StoredContent[]>;
  /** Stores one in the place of a revision, 0 where there was none; false when another one came first. */
  put(content: StoredContent, seen: number): Promise<boolean>;
  remove(template: MailTemplate, locale: Locale): Promise<void>;
}

/** How the server that takes our mails is reached (services, smtp). */
export interface MailConfig {
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly username: string | null;
  readonly password: string | null;
  readonly fromAddress: string;
  readonly fromName: string;
}
export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** With its angle brackets; the same at every try. */
  readonly messageId: string;
  readonly createdMs: number;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
interface Refusal {
  readonly error: string;
  /** The server's number; null: it gave none. */
  readonly code: number | null;
}
/**
 * What became of a try. `later` may work when repeated, `never` will not; `bounced`: it is the address that was
 * refused. `unknown`: the server had the whole mail, and its answer was lost.
 */
export type MailOutcome =
  | { readonly kind: 'sent' }
  | ({ readonly kind: 'later' | 'unknown' } & Refusal)
  | ({ readonly kind: 'never'; readonly bounced: boolean } & Refusal);
/** The way out. Never throws, always ends. */
export interface MailTransport {
  /** `begin` is waited for before the first byte of the mail leaves; where it throws, nothing of it does. */
  send(mail: OutgoingMail, begin: () => Promise<void>): Promise<MailOutcome>;
  close(): void;
}
