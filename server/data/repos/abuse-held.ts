import type { Kysely } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { DB, HeldRewards } from '#server/data/schema.ts';
import type { AbuseRepo, HeldCause, HeldRewardQuery, HeldReward, HeldState } from '#server/modules/abuse/ports.ts';
import type { Reason } from '#server/modules/abuse/score.ts';
import type { EarningSource } from '#shared/earning-sources.ts';
import { DomainError } from '#shared/errors.ts';

type HeldPart = Pick<
  AbuseRepo,
  | 'addHeld'
  | 'lockOpenPool'
  | 'growHeld'
  | 'findOwner'
  | 'lockHeld'
  | 'lockByReference'
  | 'closeHeld'
  | 'assignToStaff'
  | 'listDue'
  | 'addNote'
  | 'list'
  | 'listByUser'
  | 'listOpen'
  | 'sumWaiting'
  | 'openTotals'
>;

/** After every text that begins with another one, byte by byte. */
const LAST = '\u{10FFFF}';

const COLUMNS = {
  created: 'held_rewards.created_ms',
  score: 'held_rewards.score',
  amount: 'held_rewards.amount',
} as const;

function shown(row: HeldRewards): HeldReward {
  return {
    id: row.id,
    userId: row.user_id,
    source: row.source as EarningSource,
    amount: row.amount,
    parts: row.parts,
    reference: row.reference,
    subject: row.subject,
    pool: row.pool,
    cause: row.cause as HeldCause,
    score: row.score,
    reasons: JSON.parse(row.reasons) as Reason[],
    txId: row.tx_id,
    holdId: row.hold_id,
    state: row.state as HeldState,
    releaseMs: row.release_ms,
    createdMs: row.created_ms,
    updatedMs: row.updated_ms,
    decidedMs: row.decided_ms,
    decidedBy: row.decided_by,
    note: row.note,
    noteMs: row.note_ms,
    countedDay: row.counted_day,
    counted: row.counted,
  };
}

/** Rewards that wait for review, in the database. */
export function heldRewardsPart(db: Kysely<DB>): HeldPart {
  return { ...writesPart(db), ...readsPart(db) };
}

type HeldWrites = 'addHeld' | 'growHeld' | 'closeHeld' | 'assignToStaff' | 'addNote';

