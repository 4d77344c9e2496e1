import type { Selectable } from 'kysely';
import type { Param, Raw } from '#server/data/raw.ts';
import { insertNew, insertRow, lockRow, updateRow } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type {
  Announcement,
  AnnouncementRow,
  AnnouncementsRepo,
  BoardQuery,
} from '#server/modules/announcements/ports.ts';
import type { AnnouncementAudience, Reaction } from '#shared/announcements.ts';
import { LOCALES, toLocale } from '#shared/i18n/locales.ts';
import { audiencePart, removeAnnouncement, staffPart } from './announcements-staff.ts';

type Stored = Selectable<DB['announcements']>;
/** A row as staff and readers get it. */
const toAnnouncementRow = (row: Stored): AnnouncementRow => ({
  id: row.id,
  picture: row.picture,
  audience: row.audience as AnnouncementAudience,
  pinned: row.pinned === 1,
  urgent: row.urgent === 1,
  notifies: row.notifies === 1,
  mails: row.mails === 1,
  pushes: row.pushes === 1,
  publishMs: row.publish_ms,
  endMs: row.end_ms,
  announcedMs: row.announced_ms,
  revision: row.revision,
  seen: row.seen,
  authorId: row.author_id,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
});

interface Condition {
  readonly sql: string;
  readonly values: readonly Param[];
}
/** What is shown at a moment. */
const shownAt = (nowMs: number): Condition => ({
  sql: 'a.publish_ms <= ? AND (a.end_ms IS NULL OR a.end_ms > ?)',
  values: [nowMs, nowMs],
});
/** What a reader belongs to the audience of. */
const forReader = (userId: string | null): Condition =>
  userId === null
    ? { sql: "a.audience = 'everyone'", values: [] }
    : {
        sql: `(a.audience = 'everyone' OR EXISTS (
          SELECT 1 FROM announcement_targets t WHERE t.announcement_id = a.id AND t.target_id IN (
            SELECT role_id FROM users WHERE id = ?
            UNION ALL SELECT location_id FROM servers WHERE user_id = ? AND state <> 'deleted')))`,
        values: [userId, userId],
      };
const READ = 'EXISTS (SELECT 1 FROM announcement_reads r WHERE r.user_id = ? AND r.announcement_id = a.id)';

/** The parts of a question that may be left out, and their values. */
function optionalParts({ userId, unreadSinceMs, tag, pinned, before }: BoardQuery): Condition[] {
  return [
    ...(unreadSinceMs === undefined
      ? []
      : [{ sql: `a.publish_ms > ? AND NOT ${READ}`, values: [unreadSinceMs, userId ?? ''] }]),
    ...(tag === undefined
      ? []
      : [
          {
            sql: 'EXISTS (SELECT 1 FROM announcement_tags g WHERE g.announcement_id = a.id AND g.tag = ?)',
            values: [tag],
          },
        ]),
    ...(pinned === undefined ? [] : [{ sql: `a.pinned = ${pinned ? 1 : 0}`, values: [] }]),
    ...(before === null ? [] : [{ sql: '(a.publish_ms, a.id) < (?, ?)', values: [before.ms, before.id] }]),
  ];
}

/** Places for values in a list. */
const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

