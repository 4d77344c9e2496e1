import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { DataExport, ExportedRow, ExportsRepo } from '#server/modules/exports/ports.ts';
import { SECTIONS } from './data-export-sections.ts';

/** Exports of users' data in the database. */
export function createExportsRepo(db: Kysely<DB>): ExportsRepo {
  return {
    async find(userId) {
      const row = await db
        .selectFrom('data_exports')
        .select(['user_id', 'id', 'state', 'requested_ms', 'expires_ms', 'size'])
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (!row) return null;
      const { user_id, id, state, requested_ms, expires_ms, size } = row;
      const found: DataExport = {
        userId: user_id,
        id,
        state,
        requestedMs: requested_ms,
        expiresMs: expires_ms,
        size,
      };
      return found;
    },
    async begin(userId, id, atMs) {
      const fresh = { id, state: 'working', requested_ms: atMs, expires_ms: null, size: null, body: null } as const;
      await db
        .insertInto('data_exports')
        .values({ user_id: userId, ...fresh })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fresh))
        .execute();
    },
    async finish(userId, id, { base64, size }, expiresMs) {
      const stored = await db
        .updateTable('data_exports')
        .set({ state: 'ready', body: base64, size, expires_ms: expiresMs })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('state', '=', 'working')
        .returning('id')
        .execute();
      return stored.length > 0;
    },
    async fail(userId, id, atMs) {
      await db
        .updateTable('data_exports')
        .set({ state: 'failed', expires_ms: atMs })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('state', '=', 'working')
        .execute();
    },
    async archive(userId, nowMs) {
      const row = await db
        .selectFrom('data_exports')
        .select(['id', 'body'])
        .where('user_id', '=', userId)
        .where('state', '=', 'ready')
        .where('expires_ms', '>', nowMs)
        .executeTakeFirst();
      return row?.body == null ? null : { id: row.id, base64: row.body };
    },
    async purge(nowMs) {
      await db.deleteFrom('data_exports').where('state', '=', 'ready').where('expires_ms', '<=', nowMs).execute();
    },
    async sections(userId) {
      const found: Record<string, ExportedRow[]> = {};
      for (const [name, section] of Object.entries(SECTIONS)) found[name] = await section(db, userId);
      return found;
    },
  };
}
