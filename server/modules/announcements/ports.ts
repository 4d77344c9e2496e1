import type { AnnouncementAudience, AnnouncementState, Reaction } from '#shared/announcements.ts';
import type { Locale } from '#shared/i18n/locales.ts';

/** An announcement in one language; `body` is Markdown. */
export interface AnnouncementText {
  readonly locale: Locale;
  readonly title: string;
  readonly summary: string;
  readonly body: string;
}
export interface AnnouncementRow {
  readonly id: string;
  /** Id of the picture above it; '': none. */
  readonly picture: string;
  readonly audience: AnnouncementAudience;
  readonly pinned: boolean;
  readonly urgent: boolean;
  /** Whether its audience hears of it in the bell. */
  readonly notifies: boolean;
  /** Whether that goes out by mail and by push as well, to those who chose so. */
  readonly mails: boolean;
  readonly pushes: boolean;
  /** From when on it is shown; null: a draft. */
  readonly publishMs: number | null;
  /** From when on it is not shown any more. */
  readonly endMs: number | null;
  /** When its audience first heard of it. */
  readonly announcedMs: number | null;
  readonly revision: number;
  /** How many users have read it, or put its banner away. */
  readonly seen: number;
  /** Who of staff wrote it, or changed it last. */
  readonly authorId: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}
/** An announcement with what hangs on it. Texts in the order of the languages, tags in theirs. */
export interface Announcement extends AnnouncementRow {
  readonly texts: readonly AnnouncementText[];
  readonly tags: readonly string[];
  readonly targets: readonly string[];
  readonly author: string | null;
}
/** What staff write of an announcement; a revision keeps it as JSON. */
export type AnnouncementContent = Pick<
  Announcement,
  | 'texts'
  | 'tags'
  | 'targets'
  | 'picture'
  | 'audience'
  | 'pinned'
  | 'urgent'
  | 'notifies'
  | 'mails'
  | 'pushes'
  | 'publishMs'
  | 'endMs'
>;
interface AnnouncementRevision {
  readonly revision: number;
  readonly createdMs: number;
  readonly author: string | null;
  readonly content: AnnouncementContent;
}
/** Where a page of announcements ended: a moment and an id. */
export interface AnnouncementCursor {
  readonly ms: number;
  readonly id: string;
}
/** Which of the announcements that a reader may see. `userId` null: a visitor without an account. */
export interface BoardQuery {
  readonly userId: string | null;
  readonly nowMs: number;
  /** Only those published later, which the reader has not read. */
  readonly unreadSinceMs?: number | undefined;
  readonly tag?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly before: AnnouncementCursor | null;
  readonly limit: number;
}
/** Which announcements staff look for. */
export interface StaffQuery {
  /** Null: in every state. */
  readonly state: AnnouncementState | null;
  /** Null: for whomever. */
  readonly audience: AnnouncementAudience | null;
  /** What a title or a tag holds, in any language; '': anything. */
  readonly search: string;
}
/** How far a user has read. */
interface ReadMark {
  /** Everything published until then counts as read; 0: the user never said so. */
  readonly untilMs: number;
  /** When the account was made. */
  readonly sinceMs: number;
}

export interface AnnouncementsRepo {
  /** The ids that a reader may see, the newest first, with whether the reader has read each. */
  listBoard(query: BoardQuery): Promise<{ readonly id: string; readonly isRead: boolean }[]>;
  /** Those of the ids that exist, in their order; `withBodies` false: their bodies are ''. */
  load(ids: readonly string[], withBodies: boolean): Promise<Announcement[]>;
  /** Whether a reader may see an announcement now. */
  isVisible(id: string, userId: string | null, nowMs: number): Promise<boolean>;
  /** Whether anything is shown to anybody. */
  hasAny(nowMs: number): Promise<boolean>;
  /** Names of a user's servers at the locations that announcements are for, by announcement; none where there are none. */
  listAffected(ids: readonly string[], userId: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Tags of what everybody is shown now, the most used first. */
  listTags(nowMs: number, limit: number): Promise<string[]>;
  findMark(userId: string): Promise<ReadMark>;
  setMark(userId: string, untilMs: number): Promise<void>;
  /** Notes that a user has read one; false where it was noted. */
  addRead(userId: string, id: string, atMs: number): Promise<boolean>;
  /** Adds or takes back a reaction; false where it was so already. */
  setReaction(userId: string, id: string, reaction: Reaction, isOn: boolean, atMs: number): Promise<boolean>;
  /** Reactions to some announcements: how many of each, and which are the user's. */
  listReactions(
    ids: readonly string[],
    userId: string | null,
  ): Promise<{ readonly id: string; readonly reaction: Reaction; readonly count: number; readonly isOwn: boolean }[]>;

  /** Announcements for staff, the newest first. */
  listAll(
    query: StaffQuery & { readonly nowMs: number },
    before: AnnouncementCursor | null,
    limit: number,
  ): Promise<string[]>;
  /** One, locked until the transaction ends. */
  lock(id: string): Promise<AnnouncementRow | null>;
  add(row: AnnouncementRow): Promise<void>;
  update(id: string, change: Partial<Omit<AnnouncementRow, 'id' | 'createdMs'>>): Promise<void>;
  /** Replaces texts, tags and targets of one, and notes the pictures that it names. */
  replaceParts(
    id: string,
    parts: Pick<AnnouncementContent, 'texts' | 'tags' | 'targets'>,
    pictures: readonly string[],
  ): Promise<void>;
  /** Adds a revision and forgets those that are `keep` or more before it. */
  addRevision(
    id: string,
    revision: { revision: number; content: AnnouncementContent; authorId: string | null; createdMs: number },
    keep: number,
  ): Promise<void>;
  /** Revisions of one, the newest first. */
  listRevisions(id: string, limit: number): Promise<AnnouncementRevision[]>;
  findRevision(id: string, revision: number): Promise<AnnouncementContent | null>;
  remove(id: string): Promise<void>;
  /** Those to be shown by now of which nobody has heard, the oldest first. */
  listDue(nowMs: number, limit: number): Promise<string[]>;
  /** Users in good standing whom one is for, by their ids, after one. */
  listAudience(
    of: Pick<Announcement, 'id' | 'audience'>,
    afterId: string,
    limit: number,
  ): Promise<{ readonly id: string; readonly locale: string | null }[]>;
  /** Users in good standing whom one would be for, counted up to `most`. */
  countAudience(of: Pick<Announcement, 'audience' | 'targets'>, most: number): Promise<number>;
  /** Announcements that name one of some pictures, in any revision; at most `limit`. */
  listNaming(pictureIds: readonly string[], limit: number): Promise<string[]>;
  /** Pictures that any announcement names, in any revision. */
  listPictures(): Promise<string[]>;
}
