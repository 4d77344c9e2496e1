import { readingMinutes, type Reaction } from '#shared/announcements.ts';
import { DomainError } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { textFor, type AnnouncementsDeps } from './deps.ts';
import type { Announcement, AnnouncementCursor } from './ports.ts';

/** Announcements of a page of the board, pinned ones above it, and tags to choose from. */
const PAGE = 12;
const PINNED = 3;
const TAGS = 8;
/** Unread ones are counted up to this. */
const UNREAD_MAX = 99;
/** Banners at a time. */
const BANNERS = 2;

/** What is asked of the board. */
interface BoardInput {
  readonly before: AnnouncementCursor | null;
  readonly tag?: string | undefined;
  readonly isUnread?: boolean | undefined;
}
export type Announcements = ReturnType<typeof createAnnouncements>;

/** The board of announcements for readers (behaviour 7.4). What is not for somebody is as good as unknown: NOT_FOUND. */
export function createAnnouncements(deps: AnnouncementsDeps) {
  return { ...readingOf(deps), ...markingOf(deps), ...publicOf(deps) };
}
type Deps = AnnouncementsDeps;

/** One announcement in the language of a reader. */
function toRead(deps: Deps, one: Announcement, locale: Locale) {
  const { title, summary, body, locale: written } = textFor(one.texts, locale, deps.settings.current().app_lang);
  const { id, picture, tags, pinned, urgent, author, updatedMs } = one;
  const publishMs = one.publishMs ?? 0;
  return { id, picture, tags, pinned, urgent, author, updatedMs, publishMs, title, summary, body, locale: written };
}

async function loadRead(tx: Tx, deps: Deps, ids: readonly string[], locale: Locale) {
  return (await tx.announcements.load(ids, false)).map((one) => toRead(deps, one, locale));
}

/** From when on a user's unread ones count: what is older than the account was never news to it. */
async function unreadSince(tx: Tx, userId: string): Promise<number> {
  const { untilMs, sinceMs } = await tx.announcements.findMark(userId);
  return Math.max(untilMs, sinceMs);
}

/** What signed-in users read. */
function readingOf(deps: Deps) {
  const { uow, clock } = deps;

  /** A page of the board, the newest first. Pinned ones stand in front of the first page, whatever their age. */
  function board(ctx: SignedIn, { before, tag, isUnread }: BoardInput) {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const nowMs = clock.now();
      const sinceMs = await unreadSince(tx, userId);
      const query = { userId, nowMs, tag, unreadSinceMs: isUnread ? sinceMs : undefined, before };
      const found = await tx.announcements.listBoard({ ...query, limit: PAGE + 1 });
      const isFirst = before === null && tag === undefined && !isUnread;
      const pinned = isFirst ? await tx.announcements.listBoard({ ...query, pinned: true, limit: PINNED }) : [];
      const onTop = new Set(pinned.map(({ id }) => id));
      const shown = [...pinned, ...found.slice(0, PAGE).filter(({ id }) => !onTop.has(id))];
      const isRead = new Map(shown.map((each) => [each.id, each.isRead]));
      const affected = await tx.announcements.listAffected(
        shown.map(({ id }) => id),
        userId,
      );
      const cards = (
        await loadRead(
          tx,
          deps,
          shown.map(({ id }) => id),
          ctx.locale,
        )
      ).map((card) => ({
        ...card,
        affects: affected.get(card.id) ?? [],
        isNew: isRead.get(card.id) === false && card.publishMs > sinceMs,
      }));
      const last = found.length > PAGE ? found[PAGE - 1] : undefined;
      const [end] = last ? await tx.announcements.load([last.id], false) : [];
      return {
        pinned: cards.filter(({ id }) => onTop.has(id)),
        rows: cards.filter(({ id }) => !onTop.has(id)),
        older: end ? { ms: end.publishMs ?? 0, id: end.id } : null,
        tags: await tx.announcements.listTags(nowMs, TAGS),
        unread: await countUnread(tx, userId, nowMs, sinceMs),
      };
    });
  }

  const countUnread = async (tx: Tx, userId: string, nowMs: number, unreadSinceMs: number): Promise<number> =>
    (await tx.announcements.listBoard({ userId, nowMs, unreadSinceMs, before: null, limit: UNREAD_MAX })).length;

  /** One with its text and its reactions. Throws NOT_FOUND. */
  function get(ctx: SignedIn, id: string) {
    return uow.read(async (tx) => {
      const { userId } = ctx.actor;
      if (!(await tx.announcements.isVisible(id, userId, clock.now()))) throw new DomainError('NOT_FOUND');
      const [one] = await tx.announcements.load([id], true);
      if (!one) throw new DomainError('NOT_FOUND');
      const read = toRead(deps, one, ctx.locale);
      return {
        ...read,
        minutes: readingMinutes(read.body),
        affects: (await tx.announcements.listAffected([id], userId)).get(id) ?? [],
        reactions: await tx.announcements.listReactions([id], userId),
      };
    });
  }

  /** Whether anything is shown to anybody by now. */
  const hasAny = (): Promise<boolean> => uow.read((tx) => tx.announcements.hasAny(clock.now()));

  /** What every page of a user shows: how many are unread (at most 99), and the urgent ones not yet put away. */
  function standing(userId: string, locale: Locale) {
    return uow.read(async (tx) => {
      const nowMs = clock.now();
      const { untilMs, sinceMs } = await tx.announcements.findMark(userId);
      // Urgent ones are for those who came later as well.
      const since = { userId, nowMs, unreadSinceMs: untilMs, before: null };
      const ids = (await tx.announcements.listBoard({ ...since, limit: UNREAD_MAX })).map(({ id }) => id);
      const found = ids.length === 0 ? [] : await loadRead(tx, deps, ids, locale);
      return {
        unread: found.filter(({ publishMs }) => publishMs > sinceMs).length,
        urgent: found
          .filter(({ urgent }) => urgent)
          .slice(0, BANNERS)
          .map(({ id, title, summary }) => ({ id, title, summary })),
      };
    });
  }

  return { board, get, hasAny, standing };
}

