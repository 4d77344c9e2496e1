import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertNew } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { NotificationsRepo } from '#server/modules/notifications/ports.ts';

/** Notifications of users in the database. */
export function createNotificationsRepo(db: Kysely<DB>, raw: Raw): NotificationsRepo {
  return {
    add({ id, userId, kind, data, uniqueKey, createdMs }) {
      return insertNew(raw, 'notifications', {
        id,
        user_id: userId,
        kind,
        data: JSON.stringify(data),
        unique_key: uniqueKey,
        created_ms: createdMs,
        read_ms: null,
      });
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
      await db
        .updateTable('notifications')
        .set({ read_ms: atMs })
        .where('user_id', '=', userId)
        .where('read_ms', 'is', null)
        .execute();
    },
  };
}
