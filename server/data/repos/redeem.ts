import type { Kysely, Selectable } from 'kysely';
import { alongIndex, type Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { RedeemRepo, RedeemUse, Tries } from '#server/modules/rewards/redeem/ports.ts';
import { DomainError } from '#shared/errors.ts';

interface TriesRow {
  window_start_ms: number;
  count: number;
}
const CODE = 'SELECT * FROM redeem_codes WHERE code_key = ?';
const TRIES = 'SELECT window_start_ms, count FROM attempts WHERE key = ?';
const SAVE_TRIES = `INSERT INTO attempts (key, window_start_ms, count) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET window_start_ms = excluded.window_start_ms, count = excluded.count`;
/** Writing what is there locks the row, and gives it in the same statement. */
const LOCK_TRIES = `INSERT INTO attempts (key, window_start_ms, count) VALUES (?, ?, 0)
  ON CONFLICT (key) DO UPDATE SET count = attempts.count RETURNING window_start_ms, count`;
const FACTS = `SELECT u.created_ms AS created_ms, CASE WHEN EXISTS (SELECT 1 FROM redeem_uses r WHERE r.code_id = ? AND r.user_id = u.id)
    OR EXISTS (SELECT 1 FROM imported_code_uses i WHERE i.code_id = ? AND i.user_id = u.id) THEN 1 ELSE 0 END AS used
  FROM users u WHERE u.id = ?`;
const ADD_USE = `INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (code_id, user_id) DO NOTHING`;

/** Redeem codes, their uses and the wrong tries in the database. The tries share the table `attempts` with the login's. */
export function createRedeemRepo(db: Kysely<DB>, raw: Raw): RedeemRepo {
  const keyOf = (userId: string) => `redeem:${userId}`;
  const toUse = (row: Selectable<DB['redeem_uses']>): RedeemUse => ({
    id: row.id,
    codeId: row.code_id,
    userId: row.user_id,
    code: row.code,
    credits: row.credits,
    txId: row.tx_id,
    atMs: row.at_ms,
  });
  const toTries = (row: TriesRow): Tries => ({ windowStartMs: row.window_start_ms, count: row.count });
  return {
    async findCode(key) {
      const row = await raw.one<Selectable<DB['redeem_codes']>>(CODE, [key]);
      if (!row) return null;
      return {
        id: row.id,
        code: row.code,
        credits: row.credits,
        usesTotal: row.uses_total,
        usesCount: row.uses_count,
        minAgeDays: row.min_age_days,
        startsMs: row.starts_ms,
        endsMs: row.ends_ms,
        enabled: row.enabled === 1,
        writers: [row.created_by, row.changed_by].filter((id) => id !== null),
      };
    },
    async findFacts(userId, codeId) {
      const row = await raw.one<{ created_ms: number; used: number }>(FACTS, [codeId, codeId, userId]);
      return { sinceMs: row?.created_ms ?? null, used: row?.used === 1 };
    },
    async countUse(codeId) {
      return (
        (
          await raw.run(
            'UPDATE redeem_codes SET uses_count = uses_count + 1 WHERE id = ? AND uses_count < uses_total',
            [codeId],
          )
        ).changes === 1
      );
    },
    async addUse({ id, codeId, userId, code, credits, txId, atMs }) {
      const { changes } = await raw.run(ADD_USE, [id, codeId, userId, code, credits, txId, atMs]);
      if (changes === 0) throw new DomainError('CODE_ALREADY_USED');
    },
    async history(userId, limit) {
      const rows = await db
        .selectFrom('redeem_uses')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toUse);
    },
    async usesOf(codeId, before, limit) {
      if (!(await raw.one('SELECT 1 AS found FROM redeem_codes WHERE id = ?', [codeId]))) return null;
      const rows = await raw.all<Selectable<DB['redeem_uses']> & { username: string }>(
        `SELECT r.*, u.username FROM redeem_uses r${alongIndex(raw, 'redeem_uses_code')} JOIN users u ON u.id = r.user_id
          WHERE r.code_id = ?${before ? ' AND (r.at_ms, r.id) < (?, ?)' : ''} ORDER BY r.at_ms DESC, r.id DESC LIMIT ?`,
        [codeId, ...(before ? [before.atMs, before.id] : []), limit],
      );
      return rows.map((row) => ({ ...toUse(row), username: row.username }));
    },
    async tries(userId) {
      const row = await raw.one<TriesRow>(TRIES, [keyOf(userId)]);
      return row ? toTries(row) : null;
    },
    async lockTries(userId, nowMs) {
      // Behind SQLite's one writer nothing has to be locked, and so nothing written.
      const row =
        raw.dialect === 'postgres'
          ? await raw.one<TriesRow>(LOCK_TRIES, [keyOf(userId), nowMs])
          : await raw.one<TriesRow>(TRIES, [keyOf(userId)]);
      return row ? toTries(row) : { windowStartMs: nowMs, count: 0 };
    },
    async saveTries(userId, tries) {
      await raw.run(SAVE_TRIES, [keyOf(userId), tries.windowStartMs, tries.count]);
    },
  };
}
