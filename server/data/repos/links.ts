import { sql, type Kysely, type Selectable, type Updateable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { DB, LinkClaims } from '#server/data/schema.ts';
import type { Claim, ClaimChange, LinksRepo } from '#server/modules/rewards/links/ports.ts';
import { isLinkProvider } from '#shared/link-providers.ts';

function toClaim(row: Selectable<LinkClaims>): Claim {
  if (!isLinkProvider(row.provider)) throw new Error(`unknown provider of links: ${row.provider}`);
  return {
    id: row.id,
    userId: row.user_id,
    provider: row.provider,
    tokenHash: row.token_hash,
    tokenSealed: row.token_sealed,
    linkSealed: row.link_sealed,
    credits: row.credits,
    state: row.state,
    sessionId: row.session_id,
    network: row.network,
    startedMs: row.started_ms,
    readyMs: row.ready_ms,
    expiresMs: row.expires_ms,
    checkingMs: row.checking_ms,
    txId: row.tx_id,
    closedMs: row.closed_ms,
  };
}

function toColumns(change: ClaimChange): Updateable<LinkClaims> {
  return {
    ...(change.state === undefined ? {} : { state: change.state }),
    ...(change.tokenSealed === undefined ? {} : { token_sealed: change.tokenSealed }),
    ...(change.linkSealed === undefined ? {} : { link_sealed: change.linkSealed }),
    ...(change.checkingMs === undefined ? {} : { checking_ms: change.checkingMs }),
    ...(change.answer === undefined ? {} : { answer: change.answer }),
    ...(change.txId === undefined ? {} : { tx_id: change.txId }),
    ...(change.closedMs === undefined ? {} : { closed_ms: change.closedMs }),
  };
}

const firstOf = (row: Selectable<LinkClaims> | undefined): Claim | null => (row ? toClaim(row) : null);

/** Claims of links and the proofs they came with, in the database. */
export function createLinksRepo(db: Kysely<DB>): LinksRepo {
  return { ...readPart(db), ...writePart(db) };
}

function readPart(
  db: Kysely<DB>,
): Pick<LinksRepo, 'byToken' | 'lock' | 'lockByToken' | 'open' | 'rewarded' | 'history'> {
  const all = () => db.selectFrom('link_claims').selectAll();
  return {
    byToken: async (tokenHash) => firstOf(await all().where('token_hash', '=', tokenHash).executeTakeFirst()),
    lock: async (id) => firstOf(await forUpdate(all().where('id', '=', id)).executeTakeFirst()),
    lockByToken: async (tokenHash) =>
      firstOf(await forUpdate(all().where('token_hash', '=', tokenHash)).executeTakeFirst()),
    async open(userId, provider) {
      const own = all().where('user_id', '=', userId).where('provider', '=', provider);
      return firstOf(await own.where('state', '=', 'open').executeTakeFirst());
    },
    async rewarded(userId, provider, sinceMs) {
      const own = db
        .selectFrom('link_claims')
        .where('user_id', '=', userId)
        .where('provider', '=', provider)
        .where('tx_id', 'is not', null);
      const today = await own
        .select((eb) => eb.fn.countAll<number | string>().as('count'))
        .where('closed_ms', '>=', sinceMs)
        .executeTakeFirstOrThrow();
      const newest = await own.select('closed_ms').orderBy('closed_ms', 'desc').limit(1).executeTakeFirst();
      return { count: Number(today.count), lastMs: newest?.closed_ms ?? null };
    },
    async history(userId, limit) {
      const rows = await all()
        .where('user_id', '=', userId)
        .orderBy('started_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toClaim);
    },
  };
}

function writePart(
  db: Kysely<DB>,
): Pick<LinksRepo, 'add' | 'change' | 'addProof' | 'keepProof' | 'extendOpen' | 'tidy'> {
  return {
    async add(claim) {
      const added = await db
        .insertInto('link_claims')
        .values({
          id: claim.id,
          user_id: claim.userId,
          provider: claim.provider,
          token_hash: claim.tokenHash,
          token_sealed: claim.tokenSealed,
          link_sealed: null,
          credits: claim.credits,
          state: 'open',
          session_id: claim.sessionId,
          network: claim.network,
          started_ms: claim.startedMs,
          ready_ms: claim.readyMs,
          expires_ms: claim.expiresMs,
          checking_ms: null,
          answer: null,
          tx_id: null,
          closed_ms: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      return added.length > 0;
    },
    async change(id, change) {
      await db.updateTable('link_claims').set(toColumns(change)).where('id', '=', id).execute();
    },
    async addProof({ provider, proofHash, claimId, atMs }) {
      const added = await db
        .insertInto('link_proofs')
        .values({ provider, proof_hash: proofHash, claim_id: claimId, at_ms: atMs })
        .onConflict((conflict) => conflict.doNothing())
        .returning('claim_id')
        .execute();
      if (added.length > 0) return true;
      const row = await db
        .selectFrom('link_proofs')
        .select('claim_id')
        .where('provider', '=', provider)
        .where('proof_hash', '=', proofHash)
        .executeTakeFirst();
      return row?.claim_id === claimId;
    },
    async keepProof(provider, proofHash) {
      // Some providers would take it again later (attacks T14).
      await db
        .updateTable('link_proofs')
        .set({ at_ms: Number.MAX_SAFE_INTEGER })
        .where('provider', '=', provider)
        .where('proof_hash', '=', proofHash)
        .execute();
    },
    async extendOpen(sinceMs, byMs) {
      await db
        .updateTable('link_claims')
        .set((eb) => ({ expires_ms: eb('expires_ms', '+', byMs) }))
        .where('state', '=', 'open')
        .where('expires_ms', '>', sinceMs)
        .execute();
    },
    async tidy(nowMs, { closedMs, proofsMs }) {
      const closed = { state: 'expired', closed_ms: nowMs, token_sealed: null, link_sealed: null } as const;
      await db
        .updateTable('link_claims')
        .set(closed)
        .where('state', '=', sql.lit('open'))
        .where('expires_ms', '<=', nowMs)
        .execute();
      // Both by one index: what has its network yet.
      await db
        .deleteFrom('link_claims')
        .where('network', 'is not', null)
        .where('closed_ms', '<', closedMs)
        .where('state', '=', 'expired')
        .execute();
      await db
        .updateTable('link_claims')
        .set({ network: null })
        .where('network', 'is not', null)
        .where('closed_ms', '<', closedMs)
        .execute();
      await db.deleteFrom('link_proofs').where('at_ms', '<', proofsMs).execute();
    },
  };
}