type Reading = 'listAffected' | 'hasAny' | 'listBoard' | 'load' | 'isVisible' | 'listTags' | 'listReactions';
function readingPart(raw: Raw): Pick<AnnouncementsRepo, Reading> {
  const { all, one } = raw;
  return {
    async listBoard(query) {
      const { nowMs, before } = query;
      const { sql: shown } = shownAt(nowMs);
      // A later page begins where the one before it ended, and not at the newest one.
      const fromMs = Math.min(nowMs, before?.ms ?? nowMs);
      const parts = [{ sql: shown, values: [fromMs, nowMs] }, forReader(query.userId), ...optionalParts(query)];
      const rows = await all<{ id: string; is_read: number }>(
        `SELECT a.id, CASE WHEN ${READ} THEN 1 ELSE 0 END AS is_read FROM announcements a
        WHERE ${parts.map(({ sql }) => sql).join(' AND ')} ORDER BY a.publish_ms DESC, a.id DESC LIMIT ?`,
        [query.userId ?? '', ...parts.flatMap(({ values }) => values), query.limit],
      );
      return rows.map(({ id, is_read: isRead }) => ({ id, isRead: isRead === 1 }));
    },
    load: (ids, withBodies) => load(raw, ids, withBodies),
    async isVisible(id, userId, nowMs) {
      const parts = [shownAt(nowMs), forReader(userId)];
      const row = await one(
        `SELECT a.id FROM announcements a WHERE a.id = ? AND ${parts.map(({ sql }) => sql).join(' AND ')}`,
        [id, ...parts.flatMap(({ values }) => values)],
      );
      return row !== undefined;
    },
    async hasAny(nowMs) {
      const { sql, values } = shownAt(nowMs);
      return (await one(`SELECT a.id FROM announcements a WHERE ${sql} LIMIT 1`, values)) !== undefined;
    },
    async listAffected(ids, userId) {
      if (ids.length === 0) return new Map();
      const rows = await all<{ id: string; name: string }>(
        `SELECT t.announcement_id AS id, s.name FROM servers s
        JOIN announcement_targets t ON t.target_id = s.location_id AND t.announcement_id IN (${marks(ids)})
        WHERE s.user_id = ? AND s.state <> 'deleted' ORDER BY s.name, s.id`,
        [...ids, userId],
      );
      const names = new Map<string, string[]>();
      for (const { id, name } of rows) names.set(id, [...(names.get(id) ?? []), name]);
      return names;
    },
    async listTags(nowMs, limit) {
      const shown = shownAt(nowMs);
      const rows = await all<{ tag: string }>(
        `SELECT g.tag FROM announcements a JOIN announcement_tags g ON g.announcement_id = a.id
        WHERE a.audience = 'everyone' AND ${shown.sql} GROUP BY g.tag ORDER BY COUNT(*) DESC, g.tag LIMIT ?`,
        [...shown.values, limit],
      );
      return rows.map(({ tag }) => tag);
    },
    async listReactions(ids, userId) {
      if (ids.length === 0) return [];
      const rows = await all<{ id: string; reaction: Reaction; count: number; own: number }>(
        `SELECT c.announcement_id AS id, c.reaction, c.count, CASE WHEN EXISTS (
          SELECT 1 FROM announcement_reactions r
          WHERE r.user_id = ? AND r.announcement_id = c.announcement_id AND r.reaction = c.reaction) THEN 1 ELSE 0 END AS own
        FROM announcement_reaction_counts c WHERE c.announcement_id IN (${marks(ids)}) AND c.count > 0`,
        [userId ?? '', ...ids],
      );
      return rows.map(({ own, ...each }) => ({ ...each, isOwn: own === 1 }));
    },
  };
}

/** Announcements with what hangs on them, in the order of the ids. */
async function load({ all }: Raw, ids: readonly string[], withBodies: boolean): Promise<Announcement[]> {
  if (ids.length === 0) return [];
  const rows = await all<Stored & { author: string | null }>(
    `SELECT a.*, u.username AS author FROM announcements a LEFT JOIN users u ON u.id = a.author_id
    WHERE a.id IN (${marks(ids)})`,
    ids,
  );
  const texts = await all<{ id: string; locale: string; title: string; summary: string; body: string }>(
    `SELECT announcement_id AS id, locale, title, summary, ${withBodies ? 'body' : "'' AS body"}
    FROM announcement_texts WHERE announcement_id IN (${marks(ids)})`,
    ids,
  );
  const tags = await all<{ id: string; tag: string }>(
    `SELECT announcement_id AS id, tag FROM announcement_tags
    WHERE announcement_id IN (${marks(ids)}) ORDER BY position`,
    ids,
  );
  const targets = await all<{ id: string; target: string }>(
    `SELECT announcement_id AS id, target_id AS target FROM announcement_targets
    WHERE announcement_id IN (${marks(ids)}) ORDER BY target_id`,
    ids,
  );
  return ids.flatMap((id) => {
    const row = rows.find((each) => each.id === id);
    if (!row) return [];
    return [
      {
        ...toAnnouncementRow(row),
        author: row.author,
        texts: LOCALES.flatMap((locale) =>
          texts
            .filter((text) => text.id === id && toLocale(text.locale) === locale)
            .map(({ title, summary, body }) => ({ locale, title, summary, body })),
        ),
        tags: tags.filter((each) => each.id === id).map(({ tag }) => tag),
        targets: targets.filter((each) => each.id === id).map(({ target }) => target),
      },
    ];
  });
}

