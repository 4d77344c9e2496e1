import type { Kysely } from 'kysely';
import type { Param, Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { LeaderboardRepo, Moved, ScoreRow } from '#server/modules/leaderboard/ports.ts';
import { BASE, LEVELS, nodeOf } from '#server/modules/leaderboard/tree.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { leaderboardSources } from './leaderboard-sources.ts';

/**
 * How far back a posting may still appear before one that is seen (PostgreSQL): longer than a transaction may take
 * (scope.ts), and what the clocks of two processes may differ. SQLite has one writer, so there everything that came
 * before is seen.
 */
const UNSETTLED_MS = MINUTE + 5 * SECOND;

type Reading = Pick<LeaderboardRepo, 'top' | 'scoreOf' | 'above' | 'players' | 'nextAbove' | 'scores'>;
type Writing = Pick<LeaderboardRepo, 'put' | 'remove' | 'count' | 'forgetMonths'>;
type Progress = Pick<LeaderboardRepo, 'lock' | 'save' | 'postingsAfter' | 'takeMarks' | 'usersAfter'>;

/**
 * The leaderboard in the database. The questions of its page are hand-written, so that each row read is one that is
 * shown or counted.
 */
export function createLeaderboardRepo(db: Kysely<DB>, raw: Raw): LeaderboardRepo {
  return { ...progress(db, raw), ...leaderboardSources(db, raw), ...writing(db, raw), ...reading(raw) };
}

function progress(db: Kysely<DB>, raw: Raw): Progress {
  return {
    async lock() {
      const row = await db.selectFrom('leaderboard_state').selectAll().forUpdate().executeTakeFirstOrThrow();
      return { txId: row.tx_id, seq: row.seq, sweep: row.sweep, sweptMs: row.swept_ms };
    },
    async save({ txId, seq, sweep, sweptMs }) {
      await db.updateTable('leaderboard_state').set({ tx_id: txId, seq, sweep, swept_ms: sweptMs }).execute();
    },
    async postingsAfter({ txId, seq }, limit, nowMs) {
      const onlyCommitted =
        raw.dialect === 'postgres'
          ? { sql: ' AND tx_id < ?', params: [idAt(nowMs - UNSETTLED_MS)] }
          : { sql: '', params: [] };
      const rows = await raw.all<{
        tx_id: string;
        seq: number;
        source: string;
        destination: string;
        amount: number;
        kind: string;
        created_ms: number;
      }>(
        `SELECT tx_id, seq, source, destination, amount, kind, created_ms FROM ledger_postings WHERE (tx_id, seq) > (?, ?)${onlyCommitted.sql} ORDER BY tx_id, seq LIMIT ?`,
        [txId, seq, ...onlyCommitted.params, limit],
      );
      return rows.map(({ tx_id: id, created_ms: createdMs, ...rest }): Moved => ({ txId: id, createdMs, ...rest }));
    },
    async takeMarks(limit) {
      const ids = db.selectFrom('leaderboard_marks').select('user_id').orderBy('user_id').limit(limit);
      return (await db.deleteFrom('leaderboard_marks').where('user_id', 'in', ids).returning('user_id').execute()).map(
        (row) => row.user_id,
      );
    },
    async usersAfter(userId, limit) {
      return (
        await db.selectFrom('users').select('id').where('id', '>', userId).orderBy('id').limit(limit).execute()
      ).map((row) => row.id);
    },
  };
}

/** The smallest identifier that can be made at a moment: its time in hex. */
function idAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

function writing(db: Kysely<DB>, raw: Raw): Writing {
  return {
    async put(rows) {
      if (rows.length === 0) return;
      await db
        .insertInto('leaderboard_scores')
        .values(
          rows.map((row) => ({
            board: row.board,
            user_id: row.userId,
            score: row.score,
            listed: row.listed ? 1 : 0,
            linked: row.linked ? 1 : 0,
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'board']).doUpdateSet((eb) => ({
            score: eb.ref('excluded.score'),
            listed: eb.ref('excluded.listed'),
            linked: eb.ref('excluded.linked'),
          })),
        )
        .execute();
    },
    async remove(rows) {
      for (const { board, userId } of rows)
        await raw.run('DELETE FROM leaderboard_scores WHERE user_id = ? AND board = ?', [userId, board]);
    },
    async count(changes) {
      for (const { board, level, node, by } of changes) {
        const row = await raw.one<{ players: number }>(
          `INSERT INTO leaderboard_counts (board, level, node, players) VALUES (?, ?, ?, ?)
           ON CONFLICT (board, level, node) DO UPDATE SET players = leaderboard_counts.players + excluded.players RETURNING players`,
          [board, level, node, by],
        );
        if (row?.players === 0)
          await raw.run('DELETE FROM leaderboard_counts WHERE board = ? AND level = ? AND node = ?', [
            board,
            level,
            node,
          ]);
      }
    },
    async forgetMonths(current, limit) {
      const old = "SELECT board, level, node FROM leaderboard_counts WHERE board >= 'month:' AND board < ? LIMIT ?";
      await raw.run(`DELETE FROM leaderboard_counts WHERE (board, level, node) IN (${old})`, [current, limit]);
    },
  };
}

const TOP = `SELECT s.user_id, s.score, s.linked, u.username FROM leaderboard_scores s JOIN users u ON u.id = s.user_id
  WHERE s.board = ? AND s.listed = 1 AND (u.status = 'active' OR u.banned_until_ms <= ?) ORDER BY s.score DESC, s.user_id LIMIT ?`;
/** The larger brothers of the path on one level. */
const BROTHERS = 'SELECT players FROM leaderboard_counts WHERE board = ? AND level = ? AND node > ? AND node < ?';

function reading(raw: Raw): Reading {
  return {
    async top(board, limit, nowMs) {
      const rows = await raw.all<{ user_id: string; score: number; linked: number; username: string }>(TOP, [
        board,
        nowMs,
        limit,
      ]);
      return rows.map((row) => ({
        userId: row.user_id,
        username: row.username,
        score: row.score,
        linked: row.linked === 1,
      }));
    },
    async scoreOf(board, userId) {
      const row = await raw.one<StoredScore>(
        'SELECT board, user_id, score, listed, linked FROM leaderboard_scores WHERE user_id = ? AND board = ?',
        [userId, board],
      );
      return row ? toScore(row) : null;
    },
    async above(board, score) {
      const params: Param[] = [];
      for (let level = 0; level < LEVELS; level += 1) {
        params.push(board, level, nodeOf(score, level), (nodeOf(score, level + 1) + 1) * BASE);
      }
      const sql = Array.from({ length: LEVELS }, () => BROTHERS).join(' UNION ALL ');
      return sum(await raw.all<{ players: number }>(sql, params));
    },
    async players(board) {
      return sum(
        await raw.all<{ players: number }>('SELECT players FROM leaderboard_counts WHERE board = ? AND level = ?', [
          board,
          LEVELS - 1,
        ]),
      );
    },
    async nextAbove(board, score) {
      const row = await raw.one<{ score: number }>(
        'SELECT score FROM leaderboard_scores WHERE board = ? AND listed = 1 AND score > ? ORDER BY score LIMIT 1',
        [board, score],
      );
      return row?.score ?? null;
    },
    async scores(userIds) {
      if (userIds.length === 0) return [];
      const marks = userIds.map(() => '?').join(', ');
      const rows = await raw.all<StoredScore>(
        `SELECT board, user_id, score, listed, linked FROM leaderboard_scores WHERE user_id IN (${marks})`,
        [...userIds],
      );
      return rows.map(toScore);
    },
  };
}

interface StoredScore {
  board: string;
  user_id: string;
  score: number;
  listed: number;
  linked: number;
}
const toScore = (row: StoredScore): ScoreRow => ({
  board: row.board,
  userId: row.user_id,
  score: row.score,
  listed: row.listed === 1,
  linked: row.linked === 1,
});
const sum = (rows: readonly { players: number }[]): number => rows.reduce((all, { players }) => all + players, 0);
