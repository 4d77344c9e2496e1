import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow, insertNew } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { PushRepo, PushSubscription } from '#server/modules/notifications/push-ports.ts';

/** There is one pair. */
const KEYS = 'vapid';

const toSubscription = (row: Selectable<DB['push_subscriptions']>): PushSubscription => ({
  id: row.id,
  userId: row.user_id,
  sessionId: row.session_id,
  endpoint: row.endpoint,
  publicKey: row.public_key,
  auth: row.auth,
  device: row.device,
  createdMs: row.created_ms,
  reachedMs: row.reached_ms,
});

/** Browsers that take pushes, and the keys of the installation, in the database. */
export function createPushRepo(db: Kysely<DB>, raw: Raw): PushRepo {
  return {
    async findKeys() {
      const row = await findRow(raw, 'push_keys', { id: KEYS });
      return row ? { publicKey: row.public_key, privateKey: row.private_key } : null;
    },
    async addKeys({ publicKey, privateKey }, atMs) {
      await insertNew(raw, 'push_keys', {
        id: KEYS,
        public_key: publicKey,
        private_key: privateKey,
        created_ms: atMs,
      });
    },
    async removeKeys(publicKey) {
      const { numDeletedRows } = await db
        .deleteFrom('push_keys')
        .where('public_key', '=', publicKey)
        .executeTakeFirst();
      if (numDeletedRows > 0n) await db.deleteFrom('push_subscriptions').execute();
    },
    async listOf(userId) {
      const rows = await db
        .selectFrom('push_subscriptions')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toSubscription);
    },
    async find(id) {
      const row = await findRow(raw, 'push_subscriptions', { id });
      return row ? toSubscription(row) : null;
    },
    async put({ id, userId, sessionId, endpoint, publicKey, auth, device, createdMs, reachedMs }) {
      await db.deleteFrom('push_subscriptions').where('endpoint', '=', endpoint).execute();
      await insertNew(raw, 'push_subscriptions', {
        id,
        user_id: userId,
        session_id: sessionId,
        endpoint,
        public_key: publicKey,
        auth,
        device,
        created_ms: createdMs,
        reached_ms: reachedMs,
      });
    },
    async markReached(id, atMs) {
      await db.updateTable('push_subscriptions').set({ reached_ms: atMs }).where('id', '=', id).execute();
    },
    async remove(id) {
      await db.deleteFrom('push_subscriptions').where('id', '=', id).execute();
    },
  };
}
