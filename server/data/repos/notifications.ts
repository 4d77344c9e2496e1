import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { NotificationsRepo } from '#server/modules/notifications/ports.ts';

/** Notifications of users in the database. */
export function createNotificationsRepo(db: Kysely<DB>): NotificationsRepo {
  return {
    async add(row) {
      const added = await db
        .insertInto('notifications')
        .values({
          id: row.id, user_id: row.userId, kind: row.kind, data: JSON.stringify(row.data), unique_key: row.uniqueKey,
          created_ms: row.createdMs, read_ms: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      return added.length > 0;
    },
    async latest(userId, limit) {
      const rows = await db
        .selectFrom('notifications')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        kind: row.kind,
        data: JSON.parse(row.data) as Record<string, string | number>,
        createdMs: row.created_ms,
        read: row.read_ms !== null,
      }));
    },
    async unread(userId) {
      const row = await db
        .selectFrom('notifications')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('read_ms', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
    async markAllRead(userId, atMs) {
      await db.updateTable('notifications').set({ read_ms: atMs }).where('user_id', '=', userId).where('read_ms', 'is', null).execute();
    },
  };
}
