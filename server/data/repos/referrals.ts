import type { Kysely, Selectable, Updateable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import type { DB, Referrals } from '#server/data/schema.ts';
import type {
  Part,
  Referral,
  ReferralChange,
  ReferralReason,
  ReferralsRepo,
} from '#server/modules/rewards/referrals/ports.ts';

const toReferral = (row: Selectable<Referrals>): Referral => ({
  newcomerId: row.newcomer_id,
  referrerId: row.referrer_id,
  code: row.code,
  state: row.state,
  // Only `change` below writes this column.
  reason: row.reason as ReferralReason | null,
  network: row.network,
  createdMs: row.created_ms,
  nextCheckMs: row.next_check_ms,
  qualifiedMs: row.qualified_ms,
  closedMs: row.closed_ms,
  newcomer: { state: row.newcomer_state, credits: row.newcomer_credits, txId: row.newcomer_tx },
  referrer: { state: row.referrer_state, credits: row.referrer_credits, txId: row.referrer_tx },
});

const newcomerPart = ({ state, credits, txId }: Part) => ({
  newcomer_state: state,
  newcomer_credits: credits,
  newcomer_tx: txId,
});
const referrerPart = ({ state, credits, txId }: Part) => ({
  referrer_state: state,
  referrer_credits: credits,
  referrer_tx: txId,
});

function toColumns(change: ReferralChange): Updateable<Referrals> {
  return {
    ...(change.state === undefined ? {} : { state: change.state }),
    ...(change.reason === undefined ? {} : { reason: change.reason }),
    ...(change.network === undefined ? {} : { network: change.network }),
    ...(change.nextCheckMs === undefined ? {} : { next_check_ms: change.nextCheckMs }),
    ...(change.qualifiedMs === undefined ? {} : { qualified_ms: change.qualifiedMs }),
    ...(change.closedMs === undefined ? {} : { closed_ms: change.closedMs }),
    ...(change.newcomer === undefined ? {} : newcomerPart(change.newcomer)),
    ...(change.referrer === undefined ? {} : referrerPart(change.referrer)),
    ...(change.referrerMs === undefined ? {} : { referrer_ms: change.referrerMs }),
  };
}

const TOTALS = `SELECT COUNT(*) AS invited, CAST(COALESCE(SUM(CASE WHEN referrer_state = 'paid' THEN 1 ELSE 0 END), 0) AS BIGINT) AS paid,
  CAST(COALESCE(SUM(CASE WHEN referrer_state = 'paid' THEN referrer_credits ELSE 0 END), 0) AS BIGINT) AS credits
  FROM referrals WHERE referrer_id = ?`;
const SERVER = `SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM server_events WHERE user_id = ? AND code = 'ready')
  OR EXISTS (SELECT 1 FROM servers WHERE user_id = ? AND state IN ('active', 'suspended'))`;
const MINUTES = 'SELECT CAST(COALESCE(SUM(minutes), 0) AS BIGINT) AS minutes FROM afk_sessions WHERE user_id = ?';
const ADDRESSES = `SELECT address FROM sessions WHERE user_id = ?
  UNION SELECT address FROM audit WHERE actor_id = ? AND at_ms >= ? AND address IS NOT NULL`;
const DEVICE = `SELECT 1 AS one FROM known_devices AS mine JOIN known_devices AS theirs ON theirs.device_key = mine.device_key AND theirs.user_id = ?
  WHERE mine.user_id = ? LIMIT 1`;

/** Referral codes and referrals in the database. */
export function createReferralsRepo(db: Kysely<DB>, raw: Raw): ReferralsRepo {
  return { ...codesPart(db), ...rowsPart(db, raw), ...signsPart(raw) };
}

function codesPart(db: Kysely<DB>): Pick<ReferralsRepo, 'codeOf' | 'ownerOf' | 'addCode'> {
  return {
    async codeOf(userId) {
      return (
        (await db.selectFrom('referral_codes').select('code').where('user_id', '=', userId).executeTakeFirst())?.code ??
        null
      );
    },
    async ownerOf(code) {
      const row = await db
        .selectFrom('referral_codes')
        .innerJoin('users', 'users.id', 'referral_codes.user_id')
        .select(['users.id', 'users.status'])
        .where('referral_codes.code', '=', code)
        .executeTakeFirst();
      return row ? { userId: row.id, status: row.status } : null;
    },
    async addCode(userId, code, atMs) {
      const added = await db
        .insertInto('referral_codes')
        .values({ user_id: userId, code, created_ms: atMs })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .execute();
      return added.length > 0;
    },
  };
}

function rowsPart(
  db: Kysely<DB>,
  raw: Raw,
): Pick<ReferralsRepo, 'add' | 'of' | 'lock' | 'change' | 'due' | 'recheck' | 'rewardedSince' | 'list'> {
  const ofNewcomer = (id: string) => db.selectFrom('referrals').selectAll().where('newcomer_id', '=', id);
  return {
    async add(row) {
      const added = await db
        .insertInto('referrals')
        .values({
          newcomer_id: row.newcomerId,
          referrer_id: row.referrerId,
          code: row.code,
          state: 'pending',
          reason: null,
          network: row.network,
          created_ms: row.createdMs,
          next_check_ms: row.nextCheckMs,
          qualified_ms: null,
          closed_ms: null,
          referrer_ms: null,
          newcomer_state: 'open',
          newcomer_credits: 0,
          newcomer_tx: null,
          referrer_state: 'open',
          referrer_credits: 0,
          referrer_tx: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('newcomer_id')
        .execute();
      return added.length > 0;
    },
    async of(newcomerId) {
      const row = await ofNewcomer(newcomerId).executeTakeFirst();
      return row ? toReferral(row) : null;
    },
    async lock(newcomerId) {
      const row = await forUpdate(ofNewcomer(newcomerId)).executeTakeFirst();
      return row ? toReferral(row) : null;
    },
    async change(newcomerId, change) {
      await db.updateTable('referrals').set(toColumns(change)).where('newcomer_id', '=', newcomerId).execute();
    },
    async due(nowMs, limit) {
      const rows = await db
        .selectFrom('referrals')
        .select('newcomer_id')
        .where('state', 'in', ['pending', 'qualified'])
        .where('next_check_ms', '<=', nowMs)
        .orderBy('next_check_ms')
        .limit(limit)
        .execute();
      return rows.map((row) => row.newcomer_id);
    },
    async recheck(newcomerId, atMs) {
      await raw.run(
        "UPDATE referrals SET next_check_ms = ? WHERE newcomer_id = ? AND state = 'pending' AND next_check_ms > ?",
        [atMs, newcomerId, atMs],
      );
    },
    async rewardedSince(referrerId, sinceMs) {
      const row = await db
        .selectFrom('referrals')
        .select((eb) => eb.fn.countAll<number | string>().as('count'))
        .where('referrer_id', '=', referrerId)
        .where('referrer_ms', '>=', sinceMs)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
    async list(referrerId, { offset, limit }) {
      const rows = await db
        .selectFrom('referrals')
        .innerJoin('users', 'users.id', 'referrals.newcomer_id')
        .selectAll('referrals')
        .select('users.username')
        .where('referrals.referrer_id', '=', referrerId)
        .orderBy('referrals.created_ms', 'desc')
        .orderBy('referrals.newcomer_id', 'desc')
        .offset(offset)
        .limit(limit)
        .execute();
      return rows.map((row) => {
        const { newcomerId, state, reason, createdMs, referrer } = toReferral(row);
        return { newcomerId, username: row.username, state, reason, createdMs, referrer };
      });
    },
  };
}

/** What tells whether a newcomer settled in, and whether two accounts are one person's. */
function signsPart(raw: Raw): Pick<ReferralsRepo, 'totals' | 'activityOf' | 'addresses' | 'sharesDevice'> {
  return {
    async totals(referrerId) {
      const row = await raw.one<{ invited: number; paid: number; credits: number }>(TOTALS, [referrerId]);
      return { invited: Number(row?.invited ?? 0), paid: row?.paid ?? 0, credits: row?.credits ?? 0 };
    },
    async activityOf(userId) {
      const server = (await raw.one(SERVER, [userId, userId])) !== undefined;
      return { server, afkMinutes: (await raw.one<{ minutes: number }>(MINUTES, [userId]))?.minutes ?? 0 };
    },
    async addresses(userId, sinceMs) {
      return (await raw.all<{ address: string }>(ADDRESSES, [userId, userId, sinceMs])).map((row) => row.address);
    },
    async sharesDevice(one, other) {
      return (await raw.one(DEVICE, [one, other])) !== undefined;
    },
  };
}
