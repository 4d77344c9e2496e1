import type { Kysely } from 'kysely';
import { alongIndex, type Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import { shardOf } from '#server/data/shards.ts';
import { EVERYBODY, type EarnCountersRepo } from '#server/modules/rewards/counters/ports.ts';

const OF = 'FROM earn_counters WHERE user_id = ? AND source = ? AND day = ?';
const GET = `SELECT CAST(COALESCE(SUM(credits), 0) AS BIGINT) AS credits ${OF}`;
const GET_BOTH =
  'SELECT user_id, CAST(SUM(credits) AS BIGINT) AS credits FROM earn_counters WHERE user_id IN (?, ?) AND source = ? AND day = ? GROUP BY user_id';
const ADD = 'INSERT INTO earn_counters (user_id, source, day, shard, credits)';
const MORE =
  'ON CONFLICT (user_id, source, day, shard) DO UPDATE SET credits = earn_counters.credits + excluded.credits';
const ADD_WITHIN = `${ADD} VALUES (?, ?, ?, 0, ?) ${MORE} WHERE earn_counters.credits + excluded.credits <= ?`;
/** What was counted for everybody while there was no budget; with one, everybody counts into one row. */
const OTHERS = `(SELECT COALESCE(SUM(credits), 0) ${OF} AND shard <> 0)`;
const ADD_WITHIN_BUDGET = `${ADD} SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), 0, CAST(? AS BIGINT) WHERE ${OTHERS} <= ?
  ${MORE} WHERE earn_counters.credits + excluded.credits + ${OTHERS} <= ?`;

const purgeSql = (raw: Raw) => `DELETE FROM earn_counters WHERE (user_id, source, day, shard) IN (
  SELECT user_id, source, day, shard FROM earn_counters${alongIndex(raw, 'earn_counters_day')} WHERE day < ? ORDER BY day LIMIT ?)`;

const TAKE_BACK =
  'UPDATE earn_counters SET credits = credits - ? WHERE user_id = ? AND source = ? AND day = ? AND shard = ?';

/** Credits earned by day and source in the database. */
export function createCountersRepo(db: Kysely<DB>, raw: Raw): EarnCountersRepo {
  const of = (userId: string, source: string) =>
    db.selectFrom('earn_counters').where('user_id', '=', userId).where('source', '=', source);
  const lockText = `SELECT shard, credits ${OF} ORDER BY shard${raw.dialect === 'postgres' ? ' FOR UPDATE' : ''}`;
  return {
    async get(userId, source, day) {
      return (await raw.one<{ credits: number }>(GET, [userId, source, day]))?.credits ?? 0;
    },
    async getBoth(userIds, source, day) {
      const rows = await raw.all<{ user_id: string; credits: number }>(GET_BOTH, [...userIds, source, day]);
      const of = (userId: string) => rows.find((row) => row.user_id === userId)?.credits ?? 0;
      return [of(userIds[0]), of(userIds[1])];
    },
    async addWithin(userId, source, day, credits, max) {
      // The first row of a day has no sum in the table to compare with.
      if (credits > max) return false;
      return (await raw.run(ADD_WITHIN, [userId, source, day, credits, max])).changes === 1;
    },
    async addForEverybody(source, day, credits, budget) {
      const values = [EVERYBODY, source, day] as const;
      if (budget === null) {
        await raw.run(`${ADD} VALUES (?, ?, ?, ${shardOf(raw.dialect)}, ?) ${MORE}`, [...values, credits]);
        return true;
      }
      const { changes } = await raw.run(ADD_WITHIN_BUDGET, [
        ...values,
        credits,
        ...values,
        budget - credits,
        ...values,
        budget,
      ]);
      return changes === 1;
    },
    async subtract(userId, source, day, credits) {
      const rows = await raw.all<{ shard: number; credits: number }>(lockText, [userId, source, day]);
      let left = credits;
      for (const row of rows) {
        // Never below zero: a reward that was counted a moment before midnight and held a moment after it names the
        // wrong day.
        const taken = Math.min(left, row.credits);
        left -= taken;
        if (taken > 0) await raw.run(TAKE_BACK, [taken, userId, source, day, row.shard]);
      }
    },
    async lock(userId, source, day) {
      if (raw.dialect === 'postgres') await raw.all(lockText, [userId, source, day]);
    },
    async days(userId, source, days) {
      const rows = await of(userId, source)
        .select(['day', 'credits'])
        .where('day', 'in', [...days])
        .execute();
      const byDay = new Map(rows.map((row) => [row.day, row.credits]));
      return days.map((day) => byDay.get(day) ?? 0);
    },
    async purge(beforeDay, limit) {
      return (await raw.run(purgeSql(raw), [beforeDay, limit])).changes;
    },
  };
}
