import type { Kysely } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { DB } from '#server/data/schema.ts';
import type { RedeemRepo, Tries } from '#server/modules/rewards/redeem/ports.ts';
import { DomainError } from '#shared/errors.ts';

/** Redeem codes, their uses and the wrong tries in the database. The tries share the table `attempts` with the login's. */
export function createRedeemRepo(db: Kysely<DB>): RedeemRepo {
  const keyOf = (userId: string) => `redeem:${userId}`;
  const triesOf = (userId: string) => db.selectFrom('attempts').select(['window_start_ms', 'count']).where('key', '=', keyOf(userId));
  const toTries = (row: { window_start_ms: number; count: number }): Tries => ({ windowStartMs: row.window_start_ms, count: row.count });
  return {
    async lockCode(key) {
      const row = await forUpdate(db.selectFrom('redeem_codes').selectAll().where('code_key', '=', key)).executeTakeFirst();
      if (!row) return null;
      return {
        id: row.id, code: row.code, credits: row.credits, usesTotal: row.uses_total, usesCount: row.uses_count, minAgeDays: row.min_age_days,
        startsMs: row.starts_ms, endsMs: row.ends_ms, enabled: row.enabled === 1,
      };
    },
    async used(codeId, userId) {
      const row = await db.selectFrom('redeem_uses').select('id').where('code_id', '=', codeId).where('user_id', '=', userId).executeTakeFirst();
      return row !== undefined;
    },
    async countUse(codeId) {
      const counted = await db
        .updateTable('redeem_codes')
        .set((eb) => ({ uses_count: eb('uses_count', '+', 1) }))
        .where('id', '=', codeId)
        .whereRef('uses_count', '<', 'uses_total')
        .returning('id')
        .execute();
      return counted.length > 0;
    },
    async addUse(use) {
      const added = await db
        .insertInto('redeem_uses')
        .values({ id: use.id, code_id: use.codeId, user_id: use.userId, code: use.code, credits: use.credits, tx_id: use.txId, at_ms: use.atMs })
        .onConflict((conflict) => conflict.columns(['code_id', 'user_id']).doNothing())
        .returning('id')
        .execute();
      if (added.length === 0) throw new DomainError('CODE_ALREADY_USED');
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
      return rows.map((row) => ({
        id: row.id, codeId: row.code_id, userId: row.user_id, code: row.code, credits: row.credits, txId: row.tx_id, atMs: row.at_ms,
      }));
    },
    async memberSince(userId) {
      const row = await db.selectFrom('users').select('created_ms').where('id', '=', userId).executeTakeFirst();
      return row?.created_ms ?? null;
    },
    async tries(userId) {
      const row = await triesOf(userId).executeTakeFirst();
      return row ? toTries(row) : null;
    },
    async lockTries(userId, nowMs) {
      const row = await db
        .insertInto('attempts')
        .values({ key: keyOf(userId), window_start_ms: nowMs, count: 0 })
        // Writing what is there locks the row, and gives it in the same statement.
        .onConflict((conflict) => conflict.column('key').doUpdateSet((is) => ({ count: is.ref('attempts.count') })))
        .returning(['window_start_ms', 'count'])
        .executeTakeFirstOrThrow();
      return toTries(row);
    },
    async saveTries(userId, tries) {
      const set = { window_start_ms: tries.windowStartMs, count: tries.count };
      await db.updateTable('attempts').set(set).where('key', '=', keyOf(userId)).execute();
    },
  };
}
