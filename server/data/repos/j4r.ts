import type { Kysely, Selectable } from 'kysely';
import type { DB, J4rClaims } from '#server/data/schema.ts';
import type { ClaimState, HeldState, J4rClaim, J4rRepo, J4rServer, Lookup } from '#server/modules/rewards/j4r/ports.ts';
import { DomainError } from '#shared/errors.ts';

function toServer(row: Selectable<DB['j4r_servers']>): J4rServer {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    invite: row.invite,
    guildId: row.guild_id,
    members: row.members,
    lookup: row.lookup as Lookup,
    credits: row.credits,
    paysMembers: row.pays_members === 1,
    minAccountDays: row.min_account_days,
    enabled: row.enabled === 1,
    sinceMs: row.since_ms,
  };
}

function toClaim(row: Selectable<J4rClaims>): J4rClaim {
  return {
    id: row.id,
    guildId: row.guild_id,
    subject: row.subject,
    serverId: row.server_id,
    userId: row.user_id,
    name: row.name,
    credits: row.credits,
    reference: row.reference,
    txId: row.tx_id,
    state: row.state as ClaimState,
    held: row.held === 1,
    joinedMs: row.joined_ms,
    evidence: row.evidence,
    claimedMs: row.claimed_ms,
    vestsMs: row.vests_ms,
    checkMs: row.check_ms,
    unlinkedMs: row.unlinked_ms,
    endedMs: row.ended_ms,
    taken: row.taken,
  };
}

/** Join for rewards in the database: the entries, and for good who was paid for which Discord server. */
export function createJ4rRepo(db: Kysely<DB>): J4rRepo {
  return { ...serversOf(db), ...claimsOf(db), ...vestingOf(db) };
}

type ServerPart = Pick<J4rRepo, 'offered' | 'server' | 'staleInvites' | 'invitesTo' | 'setFound' | 'setUnknown'>;

function serversOf(db: Kysely<DB>): ServerPart {
  const all = () => db.selectFrom('j4r_servers').selectAll();
  return {
    async offered() {
      const rows = await all()
        .where('enabled', '=', 1)
        .where('lookup', '=', 'found')
        .where('guild_id', 'is not', null)
        .orderBy('position')
        .orderBy('name')
        .orderBy('id')
        .execute();
      return rows.map(toServer);
    },
    async server(id) {
      const row = await all().where('id', '=', id).executeTakeFirst();
      return row ? toServer(row) : null;
    },
    async staleInvites(beforeMs, limit) {
      const rows = await all()
        .where((is) => is.or([is('lookup', '=', 'pending'), is('lookup_ms', '<=', beforeMs)]))
        .orderBy('lookup_ms')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toServer);
    },
    invitesTo: async (guildId) =>
      (await db.selectFrom('j4r_servers').select('invite').where('guild_id', '=', guildId).orderBy('id').execute()).map(
        ({ invite }) => invite,
      ),
    async setFound(id, invite, { guildId, guildName, members }, atMs) {
      const other = await db
        .selectFrom('j4r_servers')
        .select('id')
        .where('guild_id', '=', guildId)
        .where('id', '<>', id)
        .executeTakeFirst();
      // Codes change hands: what led to one Discord server and leads to another by itself is somebody else's invite,
      // and pays nobody.
      const before = await db.selectFrom('j4r_servers').select('guild_id').where('id', '=', id).executeTakeFirst();
      const moved = typeof before?.guild_id === 'string' && before.guild_id !== guildId;
      const found = moved
        ? ({ lookup: 'unknown' } as const)
        : other
          ? ({ guild_id: null, guild_name: guildName, members: null, lookup: 'duplicate' } as const)
          : ({ guild_id: guildId, guild_name: guildName, members, lookup: 'found' } as const);
      const set = await db
        .updateTable('j4r_servers')
        .set({ ...found, lookup_ms: atMs })
        .where('id', '=', id)
        .where('invite', '=', invite)
        .returning('id')
        .execute();
      return set.length > 0 ? found.lookup : null;
    },
    async setUnknown(id, invite, atMs) {
      await db
        .updateTable('j4r_servers')
        .set({ lookup: 'unknown', lookup_ms: atMs })
        .where('id', '=', id)
        .where('invite', '=', invite)
        .execute();
    },
  };
}

