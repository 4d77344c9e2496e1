import type { NotificationChoices, NotificationFacts, NotificationTimes } from '#shared/notifications.ts';
import type { MailContact } from '../mailing/ports.ts';

export interface NotificationRow {
  readonly id: string;
  readonly kind: string;
  readonly data: NotificationFacts;
  readonly createdMs: number;
  readonly read: boolean;
}
interface NewNotification {
  readonly id: string;
  readonly userId: string;
  readonly kind: string;
  readonly data: NotificationFacts;
  readonly uniqueKey: string | null;
  readonly createdMs: number;
  /** Whether it is listed in the app. */
  readonly shown: boolean;
  /** Whether it waits for the mail of the day. */
  readonly digest: boolean;
}
/** What a user chose. */
export interface StoredChoices extends NotificationTimes {
  readonly choices: NotificationChoices;
}
/** What decides how somebody is notified. */
export interface Reader {
  /** Null: they chose nothing. */
  readonly chosen: StoredChoices | null;
  /** Whether a browser of theirs takes pushes. */
  readonly hasBrowser: boolean;
  readonly contact: MailContact;
}
export interface NotificationsRepo {
  /** Adds notifications; one whose unique key is there already is ignored. Out: ids of those that were added. */
  addAll(rows: readonly NewNotification[]): Promise<ReadonlySet<string>>;
  /** How each of some users is notified. */
  listReaders(userIds: readonly string[]): Promise<ReadonlyMap<string, Reader>>;
  find(id: string): Promise<(NotificationRow & { readonly userId: string; readonly shown: boolean }) | null>;
  /** How many of a user were made since a moment. */
  countSince(userId: string, sinceMs: number): Promise<number>;
  /** Those that are listed in the app, the newest first. */
  latest(userId: string, limit: number): Promise<NotificationRow[]>;
  unread(userId: string): Promise<number>;
  markRead(userId: string, id: string, atMs: number): Promise<boolean>;
  markAllRead(userId: string, atMs: number): Promise<void>;
  /** Deletes up to `limit` of those made before a moment. How many. */
  purge(beforeMs: number, limit: number): Promise<number>;

  /** Null for whoever chose nothing. */
  findChoices(userId: string): Promise<StoredChoices | null>;
  putChoices(userId: string, chosen: StoredChoices, atMs: number): Promise<void>;

  /** Has a user get their mail of the day at a moment, unless they get one earlier. */
  addDigest(userId: string, dueMs: number): Promise<void>;
  /** Moves the mail of the day of whoever waits for one. */
  moveDigest(userId: string, dueMs: number): Promise<void>;
  /** Users whose mail of the day is due, the longest due first. */
  listDueDigests(nowMs: number, limit: number): Promise<string[]>;
  /** Takes a mail of the day that is due: when it was due; null where another one took it. UTC ms. */
  takeDigest(userId: string, nowMs: number): Promise<number | null>;
  /** What waits for it, the oldest first, at most `limit`, and how much there is. */
  listDigest(userId: string, limit: number): Promise<{ rows: NotificationRow[]; count: number }>;
  /** Nothing waits for it any more. */
  emptyDigest(userId: string): Promise<void>;
}