type Marking = 'findMark' | 'setMark' | 'addRead' | 'setReaction';
function markingPart(raw: Raw): Pick<AnnouncementsRepo, Marking> {
  const { one, run } = raw;
  return {
    async findMark(userId) {
      const row = await one<{ created_ms: number; until_ms: number | null }>(
        `SELECT u.created_ms, m.until_ms FROM users u LEFT JOIN announcement_marks m ON m.user_id = u.id
        WHERE u.id = ?`,
        [userId],
      );
      return { untilMs: row?.until_ms ?? 0, sinceMs: row?.created_ms ?? 0 };
    },
    async setMark(userId, untilMs) {
      await run(
        `INSERT INTO announcement_marks (user_id, until_ms) VALUES (?, ?)
        ON CONFLICT (user_id) DO UPDATE SET until_ms = excluded.until_ms`,
        [userId, untilMs],
      );
    },
    async addRead(userId, id, atMs) {
      const isNew = await insertNew(raw, 'announcement_reads', {
        user_id: userId,
        announcement_id: id,
        created_ms: atMs,
      });
      if (isNew) await run('UPDATE announcements SET seen = seen + 1 WHERE id = ?', [id]);
      return isNew;
    },
    async setReaction(userId, id, reaction, isOn, atMs) {
      const key = { user_id: userId, announcement_id: id, reaction };
      const changed = isOn
        ? await insertNew(raw, 'announcement_reactions', { ...key, created_ms: atMs })
        : (
            await run('DELETE FROM announcement_reactions WHERE user_id = ? AND announcement_id = ? AND reaction = ?', [
              userId,
              id,
              reaction,
            ])
          ).changes > 0;
      if (!changed) return false;
      await run(
        `INSERT INTO announcement_reaction_counts (announcement_id, reaction, count) VALUES (?, ?, ?)
        ON CONFLICT (announcement_id, reaction) DO UPDATE SET count = announcement_reaction_counts.count + excluded.count`,
        [id, reaction, isOn ? 1 : -1],
      );
      return true;
    },
  };
}

type Writing = 'lock' | 'add' | 'update' | 'replaceParts' | 'remove';
function writingPart(raw: Raw): Pick<AnnouncementsRepo, Writing> {
  const { run } = raw;
  return {
    async lock(id) {
      const row = await lockRow(raw, 'announcements', { id });
      return row ? toAnnouncementRow(row) : null;
    },
    add: (row) => insertRow(raw, 'announcements', { id: row.id, created_ms: row.createdMs, ...toStored(row) }),
    update: (id, change) => updateRow(raw, 'announcements', toStored(change), { id }),
    async replaceParts(id, { texts, tags, targets }, pictures) {
      for (const table of ['announcement_texts', 'announcement_tags', 'announcement_targets'])
        await run(`DELETE FROM ${table} WHERE announcement_id = ?`, [id]);
      for (const text of texts) await insertRow(raw, 'announcement_texts', { announcement_id: id, ...text });
      for (const [position, tag] of tags.entries())
        await insertRow(raw, 'announcement_tags', { announcement_id: id, tag, position });
      for (const target of targets)
        await insertRow(raw, 'announcement_targets', { announcement_id: id, target_id: target });
      for (const picture of pictures)
        await insertNew(raw, 'announcement_pictures', { announcement_id: id, picture_id: picture });
    },
    remove: (id) => removeAnnouncement(raw, id),
  };
}

/** Columns of what is given. */
function toStored<R extends Partial<Omit<AnnouncementRow, 'id' | 'createdMs'>>>(row: R) {
  const bit = (value: boolean | undefined) => (value ? 1 : 0);
  const columns = {
    picture: row.picture,
    audience: row.audience,
    pinned: row.pinned === undefined ? undefined : bit(row.pinned),
    urgent: row.urgent === undefined ? undefined : bit(row.urgent),
    notifies: row.notifies === undefined ? undefined : bit(row.notifies),
    mails: row.mails === undefined ? undefined : bit(row.mails),
    pushes: row.pushes === undefined ? undefined : bit(row.pushes),
    publish_ms: row.publishMs,
    end_ms: row.endMs,
    announced_ms: row.announcedMs,
    revision: row.revision,
    seen: row.seen,
    author_id: row.authorId,
    updated_ms: row.updatedMs,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Omit<
    Stored,
    'id' | 'created_ms'
  >;
}

/** Announcements (behaviour 7.4) in the database. */
export function createAnnouncementsRepo(raw: Raw): AnnouncementsRepo {
  return { ...readingPart(raw), ...markingPart(raw), ...writingPart(raw), ...staffPart(raw), ...audiencePart(raw) };
}