type ClaimPart = Pick<J4rRepo, 'claimsOf' | 'guildsPaid' | 'addClaim' | 'isPaid' | 'heldStates'>;

function claimsOf(db: Kysely<DB>): ClaimPart {
  return {
    async claimsOf(userId, limit) {
      const rows = await db
        .selectFrom('j4r_claims')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('claimed_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toClaim);
    },
    guildsPaid: async (subject) =>
      (await db.selectFrom('j4r_claims').select('guild_id').where('subject', '=', subject).execute()).map(
        (row) => row.guild_id,
      ),
    async addClaim(claim) {
      const added = await db
        .insertInto('j4r_claims')
        .values(toColumns(claim))
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      if (added.length === 0) throw new DomainError('J4R_ALREADY_PAID');
    },
    async isPaid(guildId, subject, userId) {
      const row = await db
        .selectFrom('j4r_claims')
        .select('id')
        .where('guild_id', '=', guildId)
        .where((is) => is.or([is('subject', '=', subject), is('user_id', '=', userId)]))
        .executeTakeFirst();
      return row !== undefined;
    },
    async heldStates(references) {
      if (references.length === 0) return new Map();
      const rows = await db
        .selectFrom('held_rewards')
        .select(['reference', 'state'])
        .where('reference', 'in', [...references])
        .execute();
      return new Map(rows.map(({ reference, state }) => [reference, state as HeldState]));
    },
  };
}

function toColumns(claim: J4rClaim) {
  return {
    id: claim.id,
    guild_id: claim.guildId,
    subject: claim.subject,
    server_id: claim.serverId,
    user_id: claim.userId,
    name: claim.name,
    credits: claim.credits,
    reference: claim.reference,
    tx_id: claim.txId,
    state: claim.state,
    held: claim.held ? (1 as const) : (0 as const),
    joined_ms: claim.joinedMs,
    evidence: claim.evidence,
    claimed_ms: claim.claimedMs,
    vests_ms: claim.vestsMs,
    check_ms: claim.checkMs,
    unlinked_ms: claim.unlinkedMs,
    ended_ms: claim.endedMs,
    taken: claim.taken,
    taken_tx_id: null,
  };
}

type VestingPart = Pick<J4rRepo, 'takeDue' | 'postponeCheck' | 'end' | 'recordClawback'>;

function vestingOf(db: Kysely<DB>): VestingPart {
  const open = (id: string) => db.updateTable('j4r_claims').where('id', '=', id).where('state', '=', 'vesting');
  return {
    async takeDue(nowMs, laterMs, limit) {
      // The outer condition is what a second worker meets once the first has written.
      const rows = await db
        .updateTable('j4r_claims')
        .set({ check_ms: laterMs })
        .where('id', 'in', (is) =>
          is
            .selectFrom('j4r_claims')
            .select('id')
            .where('check_ms', '<=', nowMs)
            .orderBy('check_ms')
            .orderBy('id')
            .limit(limit),
        )
        .where('check_ms', '<=', nowMs)
        .returningAll()
        .execute();
      return rows.map(toClaim);
    },
    async postponeCheck(id, checkMs, unlinkedMs) {
      await open(id).set({ check_ms: checkMs, unlinked_ms: unlinkedMs }).execute();
    },
    async end(id, state, atMs) {
      return (
        (await open(id).set({ state, check_ms: null, unlinked_ms: null, ended_ms: atMs }).returning('id').execute())
          .length > 0
      );
    },
    async recordClawback(id, credits, txId) {
      await db.updateTable('j4r_claims').set({ taken: credits, taken_tx_id: txId }).where('id', '=', id).execute();
    },
  };
}
