import type { Kysely } from 'kysely';
import { alongIndex, type Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { EarnCountersRepo } from '#server/modules/rewards/counters/ports.ts';

const GET = 'SELECT credits FROM earn_counters WHERE user_id = ? AND source = ? AND day = ?';
const GET_BOTH = 'SELECT user_id, credits FROM earn_counters WHERE user_id IN (?, ?) AND source = ? AND day = ?';
const ADD_WITHIN = `INSERT INTO earn_counters (user_id, source, day, credits) VALUES (?, ?, ?, ?)
  ON CONFLICT (user_id, source, day) DO UPDATE SET credits = earn_counters.credits + excluded.credits
  WHERE earn_counters.credits + excluded.credits <= ?`;

// Never below zero: a reward that was counted a moment before midnight and held a moment after it names the wrong day.
const TAKE_BACK = `UPDATE earn_counters SET credits = CASE WHEN credits > ? THEN credits - ? ELSE 0 END WHERE user_id = ? AND source = ? AND day = ?`;

const purgeSql = (raw: Raw) => `DELETE FROM earn_counters WHERE (user_id, source, day) IN (
  SELECT user_id, source, day FROM earn_counters${alongIndex(raw, 'earn_counters_day')} WHERE day < ? ORDER BY day LIMIT ?)`;

/** Credits earned by day and source in the database. */
export function createCountersRepo(db: Kysely<DB>, raw: Raw): EarnCountersRepo {
  const of = (userId: string, source: string) =>
    db.selectFrom('earn_counters').where('user_id', '=', userId).where('source', '=', source);
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
    async subtract(userId, source, day, credits) {
      await raw.run(TAKE_BACK, [credits, credits, userId, source, day]);
    },
    async lock(userId, source, day) {
      if (raw.dialect === 'postgres') await raw.one(`${GET} FOR UPDATE`, [userId, source, day]);
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
