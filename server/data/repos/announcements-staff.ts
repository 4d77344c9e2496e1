import { holding } from './image-objects.ts';
import type { Param, Raw } from '#server/data/raw.ts';
import { findRow, insertRow } from '#server/data/row.ts';
import type { AnnouncementContent, AnnouncementsRepo } from '#server/modules/announcements/ports.ts';
import type { AnnouncementState } from '#shared/announcements.ts';

/** What stands in a state at a moment. */
function inState(state: AnnouncementState | null, nowMs: number): readonly [sql: string, ...values: Param[]] {
  switch (state) {
    case 'draft':
      return ['a.publish_ms IS NULL'];
    case 'scheduled':
      return ['a.publish_ms > ? AND (a.end_ms IS NULL OR a.end_ms > ?)', nowMs, nowMs];
    case 'published':
      return ['a.publish_ms <= ? AND (a.end_ms IS NULL OR a.end_ms > ?)', nowMs, nowMs];
    case 'ended':
      return ['a.publish_ms IS NOT NULL AND a.end_ms <= ?', nowMs];
    case null:
      return ['1 = 1'];
  }
}

// What stands in this column was written here.
const parseContent = (text: string): AnnouncementContent => JSON.parse(text) as AnnouncementContent;

/** Tables of what hangs on an announcement. */
const PARTS = [
  'announcement_texts',
  'announcement_tags',
  'announcement_targets',
  'announcement_pictures',
  'announcement_revisions',
  'announcement_reads',
  'announcement_reactions',
  'announcement_reaction_counts',
] as const;

/** Deletes an announcement and everything that hangs on it. */
export async function removeAnnouncement({ run }: Raw, id: string): Promise<void> {
  for (const table of PARTS) await run(`DELETE FROM ${table} WHERE announcement_id = ?`, [id]);
  await run('DELETE FROM announcements WHERE id = ?', [id]);
}

type Staff = 'listAll' | 'addRevision' | 'listRevisions' | 'findRevision' | 'listDue';
/** What only staff and the clock ask for. */
export function staffPart(raw: Raw): Pick<AnnouncementsRepo, Staff> {
  const { all, run } = raw;
  return {
    async listAll({ state, audience, search, nowMs }, before, limit) {
      const [inSql, ...values] = inState(state, nowMs);
      const held = holding(search);
      const parts = [
        { sql: inSql, values },
        ...(audience === null ? [] : [{ sql: 'a.audience = ?', values: [audience] }]),
        ...(search === ''
          ? []
          : [
              {
                sql: `(EXISTS (SELECT 1 FROM announcement_texts t WHERE t.announcement_id = a.id AND LOWER(t.title) LIKE ? ESCAPE '!')
                OR EXISTS (SELECT 1 FROM announcement_tags g WHERE g.announcement_id = a.id AND LOWER(g.tag) LIKE ? ESCAPE '!'))`,
                values: [held, held],
              },
            ]),
        ...(before ? [{ sql: '(a.created_ms, a.id) < (?, ?)', values: [before.ms, before.id] }] : []),
      ];
      const rows = await all<{ id: string }>(
        `SELECT a.id FROM announcements a WHERE ${parts.map(({ sql }) => sql).join(' AND ')}
        ORDER BY a.created_ms DESC, a.id DESC LIMIT ?`,
        [...parts.flatMap((part) => part.values), limit],
      );
      return rows.map(({ id }) => id);
    },
    async addRevision(id, { revision, content, authorId, createdMs }, keep) {
      await insertRow(raw, 'announcement_revisions', {
        announcement_id: id,
        revision,
        content: JSON.stringify(content),
        author_id: authorId,
        created_ms: createdMs,
      });
      await run('DELETE FROM announcement_revisions WHERE announcement_id = ? AND revision <= ?', [
        id,
        revision - keep,
      ]);
    },
    async listRevisions(id, limit) {
      const rows = await all<{ revision: number; created_ms: number; author: string | null; content: string }>(
        `SELECT r.revision, r.created_ms, u.username AS author, r.content
        FROM announcement_revisions r LEFT JOIN users u ON u.id = r.author_id
        WHERE r.announcement_id = ? ORDER BY r.revision DESC LIMIT ?`,
        [id, limit],
      );
      return rows.map(({ revision, created_ms: createdMs, author, content }) => ({
        revision,
        createdMs,
        author,
        content: parseContent(content),
      }));
    },
    async findRevision(id, revision) {
      const row = await findRow(raw, 'announcement_revisions', { announcement_id: id, revision });
      return row ? parseContent(row.content) : null;
    },
    async listDue(nowMs, limit) {
      const rows = await all<{ id: string }>(
        `SELECT id FROM announcements
        WHERE announced_ms IS NULL AND publish_ms <= ? AND (end_ms IS NULL OR end_ms > ?) ORDER BY publish_ms LIMIT ?`,
        [nowMs, nowMs, limit],
      );
      return rows.map(({ id }) => id);
    },
  };
}

type Reached = 'listAudience' | 'countAudience' | 'listNaming' | 'listPictures';
/** Whom announcements are for, and which pictures they name. */
export function audiencePart(raw: Raw): Pick<AnnouncementsRepo, Reached> {
  const { all } = raw;
  return {
    async listAudience({ id, audience }, afterId, limit) {
      const fits = {
        everyone: '',
        roles: 'AND u.role_id IN (SELECT target_id FROM announcement_targets WHERE announcement_id = ?)',
        locations: `AND EXISTS (SELECT 1 FROM servers s WHERE s.user_id = u.id AND s.state <> 'deleted'
          AND s.location_id IN (SELECT target_id FROM announcement_targets WHERE announcement_id = ?))`,
      }[audience];
      return all<{ id: string; locale: string | null }>(
        `SELECT u.id, u.locale FROM users u
        WHERE ${raw.stopCondition} AND u.id > ? AND u.status = 'active' ${fits} ORDER BY u.id LIMIT ?`,
        [afterId, ...(audience === 'everyone' ? [] : [id]), limit],
      );
    },
    async countAudience({ audience, targets }, most) {
      const marks = targets.map(() => '?').join(', ') || 'NULL';
      const fits = {
        everyone: '',
        roles: `AND u.role_id IN (${marks})`,
        locations: `AND u.id IN (
          SELECT s.user_id FROM servers s WHERE s.state <> 'deleted' AND s.location_id IN (${marks}))`,
      }[audience];
      const row = await raw.one<{ n: number }>(
        `SELECT COUNT(*) AS n FROM (
          SELECT 1 AS x FROM users u WHERE ${raw.stopCondition} AND u.status = 'active' ${fits} LIMIT ?) AS found`,
        [...(audience === 'everyone' ? [] : targets), most],
      );
      return Number(row?.n ?? 0);
    },
    async listNaming(pictureIds, limit) {
      if (pictureIds.length === 0) return [];
      const rows = await all<{ id: string }>(
        `SELECT DISTINCT announcement_id AS id FROM announcement_pictures
        WHERE picture_id IN (${pictureIds.map(() => '?').join(', ')}) ORDER BY announcement_id LIMIT ?`,
        [...pictureIds, limit],
      );
      return rows.map(({ id }) => id);
    },
    async listPictures() {
      const rows = await all<{ id: string }>('SELECT DISTINCT picture_id AS id FROM announcement_pictures');
      return rows.map(({ id }) => id);
    },
  };
}
