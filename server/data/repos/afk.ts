import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { AfkSessions, DB } from '#server/data/schema.ts';
import type { AfkRepo, AfkRow, EndReason } from '#server/modules/rewards/afk/ports.ts';

const toRow = (row: Selectable<AfkSessions>): AfkRow => ({
  id: row.id,
  userId: row.user_id,
  sessionId: row.session_id,
  device: row.device,
  startedMs: row.started_ms,
  lastBeatMs: row.last_beat_ms,
  countedMs: row.counted_ms,
  minutes: row.minutes,
  earned: row.earned,
  challenge: row.challenge,
  challengeMs: row.challenge_ms,
  endedMs: row.ended_ms,
  // Only `end`, `endOpen`, `endSilent` and `saveBeat` below write this column.
  endReason: row.end_reason as EndReason | null,
  takenBy: row.taken_by,
});

type StoredRow = Selectable<AfkSessions>;
const FIND = 'SELECT * FROM afk_sessions WHERE id = ?';
/** A login that has not run out, of a user who is neither banned now nor deleted. */
const LOGIN = `SELECT s.device FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = LOGIN_ID AND s.expires_ms > ? AND (u.status = 'active' OR (u.status = 'banned' AND u.banned_until_ms <= ?))`;
const LOOK = `SELECT a.*, CASE WHEN EXISTS (${LOGIN.replace('LOGIN_ID', 'a.session_id')}) THEN 1 ELSE 0 END AS logged_in FROM afk_sessions a WHERE a.id = ?`;
const ISSUE = 'UPDATE afk_sessions SET challenge = ?, challenge_ms = ? WHERE id = ? AND ended_ms IS NULL';
const SAVE_BEAT = `UPDATE afk_sessions SET last_beat_ms = ?, counted_ms = ?, minutes = ?, earned = ?, challenge_ms = NULL, ended_ms = ?, end_reason = ?
  WHERE id = ? AND ended_ms IS NULL`;

/**
 * AFK sessions in the database. A partial unique index allows one open session a user. What each beat asks is written
 * by hand.
 */
export function createAfkRepo(db: Kysely<DB>, raw: Raw): AfkRepo {
  const lockText = raw.dialect === 'postgres' ? `${FIND} FOR UPDATE` : FIND;
  const found = (row: StoredRow | undefined) => (row ? toRow(row) : null);
  const change = () => db.updateTable('afk_sessions').where('ended_ms', 'is', null);
  return {
    async add({ id, userId, sessionId, device, startedMs }) {
      const added = await db
        .insertInto('afk_sessions')
        .values({
          id,
          user_id: userId,
          session_id: sessionId,
          device,
          started_ms: startedMs,
          last_beat_ms: 0,
          counted_ms: 0,
          minutes: 0,
          earned: 0,
          challenge: null,
          challenge_ms: null,
          ended_ms: null,
          end_reason: null,
          taken_by: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      return added.length > 0;
    },
    async deleteEmpty(userId, beforeMs) {
      await db
        .deleteFrom('afk_sessions')
        .where('user_id', '=', userId)
        .where('minutes', '=', 0)
        .where('ended_ms', '<', beforeMs)
        .execute();
    },
    find: async (id) => found(await raw.one<StoredRow>(FIND, [id])),
    lock: async (id) => found(await raw.one<StoredRow>(lockText, [id])),
    async findLive(id, nowMs) {
      const row = await raw.one<StoredRow & { logged_in: number }>(LOOK, [nowMs, nowMs, id]);
      return row ? { row: toRow(row), loggedIn: row.logged_in === 1 } : null;
    },
    async open(userId) {
      const row = await db
        .selectFrom('afk_sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('ended_ms', 'is', null)
        .executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async endOpen(userId, { atMs, reason, takenBy }) {
      const row = await change()
        .set({ ended_ms: atMs, end_reason: reason, taken_by: takenBy })
        .where('user_id', '=', userId)
        .returningAll()
        .executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async end(id, reason, atMs) {
      const ended = await change()
        .set({ ended_ms: atMs, end_reason: reason })
        .where('id', '=', id)
        .returning('id')
        .execute();
      return ended.length > 0;
    },
    async endSilent(beforeMs, atMs) {
      const ended = await change()
        .set({ ended_ms: atMs, end_reason: 'idle' satisfies EndReason })
        .where('started_ms', '<', beforeMs)
        .where('last_beat_ms', '<', beforeMs)
        .returning('user_id')
        .execute();
      return ended.map((row) => row.user_id);
    },
    async issue(id, after, challenge, atMs) {
      const { changes } =
        after === null
          ? await raw.run(ISSUE, [challenge, atMs, id])
          : await raw.run(`${ISSUE} AND challenge = ?`, [challenge, atMs, id, after]);
      return changes === 1;
    },
    async saveBeat(id, beat) {
      await raw.run(SAVE_BEAT, [
        beat.lastBeatMs,
        beat.countedMs,
        beat.minutes,
        beat.earned,
        beat.endedMs,
        beat.endReason,
        id,
      ]);
    },
    login: async (sessionId, nowMs) =>
      (await raw.one<{ device: string }>(LOGIN.replace('LOGIN_ID', '?'), [sessionId, nowMs, nowMs])) ?? null,
  };
}
