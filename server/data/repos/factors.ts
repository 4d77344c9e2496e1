import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { FactorsRepo } from '#server/modules/identity/ports.ts';

type CodesPart = Pick<
  FactorsRepo,
  'replaceCodes' | 'useCode' | 'listUnkeyedCodes' | 'replaceCodeHash' | 'countUnusedCodes'
>;

/** Recovery codes in the database, as keyed hashes. */
function codesPart(db: Kysely<DB>): CodesPart {
  return {
    async replaceCodes(userId, hashes) {
      await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      await db
        .insertInto('recovery_codes')
        .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash, used_ms: null })))
        .execute();
    },
    async useCode(userId, hash, atMs) {
      // One conditional update: of many at once, one finds it unused.
      const used = await db
        .updateTable('recovery_codes')
        .set({ used_ms: atMs })
        .where('user_id', '=', userId)
        .where('code_hash', '=', hash)
        .where('used_ms', 'is', null)
        .returning('code_hash')
        .execute();
      return used.length > 0;
    },
    listUnkeyedCodes: (limit) =>
      db
        .selectFrom('recovery_codes')
        .select(['user_id as userId', 'code_hash as hash'])
        .where('code_hash', 'not like', 'k1:%')
        .limit(limit)
        .execute(),
    async replaceCodeHash({ userId, hash }, keyed) {
      await db
        .updateTable('recovery_codes')
        .set({ code_hash: keyed })
        .where('user_id', '=', userId)
        .where('code_hash', '=', hash)
        .execute();
    },
    async countUnusedCodes(userId) {
      const rows = await db
        .selectFrom('recovery_codes')
        .select('code_hash')
        .where('user_id', '=', userId)
        .where('used_ms', 'is', null)
        .execute();
      return rows.length;
    },
  };
}

/** Notes with a user whether their second factor is on. */
async function markFactor(db: Kysely<DB>, userId: string, isOn: boolean): Promise<void> {
  const factor = isOn ? 1 : 0;
  await db.updateTable('users').set({ factor }).where('id', '=', userId).where('factor', '<>', factor).execute();
}

/** Second factors and recovery codes in the database. */
export function createFactorsRepo(db: Kysely<DB>): FactorsRepo {
  return {
    ...codesPart(db),
    async find(userId) {
      const row = await db.selectFrom('second_factors').selectAll().where('user_id', '=', userId).executeTakeFirst();
      return row
        ? {
            userId,
            secret: row.secret,
            enabledMs: row.enabled_ms,
            lastStep: row.last_step,
            pending: row.pending,
            pendingMs: row.pending_ms,
            pendingSession: row.pending_session,
          }
        : null;
    },
    async save(row) {
      const values = {
        secret: row.secret,
        enabled_ms: row.enabledMs,
        last_step: row.lastStep,
        pending: row.pending,
        pending_ms: row.pendingMs,
        pending_session: row.pendingSession,
      };
      await db
        .insertInto('second_factors')
        .values({ user_id: row.userId, ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
        .execute();
      await markFactor(db, row.userId, row.secret !== null);
    },
    async remove(userId) {
      await markFactor(db, userId, false);
      await db.deleteFrom('second_factors').where('user_id', '=', userId).execute();
      await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      await db.updateTable('known_devices').set({ factor_ms: null }).where('user_id', '=', userId).execute();
    },
    async isTrustedDevice(userId, deviceKey) {
      const row = await db
        .selectFrom('known_devices')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('device_key', '=', deviceKey)
        .where('factor_ms', 'is not', null)
        .executeTakeFirst();
      return row !== undefined;
    },
    async trustDevice(userId, deviceKey, atMs) {
      await db
        .updateTable('known_devices')
        .set({ factor_ms: atMs })
        .where('user_id', '=', userId)
        .where('device_key', '=', deviceKey)
        .execute();
    },
    async markPassed(sessionId, atMs) {
      await db.updateTable('sessions').set({ second_factor_ms: atMs }).where('id', '=', sessionId).execute();
    },
    async markConfirmed(sessionId, atMs) {
      await db.updateTable('sessions').set({ confirmed_ms: atMs }).where('id', '=', sessionId).execute();
    },
    async confirmedAt(sessionId) {
      const row = await db.selectFrom('sessions').select('confirmed_ms').where('id', '=', sessionId).executeTakeFirst();
      return row?.confirmed_ms ?? null;
    },
  };
}
