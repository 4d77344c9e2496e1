import { sql, type Kysely, type Selectable, type Updateable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
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

/** Referral codes and referrals in the database. */
export function createReferralsRepo(db: Kysely<DB>): ReferralsRepo {
  return { ...codesPart(db), ...rowsPart(db), ...signsPart(db) };
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
        // Written out, so that SQLite finds the index of what is due.
        .where('state', 'in', [sql.lit('pending' as const), sql.lit('qualified' as const)])
        .where('next_check_ms', '<=', nowMs)
        .orderBy('next_check_ms')
        .limit(limit)
        .execute();
      return rows.map((row) => row.newcomer_id);
    },
    async recheck(newcomerId, atMs) {
      await db
        .updateTable('referrals')
        .set({ next_check_ms: atMs })
        .where('newcomer_id', '=', newcomerId)
        .where('state', '=', 'pending')
        .where('next_check_ms', '>', atMs)
        .execute();
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

/** What shows whether a newcomer plays here, and whether two accounts are one person's. */
function signsPart(db: Kysely<DB>): Pick<ReferralsRepo, 'totals' | 'activityOf' | 'addresses' | 'sharesDevice'> {
  /** Whether a server of theirs was ever ready, or is theirs now. */
  async function hasServer(userId: string): Promise<boolean> {
    const ready = db.selectFrom('server_events').select('id').where('user_id', '=', userId).where('code', '=', 'ready');
    if (await ready.limit(1).executeTakeFirst()) return true;
    const own = db
      .selectFrom('servers')
      .select('id')
      .where('user_id', '=', userId)
      .where('state', 'in', ['active', 'suspended']);
    return (await own.limit(1).executeTakeFirst()) !== undefined;
  }

  return {
    async totals(referrerId) {
      const rows = await db
        .selectFrom('referrals')
        .select(({ fn }) => [
          'referrer_state',
          fn.countAll<number>().as('count'),
          fn.sum<number>('referrer_credits').as('credits'),
        ])
        .where('referrer_id', '=', referrerId)
        .groupBy('referrer_state')
        .execute();
      const paid = rows.find((row) => row.referrer_state === 'paid');
      return {
        invited: rows.reduce((sum, { count }) => sum + count, 0),
        paid: paid?.count ?? 0,
        credits: paid?.credits ?? 0,
      };
    },
    async activityOf(userId) {
      const row = await db
        .selectFrom('afk_sessions')
        .select(({ fn }) => fn.sum<number | null>('minutes').as('minutes'))
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return { server: await hasServer(userId), afkMinutes: row?.minutes ?? 0 };
    },
    async addresses(userId, sinceMs) {
      const acted = db
        .selectFrom('audit')
        .select((eb) => eb.ref('address').$castTo<string>().as('address'))
        .where('actor_id', '=', userId)
        .where('at_ms', '>=', sinceMs)
        .where('address', 'is not', null);
      const rows = await db
        .selectFrom('sessions')
        .select('address')
        .where('user_id', '=', userId)
        .union(acted)
        .execute();
      return rows.map((row) => row.address);
    },
    async sharesDevice(one, other) {
      const shared = await db
        .selectFrom('known_devices as mine')
        .innerJoin('known_devices as theirs', 'theirs.device_key', 'mine.device_key')
        .select('mine.user_id')
        .where('mine.user_id', '=', one)
        .where('theirs.user_id', '=', other)
        .limit(1)
        .executeTakeFirst();
      return shared !== undefined;
    },
  };
}
