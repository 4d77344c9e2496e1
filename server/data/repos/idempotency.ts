import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow, insertNew, updateRow } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { IdempotencyRepo } from '#server/modules/idempotency/ports.ts';

/** Keys of idempotent commands in the database. The primary key (user, key) is what lets one of many in. */
export function createIdempotencyRepo(db: Kysely<DB>, raw: Raw): IdempotencyRepo {
  return {
    claim: (userId, key, hash, atMs) =>
      insertNew(raw, 'idempotency_keys', { user_id: userId, key, input_hash: hash, answer: null, created_ms: atMs }),
    async find(userId, key) {
      const row = await findRow(raw, 'idempotency_keys', { user_id: userId, key });
      return row ? { hash: row.input_hash, answer: row.answer } : null;
    },
    async store(userId, key, answer) {
      await updateRow(raw, 'idempotency_keys', { answer }, { user_id: userId, key });
    },
    async release(userId, key) {
      await db.deleteFrom('idempotency_keys').where('user_id', '=', userId).where('key', '=', key).execute();
    },
    async purge(beforeMs, limit) {
      const gone = await db
        .deleteFrom('idempotency_keys')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('user_id', 'key'),
            'in',
            selectFrom('idempotency_keys')
              .select(['user_id', 'key'])
              .where('created_ms', '<', beforeMs)
              .orderBy('created_ms')
              .limit(limit)
              .$asTuple('user_id', 'key'),
          ),
        )
        .executeTakeFirst();
      return Number(gone.numDeletedRows);
    },
  };
}