/** What signed-in users do. */
function markingOf(deps: Deps) {
  const { uow, clock } = deps;

  /** Notes that the caller has read one, or put its banner away. Throws NOT_FOUND. */
  function markRead(ctx: SignedIn, id: string): Promise<void> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const { userId } = ctx.actor;
      if (!(await tx.announcements.isVisible(id, userId, clock.now()))) throw new DomainError('NOT_FOUND');
      if (await tx.announcements.addRead(userId, id, clock.now())) tx.touch(`announcements:${userId}`);
    });
  }

  /** Notes that the caller knows everything that is published by now. */
  function markAllRead(ctx: SignedIn): Promise<void> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      await tx.announcements.setMark(ctx.actor.userId, clock.now());
      tx.touch(`announcements:${ctx.actor.userId}`);
    });
  }

  /** Adds or takes back a reaction of the caller. Out: all reactions. Throws NOT_FOUND. */
  function react(ctx: SignedIn, id: string, reaction: Reaction, isOn: boolean) {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const { userId } = ctx.actor;
      if (!(await tx.announcements.isVisible(id, userId, clock.now()))) throw new DomainError('NOT_FOUND');
      await tx.announcements.setReaction(userId, id, reaction, isOn, clock.now());
      return tx.announcements.listReactions([id], userId);
    });
  }

  return { markRead, markAllRead, react };
}

/** What visitors without an account read, where the host wants that. Throws NOT_FOUND where not. */
function publicOf(deps: Deps) {
  const { uow, clock, settings } = deps;
  const assertPublic = (): void => {
    if (!settings.current().announcements_public) throw new DomainError('NOT_FOUND');
  };

  /** A page of those for everybody, the newest first. `withBodies`: for the feed, which carries them whole. */
  async function publicBoard(locale: Locale, before: AnnouncementCursor | null, withBodies = false) {
    assertPublic();
    return uow.read(async (tx) => {
      const query = { userId: null, nowMs: clock.now(), before, limit: PAGE + 1 };
      const ids = (await tx.announcements.listBoard(query)).map(({ id }) => id);
      const rows = (await tx.announcements.load(ids.slice(0, PAGE), withBodies)).map((one) =>
        toRead(deps, one, locale),
      );
      const last = rows.at(-1);
      return { rows, older: ids.length > PAGE && last ? { ms: last.publishMs, id: last.id } : null };
    });
  }

  /** One for everybody. Throws NOT_FOUND. */
  async function publicGet(locale: Locale, id: string) {
    assertPublic();
    return uow.read(async (tx) => {
      if (!(await tx.announcements.isVisible(id, null, clock.now()))) throw new DomainError('NOT_FOUND');
      const [one] = await tx.announcements.load([id], true);
      if (!one) throw new DomainError('NOT_FOUND');
      const read = toRead(deps, one, locale);
      return { ...read, minutes: readingMinutes(read.body) };
    });
  }

  return { publicBoard, publicGet };
}
