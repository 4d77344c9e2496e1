import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow } from '#server/data/row.ts';
import type { ApiTokens, DB } from '#server/data/schema.ts';
import type { ApiTokenRow, ApiTokensRepo } from '#server/modules/api-tokens/ports.ts';

const toToken = (row: Selectable<ApiTokens>): ApiTokenRow => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  tokenHash: row.token_hash,
  tail: row.tail,
  scopes: JSON.parse(row.scopes) as ApiTokenRow['scopes'],
  addresses: JSON.parse(row.addresses) as string[],
  createdMs: row.created_ms,
  expiresMs: row.expires_ms,
  usedMs: row.used_ms,
  usedAddress: row.used_address,
});

/** Keys of the API in the database. */
export function createApiTokensRepo(db: Kysely<DB>, raw: Raw): ApiTokensRepo {
  return {
    async add(token) {
      await db
        .insertInto('api_tokens')
        .values({
          id: token.id,
          user_id: token.userId,
          name: token.name,
          token_hash: token.tokenHash,
          tail: token.tail,
          scopes: JSON.stringify(token.scopes),
          addresses: JSON.stringify(token.addresses),
          created_ms: token.createdMs,
          expires_ms: token.expiresMs,
          used_ms: null,
          used_address: null,
        })
        .execute();
    },
    async findByHash(tokenHash) {
      const row = await findRow(raw, 'api_tokens', { token_hash: tokenHash });
      return row ? toToken(row) : null;
    },
    async list(userId) {
      const rows = await db
        .selectFrom('api_tokens')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toToken);
    },
    async count(userId) {
      const row = await db
        .selectFrom('api_tokens')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
    async recordUse(id, atMs, address) {
      await db
        .updateTable('api_tokens')
        .set({ used_ms: atMs, used_address: address })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('used_ms', 'is', null), eb('used_ms', '<', atMs)]))
        .execute();
    },
    async remove(id, userId) {
      const gone = await db
        .deleteFrom('api_tokens')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning(['id', 'name'])
        .executeTakeFirst();
      return gone ?? null;
    },
    async removeAll(userId) {
      return db.deleteFrom('api_tokens').where('user_id', '=', userId).returning(['id', 'name']).execute();
    },
    async purge(beforeMs) {
      await db.deleteFrom('api_tokens').where('expires_ms', '<', beforeMs).execute();
    },
  };
}
