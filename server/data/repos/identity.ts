import type { Kysely } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { IdentityRepo } from '#server/modules/identity/ports.ts';
import { bindingPart, devicesPart, sessionsPart, viewingPart } from './identity-sessions.ts';
import { usersPart } from './identity-users.ts';

type TokenPart = Pick<
  IdentityRepo,
  'hasValidToken' | 'addToken' | 'useToken' | 'isTokenValid' | 'findToken' | 'voidTokens' | 'listTokenTimes'
>;
type AttemptPart = Pick<IdentityRepo, 'lockAttempts' | 'setAttempts' | 'clearAttempts' | 'clearAttemptsUnder'>;

/** One-time tokens in the database, as hashes. */
function tokensPart(db: Kysely<DB>): TokenPart {
  const findToken: TokenPart['findToken'] = async (kind, tokenHash, nowMs) => {
    const row = await db
      .selectFrom('one_time_tokens')
      .select(['user_id', 'bound_to'])
      .where('token_hash', '=', tokenHash)
      .where('kind', '=', kind)
      .where('used_ms', 'is', null)
      .where('expires_ms', '>', nowMs)
      .executeTakeFirst();
    return row ? { userId: row.user_id, boundTo: row.bound_to } : null;
  };
  return {
    findToken,
    isTokenValid: async (kind, tokenHash, nowMs) => (await findToken(kind, tokenHash, nowMs)) !== null,
    async addToken(token) {
      await db
        .insertInto('one_time_tokens')
        .values({
          id: token.id,
          kind: token.kind,
          user_id: token.userId,
          token_hash: token.tokenHash,
          created_ms: token.createdMs,
          expires_ms: token.expiresMs,
          used_ms: null,
          bound_to: token.boundTo ?? null,
        })
        .execute();
    },
    async useToken(kind, tokenHash, nowMs) {
      // One conditional update: of many that come at once, one finds it unused.
      const row = await db
        .updateTable('one_time_tokens')
        .set({ used_ms: nowMs })
        .where('token_hash', '=', tokenHash)
        .where('kind', '=', kind)
        .where('used_ms', 'is', null)
        .where('expires_ms', '>', nowMs)
        .returning('user_id')
        .executeTakeFirst();
      return row ? { userId: row.user_id } : null;
    },
    async voidTokens(kind, userId, atMs) {
      const query = db
        .updateTable('one_time_tokens')
        .set({ used_ms: atMs })
        .where('kind', '=', kind)
        .where('used_ms', 'is', null);
      await (userId === null ? query : query.where('user_id', '=', userId)).execute();
    },
    async hasValidToken(kind, userId, boundTo, nowMs) {
      const row = await db
        .selectFrom('one_time_tokens')
        .select('id')
        .where('kind', '=', kind)
        .where('user_id', '=', userId)
        .where('bound_to', '=', boundTo)
        .where('used_ms', 'is', null)
        .where('expires_ms', '>', nowMs)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async listTokenTimes(kind, userId, sinceMs) {
      const rows = await db
        .selectFrom('one_time_tokens')
        .select('created_ms')
        .where('kind', '=', kind)
        .where('user_id', '=', userId)
        .where('created_ms', '>', sinceMs)
        .orderBy('created_ms', 'desc')
        .execute();
      return rows.map((row) => row.created_ms);
    },
  };
}

/** Counted failures in the database. */
function attemptsPart(db: Kysely<DB>): AttemptPart {
  return {
    async lockAttempts(key) {
      // The row is made first, so that there is something to lock: two first failures at once are counted as two.
      await db
        .insertInto('attempts')
        .values({ key, window_start_ms: 0, count: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await forUpdate(db.selectFrom('attempts').selectAll().where('key', '=', key)).executeTakeFirst();
      return row && row.count > 0 ? { count: row.count, lastMs: row.window_start_ms } : null;
    },
    async setAttempts(key, row) {
      await db
        .updateTable('attempts')
        .set({ count: row.count, window_start_ms: row.lastMs })
        .where('key', '=', key)
        .execute();
    },
    async clearAttempts(key) {
      await db.deleteFrom('attempts').where('key', '=', key).execute();
    },
    async clearAttemptsUnder(prefix) {
      await db.deleteFrom('attempts').where('key', 'like', `${prefix}%`).execute();
    },
  };
}

/** Users, sessions, devices, one-time tokens and counted failures in the database. */
export function createIdentityRepo(db: Kysely<DB>, raw: Raw): IdentityRepo {
  return {
    ...usersPart(db, raw),
    ...sessionsPart(db, raw),
    ...bindingPart(db, raw),
    ...viewingPart(db),
    ...devicesPart(db),
    ...tokensPart(db),
    ...attemptsPart(db),
    async purgeSessions(nowMs, limit) {
      const old = db.selectFrom('sessions').select('id').where('expires_ms', '<=', nowMs).orderBy('expires_ms');
      const ended = await db.deleteFrom('sessions').where('id', 'in', old.limit(limit)).returning('id').execute();
      return ended.map((row) => row.id);
    },
    async purgeTokens(beforeMs, limit) {
      const old = db.selectFrom('one_time_tokens').select('id').where('expires_ms', '<=', beforeMs);
      const { numDeletedRows } = await db
        .deleteFrom('one_time_tokens')
        .where('id', 'in', old.orderBy('expires_ms').limit(limit))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    async purgeAttempts(beforeMs, limit) {
      const old = db.selectFrom('attempts').select('key').where('window_start_ms', '<=', beforeMs);
      const { numDeletedRows } = await db
        .deleteFrom('attempts')
        .where('key', 'in', old.orderBy('window_start_ms').limit(limit))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
