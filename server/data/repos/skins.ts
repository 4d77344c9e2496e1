import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { SkinsRepo } from '#server/modules/skins/ports.ts';

/** Skins of users in the database. */
export function createSkinsRepo(db: Kysely<DB>): SkinsRepo {
  return {
    async find(userId) {
      const row = await db.selectFrom('user_skins').selectAll().where('user_id', '=', userId).executeTakeFirst();
      return row ? { userId: row.user_id, png: row.png, sha256: row.sha256, updatedMs: row.updated_ms } : null;
    },
    async fingerprint(userId) {
      const row = await db.selectFrom('user_skins').select('sha256').where('user_id', '=', userId).executeTakeFirst();
      return row?.sha256 ?? null;
    },
    async put({ userId, png, sha256, updatedMs }) {
      const picture = { png, sha256, updated_ms: updatedMs };
      await db
        .insertInto('user_skins')
        .values({ user_id: userId, ...picture })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(picture))
        .execute();
    },
    async remove(userId) {
      const gone = await db.deleteFrom('user_skins').where('user_id', '=', userId).returning('user_id').execute();
      return gone.length > 0;
    },
  };
}
