import type { Kysely, Selectable } from 'kysely';
import type { DB, LinkedIdentities } from '#server/data/schema.ts';
import type { IdentitiesRepo, IdentityRow, NewIdentity } from '#server/modules/identities/ports.ts';
import { DomainError } from '#shared/errors.ts';

function toRow(row: Selectable<LinkedIdentities>): IdentityRow {
  return {
    id: row.id,
    userId: row.user_id,
    provider: row.provider,
    subject: row.subject,
    name: row.name,
    scopes: row.scopes.split(' ').filter(Boolean),
    tokens: row.tokens,
    version: row.version,
    linkedMs: row.linked_ms,
  };
}

/** Linked identities in the database. */
export function createIdentitiesRepo(db: Kysely<DB>): IdentitiesRepo {
  const where = () => db.selectFrom('linked_identities').selectAll();
  return {
    listByUser: async (userId) =>
      (await where().where('user_id', '=', userId).orderBy('linked_ms').orderBy('id').execute()).map(toRow),
    async find(id) {
      const row = await where().where('id', '=', id).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async findBySubject(provider, subject) {
      const row = await where().where('provider', '=', provider).where('subject', '=', subject).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    add: (identity, trace) => add(db, identity, trace),
    ...tokensOf(db),
    async remove(id, userId) {
      const gone = await db
        .deleteFrom('linked_identities')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('id')
        .execute();
      return gone.length > 0;
    },
    async listUsersSharing(userId) {
      const rows = await db
        .selectFrom('identity_history as own')
        .innerJoin('identity_history as other', (join) =>
          join.onRef('other.provider', '=', 'own.provider').onRef('other.subject', '=', 'own.subject'),
        )
        .select('other.user_id')
        .distinct()
        .where('own.user_id', '=', userId)
        .where('other.user_id', '<>', userId)
        .execute();
      return rows.map((row) => row.user_id);
    },
    ...attemptsOf(db),
  };
}

async function add(db: Kysely<DB>, identity: NewIdentity, trace: string): Promise<void> {
  const { id, userId, provider, subject, name, scopes, tokens, linkedMs } = identity;
  const added = await db
    .insertInto('linked_identities')
    .values({
      id,
      user_id: userId,
      provider,
      subject,
      name,
      scopes: scopes.join(' '),
      tokens,
      version: 1,
      refreshing_until_ms: 0,
      linked_ms: linkedMs,
      updated_ms: linkedMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  if (added.length === 0) {
    const own = await db
      .selectFrom('linked_identities')
      .select('id')
      .where('user_id', '=', userId)
      .where('provider', '=', provider)
      .executeTakeFirst();
    throw new DomainError(own ? 'ALREADY_LINKED' : 'IDENTITY_TAKEN');
  }
  await db
    .insertInto('identity_history')
    .values({ provider, subject: trace, user_id: userId, first_ms: linkedMs, last_ms: linkedMs })
    .onConflict((conflict) => conflict.columns(['provider', 'subject', 'user_id']).doUpdateSet({ last_ms: linkedMs }))
    .execute();
}

type TokenPart = Pick<IdentitiesRepo, 'setTokens' | 'renew' | 'leaseRefresh' | 'releaseRefresh'>;

function tokensOf(db: Kysely<DB>): TokenPart {
  const change = (id: string, version: number) =>
    db.updateTable('linked_identities').where('id', '=', id).where('version', '=', version);
  return {
    async setTokens(id, version, tokens, scopes, atMs) {
      const set = { tokens, scopes: scopes.join(' '), version: version + 1, refreshing_until_ms: 0, updated_ms: atMs };
      return (await change(id, version).set(set).returning('id').execute()).length > 0;
    },
    async renew(id, { name, tokens, scopes }, atMs) {
      await db
        .updateTable('linked_identities')
        .set((is) => ({
          name,
          tokens,
          scopes: scopes.join(' '),
          version: is('version', '+', 1),
          refreshing_until_ms: 0,
          updated_ms: atMs,
        }))
        .where('id', '=', id)
        .execute();
    },
    async leaseRefresh(id, version, nowMs, untilMs) {
      const taken = await change(id, version)
        .set({ refreshing_until_ms: untilMs })
        .where('refreshing_until_ms', '<=', nowMs)
        .returning('id')
        .execute();
      return taken.length > 0;
    },
    async releaseRefresh(id, version) {
      await change(id, version).set({ refreshing_until_ms: 0 }).execute();
    },
  };
}

type AttemptPart = Pick<IdentitiesRepo, 'addAttempt' | 'takeAttempt' | 'purgeAttempts'>;

function attemptsOf(db: Kysely<DB>): AttemptPart {
  return {
    async addAttempt({ stateHash, provider, userId, sessionId, verifier, expiresMs }) {
      await db
        .insertInto('link_attempts')
        .values({
          state_hash: stateHash,
          provider,
          user_id: userId,
          session_id: sessionId,
          verifier,
          expires_ms: expiresMs,
        })
        .execute();
    },
    async takeAttempt(stateHash, sessionId, nowMs) {
      const row = await db
        .deleteFrom('link_attempts')
        .where('state_hash', '=', stateHash)
        .where('session_id', '=', sessionId)
        .where('expires_ms', '>', nowMs)
        .returningAll()
        .executeTakeFirst();
      if (!row) return null;
      return {
        stateHash,
        provider: row.provider,
        userId: row.user_id,
        sessionId,
        verifier: row.verifier,
        expiresMs: row.expires_ms,
      };
    },
    async purgeAttempts(beforeMs) {
      await db.deleteFrom('link_attempts').where('expires_ms', '<=', beforeMs).execute();
    },
  };
}
