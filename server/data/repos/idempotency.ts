import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { IdempotencyRepo } from '#server/modules/idempotency/ports.ts';

/** Keys of idempotent commands in the database. The primary key (user, key) is what lets one of many in. */
export function createIdempotencyRepo(_db: Kysely<DB>, raw: Raw): IdempotencyRepo {
  return {
    async claim(userId, key, hash, atMs) {
      const { changes } = await raw.run(
        'INSERT INTO idempotency_keys (user_id, key, input_hash, answer, created_ms) VALUES (?, ?, ?, NULL, ?) ON CONFLICT DO NOTHING',
        [userId, key, hash, atMs],
      );
      return changes === 1;
    },
    async find(userId, key) {
      const row = await raw.one<{ input_hash: string; answer: string | null }>(
        'SELECT input_hash, answer FROM idempotency_keys WHERE user_id = ? AND key = ?',
        [userId, key],
      );
      return row ? { hash: row.input_hash, answer: row.answer } : null;
    },
    async store(userId, key, answer) {
      await raw.run('UPDATE idempotency_keys SET answer = ? WHERE user_id = ? AND key = ?', [answer, userId, key]);
    },
    async purge(beforeMs) {
      return (await raw.run('DELETE FROM idempotency_keys WHERE created_ms < ?', [beforeMs])).changes;
    },
  };
}
