import type { Kysely, Selectable, Updateable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { DB, EarlySupporters } from '#server/data/schema.ts';
import type {
  EarlySupportersRepo,
  Supporter,
  SupporterChange,
  SupporterReason,
} from '#server/modules/rewards/early-supporters/ports.ts';

const toSupporter = (row: Selectable<EarlySupporters>): Supporter => ({
  userId: row.user_id,
  state: row.state,
  // The database accepts no other words.
  reason: row.reason as SupporterReason | null,
  credits: row.credits,
  txId: row.tx_id,
  createdMs: row.created_ms,
  nextCheckMs: row.next_check_ms,
  qualifiedMs: row.qualified_ms,
});

function toColumns(change: SupporterChange): Updateable<EarlySupporters> {
  return {
    ...(change.state === undefined ? {} : { state: change.state }),
    ...(change.reason === undefined ? {} : { reason: change.reason }),
    ...(change.credits === undefined ? {} : { credits: change.credits }),
    ...(change.txId === undefined ? {} : { tx_id: change.txId }),
    ...(change.nextCheckMs === undefined ? {} : { next_check_ms: change.nextCheckMs }),
    ...(change.qualifiedMs === undefined ? {} : { qualified_ms: change.qualifiedMs }),
  };
}
const fresh = (userId: string, createdMs: number, nextCheckMs: number) =>
  ({
    user_id: userId,
    state: 'pending',
    reason: null,
    credits: 0,
    tx_id: null,
    created_ms: createdMs,
    next_check_ms: nextCheckMs,
    qualified_ms: null,
  }) as const;

/** Early supporters and their places in the database. */
export function createEarlySupportersRepo(db: Kysely<DB>): EarlySupportersRepo {
  return { ...rowsPart(db), ...placesPart(db), ...walkPart(db) };
}

function rowsPart(db: Kysely<DB>): Pick<EarlySupportersRepo, 'find' | 'lock' | 'nominate' | 'change' | 'due'> {
  const ofUser = (userId: string) => db.selectFrom('early_supporters').selectAll().where('user_id', '=', userId);
  return {
    async find(userId) {
      const row = await ofUser(userId).executeTakeFirst();
      return row ? toSupporter(row) : null;
    },
    async lock(userId) {
      const row = await forUpdate(ofUser(userId)).executeTakeFirst();
      return row ? toSupporter(row) : null;
    },
    async nominate(userId, nowMs, checkMs) {
      await db
        .insertInto('early_supporters')
        .values(fresh(userId, nowMs, checkMs))
        .onConflict((conflict) =>
          conflict
            .column('user_id')
            .doUpdateSet({ next_check_ms: checkMs })
            .where('early_supporters.state', '=', 'pending')
            .where('early_supporters.next_check_ms', '>', checkMs),
        )
        .execute();
    },
    async change(userId, change) {
      await db.updateTable('early_supporters').set(toColumns(change)).where('user_id', '=', userId).execute();
    },
    async due(state, nowMs, limit) {
      const rows = await db
        .selectFrom('early_supporters')
        .select('user_id')
        .where('state', '=', state)
        .where('next_check_ms', '<=', nowMs)
        .orderBy('next_check_ms')
        .orderBy('user_id')
        .limit(limit)
        .execute();
      return rows.map((row) => row.user_id);
    },
  };
}

function placesPart(db: Kysely<DB>): Pick<EarlySupportersRepo, 'taken' | 'takePlace' | 'releasePlace'> {
  return {
    async taken() {
      return (await db.selectFrom('early_supporter_places').select('taken').executeTakeFirstOrThrow()).taken;
    },
    async takePlace(count) {
      const taken = await db
        .updateTable('early_supporter_places')
        .set((eb) => ({ taken: eb('taken', '+', 1) }))
        .where('taken', '<', count)
        .returning('id')
        .execute();
      return taken.length > 0;
    },
    async releasePlace() {
      await db
        .updateTable('early_supporter_places')
        .set((eb) => ({ taken: eb('taken', '-', 1) }))
        .execute();
    },
  };
}

function walkPart(db: Kysely<DB>): Pick<EarlySupportersRepo, 'walk' | 'hasWalked' | 'rewind'> {
  /** Accounts after one, in the order in which they were made: identifiers are sortable by time. */
  const after = (walked: string, limit: number) =>
    db.selectFrom('users').select('users.id').where('users.id', '>', walked).orderBy('users.id').limit(limit);
  return {
    async walk({ afkMinutes, minAgeMs }, nowMs, limit) {
      const { walked_id: walked } = await forUpdate(
        db.selectFrom('early_supporter_places').select('walked_id'),
      ).executeTakeFirstOrThrow();
      const seen = await after(walked, limit).execute();
      const last = seen.at(-1);
      if (!last) return 0;
      const found = await db
        .selectFrom('users')
        .select(['users.id', 'users.created_ms'])
        .where('users.id', '>', walked)
        .where('users.id', '<=', last.id)
        .where('users.status', '=', 'active')
        .where(({ or, exists, eb, selectFrom }) =>
          or([
            exists(
              selectFrom('server_events')
                .select('server_events.id')
                .whereRef('server_events.user_id', '=', 'users.id')
                .where('server_events.code', '=', 'ready'),
            ),
            exists(
              selectFrom('servers')
                .select('servers.id')
                .whereRef('servers.user_id', '=', 'users.id')
                .where('servers.state', 'in', ['active', 'suspended']),
            ),
            eb(
              selectFrom('afk_sessions')
                .select(({ fn }) => fn.sum<number>('minutes').as('minutes'))
                .whereRef('afk_sessions.user_id', '=', 'users.id'),
              '>=',
              afkMinutes,
            ),
          ]),
        )
        .execute();
      for (const { id, created_ms: createdMs } of found)
        await db
          .insertInto('early_supporters')
          .values(fresh(id, nowMs, createdMs + minAgeMs))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      await db.updateTable('early_supporter_places').set({ walked_id: last.id }).execute();
      return seen.length;
    },
    async hasWalked() {
      const { walked_id: walked } = await db
        .selectFrom('early_supporter_places')
        .select('walked_id')
        .executeTakeFirstOrThrow();
      return walked !== '';
    },
    async rewind() {
      await db.updateTable('early_supporter_places').set({ walked_id: '' }).execute();
    },
  };
}