function writesPart(db: Kysely<DB>): Pick<HeldPart, HeldWrites> {
  return {
    async addHeld(row) {
      const added = await db
        .insertInto('held_rewards')
        .values({
          id: row.id,
          user_id: row.userId,
          source: row.source,
          amount: row.amount,
          parts: 1,
          reference: row.reference,
          subject: row.subject,
          pool: row.pool,
          cause: row.cause,
          score: row.score,
          reasons: JSON.stringify(row.reasons),
          tx_id: row.txId,
          hold_id: row.holdId,
          state: 'open',
          release_ms: row.releaseMs,
          created_ms: row.createdMs,
          updated_ms: row.createdMs,
          decided_ms: null,
          decided_by: null,
          note: null,
          note_ms: null,
          counted_day: row.countedDay,
          counted: row.amount,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      if (added.length === 0) throw new DomainError('CONFLICT');
    },
    async growHeld(id, by, { score, reasons }, { ms, day }) {
      await db
        .updateTable('held_rewards')
        .set((eb) => ({
          amount: eb('amount', '+', by),
          parts: eb('parts', '+', 1),
          score,
          reasons: JSON.stringify(reasons),
          updated_ms: ms,
          counted_day: day,
          counted: eb
            .case()
            .when('counted_day', '=', day)
            .then(eb('counted', '+', by))
            .else(by)
            .end(),
        }))
        .where('id', '=', id)
        .execute();
    },
    async closeHeld(id, { state, atMs, by }) {
      const set = { state, decided_ms: atMs, decided_by: by, updated_ms: atMs, release_ms: null };
      return (
        (
          await db
            .updateTable('held_rewards')
            .set(set)
            .where('id', '=', id)
            .where('state', '=', 'open')
            .returning('id')
            .execute()
        ).length > 0
      );
    },
    async assignToStaff(id, { score, reasons }, atMs) {
      const set = { cause: 'score', score, reasons: JSON.stringify(reasons), release_ms: null, updated_ms: atMs };
      await db.updateTable('held_rewards').set(set).where('id', '=', id).where('state', '=', 'open').execute();
    },
    async addNote(id, userId, note, atMs) {
      const noted = await db
        .updateTable('held_rewards')
        .set({ note, note_ms: atMs })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .where('state', '=', 'open')
        .where('note', 'is', null)
        .returning('id')
        .execute();
      return noted.length > 0;
    },
  };
}

function readsPart(db: Kysely<DB>): Omit<HeldPart, HeldWrites> {
  const openSums = () =>
    db
      .selectFrom('held_rewards')
      .where('state', '=', 'open')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | null>('amount').as('credits')]);
  const held = () => db.selectFrom('held_rewards').selectAll();
  const one = async (query: ReturnType<typeof held>) => {
    const row = await forUpdate(query).executeTakeFirst();
    return row ? shown(row) : null;
  };
  return {
    lockOpenPool: (userId, pool) =>
      one(held().where('user_id', '=', userId).where('pool', '=', pool).where('state', '=', 'open')),
    async findOwner(id) {
      const row = await db
        .selectFrom('held_rewards')
        .select(['user_id', 'source'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? { userId: row.user_id, source: row.source as EarningSource } : null;
    },
    lockHeld: (id) => one(held().where('id', '=', id)),
    lockByReference: (reference) => one(held().where('reference', '=', reference).where('state', '=', 'open')),
    async listDue(nowMs, limit) {
      const rows = await db
        .selectFrom('held_rewards')
        .select('id')
        .where('state', '=', 'open')
        .where('release_ms', '<=', nowMs)
        .orderBy('release_ms')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    list: (query) => list(db, query),
    async listByUser(userId, limit) {
      const rows = await held()
        .where('user_id', '=', userId)
        .orderBy((eb) => eb.case().when('state', '=', 'open').then(eb.lit(0)).else(eb.lit(1)).end())
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(shown);
    },
    listOpen: (userId) =>
      db
        .selectFrom('held_rewards')
        .select(['id', 'amount'])
        .where('user_id', '=', userId)
        .where('state', '=', 'open')
        .orderBy('created_ms')
        .orderBy('id')
        .execute(),
    async sumWaiting(userId, source) {
      const { credits } = await openSums()
        .where('user_id', '=', userId)
        .where('source', '=', source)
        .executeTakeFirstOrThrow();
      return Number(credits ?? 0);
    },
    async openTotals() {
      const { count, credits } = await openSums().executeTakeFirstOrThrow();
      return { count: Number(count), credits: Number(credits ?? 0) };
    },
  };
}

async function list(db: Kysely<DB>, { state, source, note, q, sort, offset, limit }: HeldRewardQuery) {
  let from = db.selectFrom('held_rewards').innerJoin('users', 'users.id', 'held_rewards.user_id');
  if (state) from = from.where('held_rewards.state', '=', state);
  if (source) from = from.where('held_rewards.source', '=', source);
  if (note !== undefined) from = from.where('held_rewards.note', note ? 'is not' : 'is', null);
  if (q) {
    const start = q.toLowerCase();
    from = from.where('users.username_key', '>=', start).where('users.username_key', '<', start + LAST);
  }
  const rows = await from
    .leftJoin('users as staff', 'staff.id', 'held_rewards.decided_by')
    .selectAll('held_rewards')
    .select(['users.username', 'staff.username as staff_name'])
    .orderBy(COLUMNS[sort.key], sort.dir)
    .orderBy('held_rewards.id', sort.dir)
    .offset(offset)
    .limit(limit)
    .execute();
  const { total } = await from.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return {
    rows: rows.map((row) => ({ ...shown(row), username: row.username, decidedByName: row.staff_name })),
    total: Number(total),
  };
}
