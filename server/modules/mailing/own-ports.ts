import type { Locale } from '#shared/i18n/locales.ts';
import type { MailContent, MailKind } from '#shared/mails.ts';

/** What a host's own mail says in the languages that it was written in. */
export type MailContents = Readonly<Partial<Record<Locale, MailContent>>>;
/** A mail that a host writes itself and sends to several users. */
export interface OwnMail {
  readonly id: string;
  readonly name: string;
  readonly kind: MailKind;
  /** Where its buttons lead: a path of the product, or an address over HTTPS. */
  readonly link: string;
  readonly contents: MailContents;
  readonly revision: number;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly updatedBy: string | null;
}
/** Whom a mail is sent to, beside what always counts: active accounts that want it, at an address that takes mail. */
export interface Audience {
  readonly roleId: string | null;
  readonly locale: Locale | null;
  /** Only those seen since. UTC ms. */
  readonly seenSinceMs: number | null;
  /** Only those whose address is confirmed. */
  readonly verified: boolean;
}
/** A mail that is being sent to an audience, as it was when that began. */
export interface Campaign {
  readonly id: string;
  readonly mailId: string;
  readonly name: string;
  readonly kind: MailKind;
  readonly link: string;
  readonly contents: MailContents;
  readonly audience: Audience;
  readonly state: 'sending' | 'done' | 'cancelled';
  /** Users are taken in the order of their ids: those up to this one have their mail. */
  readonly lastUserId: string;
  /** How many there were when it began. */
  readonly total: number;
  readonly written: number;
  readonly createdMs: number;
  readonly createdBy: string | null;
  readonly endedMs: number | null;
}
/** The host's own mails. */
export interface OwnMailsRepo {
  list(): Promise<OwnMail[]>;
  find(id: string): Promise<OwnMail | null>;
  add(mail: OwnMail): Promise<void>;
  /** Stores one in the place of a revision; false when another one came first. */
  update(mail: OwnMail, seen: number): Promise<boolean>;
  remove(id: string): Promise<void>;

  /** Adds one; false while another one of the same mail is being sent. */
  addCampaign(campaign: Campaign): Promise<boolean>;
  findCampaign(id: string): Promise<Campaign | null>;
  /** The newest first. */
  listCampaigns(mailId: string, limit: number): Promise<Campaign[]>;
  /** Notes how far one has come; false where it is not being sent any more. */
  advance(id: string, to: Pick<Campaign, 'lastUserId' | 'written' | 'state' | 'endedMs'>): Promise<boolean>;

  /** The next users of an audience who want mails of a kind, in the order of their ids. */
  listAudience(audience: Audience, kind: MailKind, afterId: string, limit: number): Promise<string[]>;
  countAudience(audience: Audience, kind: MailKind): Promise<number>;

  /** The kinds of which a user wants none. */
  listOptOuts(userId: string): Promise<MailKind[]>;
  optOut(userId: string, kind: MailKind, atMs: number): Promise<void>;
  optIn(userId: string, kind: MailKind): Promise<void>;
}
