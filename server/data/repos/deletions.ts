import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { DeletionsRepo } from '#server/modules/deletion/ports.ts';
import { eraseUser } from './erasure.ts';
import { countDependants, hasRecords, removeUser } from './removal.ts';

/** Deletions of accounts in the database. */
export function createDeletionsRepo(db: Kysely<DB>, raw: Raw): DeletionsRepo {
  return {
    async find(userId) {
      const row = await db.selectFrom('account_deletions').selectAll().where('user_id', '=', userId).executeTakeFirst();
      return row
        ? { userId: row.user_id, requestedMs: row.requested_ms, dueMs: row.due_ms, whole: row.whole === 1 }
        : null;
    },
    async add({ userId, requestedMs, dueMs }) {
      const added = await db
        .insertInto('account_deletions')
        .values({ user_id: userId, requested_ms: requestedMs, due_ms: dueMs })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .execute();
      return added.length > 0;
    },
    async put({ userId, requestedMs, dueMs, whole }) {
      const row = { requested_ms: requestedMs, due_ms: dueMs, whole: whole ? 1 : 0 } as const;
      await db
        .insertInto('account_deletions')
        .values({ user_id: userId, ...row })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
        .execute();
    },
    async remove(userId) {
      const removed = await db
        .deleteFrom('account_deletions')
        .where('user_id', '=', userId)
        .returning('user_id')
        .execute();
      return removed.length > 0;
    },
    async listDue(nowMs, afterUserId, limit) {
      const rows = await db
        .selectFrom('account_deletions')
        .select('user_id')
        .where('due_ms', '<=', nowMs)
        .where('user_id', '>', afterUserId)
        .orderBy('user_id')
        .limit(limit)
        .execute();
      return rows.map((row) => row.user_id);
    },
    erase: (userId, name, atMs) => eraseUser(db, userId, name, atMs),
    hasRecords: (userId) => hasRecords(raw, userId),
    countDependants: (userId) => countDependants(raw, userId),
    removeUser: (userId) => removeUser(db, userId),
  };
}
