import type { Kysely } from 'kysely';
import { alongIndex, type Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { LeaderboardRepo, Showing } from '#server/modules/leaderboard/ports.ts';

type Sources = Pick<LeaderboardRepo, 'showing' | 'balances' | 'afkMinutes' | 'servers' | 'referrals' | 'earned'>;
type Counted = readonly { user_id: string; n: number }[];

const byUser = (rows: Counted): Map<string, number> => new Map(rows.map((row) => [row.user_id, row.n]));
const NONE = new Map<string, never>();

/** What the boards count, from the tables in which it is at home, for some hundred users at a time. */
export function leaderboardSources(db: Kysely<DB>, raw: Raw): Sources {
  return {
    async showing(userIds, nowMs) {
      if (userIds.length === 0) return NONE;
      const rows = await db
        .selectFrom('users')
        .leftJoin('user_privacy', 'user_privacy.user_id', 'users.id')
        .select([
          'users.id',
          'users.status',
          'users.banned_until_ms',
          'user_privacy.leaderboard',
          'user_privacy.profile',
        ])
        .where('users.id', 'in', userIds)
        .execute();
      return new Map(
        rows.map((row): [string, Showing] => {
          const standing =
            row.status === 'active' ||
            (row.status === 'banned' && row.banned_until_ms !== null && row.banned_until_ms <= nowMs);
          return [row.id, { listed: standing && row.leaderboard !== 0, linked: standing && row.profile !== 0 }];
        }),
      );
    },
    async balances(userIds) {
      if (userIds.length === 0) return NONE;
      const rows = await db
        .selectFrom('ledger_balances')
        .selectAll()
        .where(
          'account',
          'in',
          userIds.map((id) => `user:${id}`),
        )
        .execute();
      return new Map(rows.map((row) => [row.account.slice('user:'.length), row.balance]));
    },
    async afkMinutes(userIds) {
      if (userIds.length === 0) return NONE;
      const counted = db.selectFrom('afk_sessions').select(['user_id', (eb) => eb.fn.sum<number>('minutes').as('n')]);
      return byUser(await counted.where('user_id', 'in', userIds).groupBy('user_id').execute());
    },
    async servers(userIds) {
      if (userIds.length === 0) return NONE;
      const counted = db.selectFrom('servers').select(['user_id', (eb) => eb.fn.countAll<number>().as('n')]);
      return byUser(
        await counted
          .where('user_id', 'in', userIds)
          .where('state', 'not in', ['deleted', 'failed'])
          .groupBy('user_id')
          .execute(),
      );
    },
    async referrals(userIds) {
      if (userIds.length === 0) return NONE;
      // One whose reward waits for review or was refused does not count.
      return byUser(
        await db
          .selectFrom('referrals')
          .select(['referrer_id as user_id', (eb) => eb.fn.countAll<number>().as('n')])
          .where('referrer_id', 'in', userIds)
          .where('qualified_ms', 'is not', null)
          .where('state', 'in', ['qualified', 'done'])
          .where('referrer_state', 'not in', ['held', 'refused'])
          .groupBy('referrer_id')
          .execute(),
      );
    },
    async earned(userIds, sinceMs, until) {
      const earned = new Map<string, number>();
      const sql = earnedQuery(raw);
      for (const userId of userIds) {
        const account = `user:${userId}`;
        const row = await raw.one<{ n: number }>(sql, [
          account,
          sinceMs,
          until.txId,
          until.seq,
          account,
          sinceMs,
          until.txId,
          until.seq,
        ]);
        if (row && row.n !== 0) earned.set(userId, row.n);
      }
      return earned;
    },
  };
}

const REWARD = (side: string) =>
  `((kind >= 'reward.' AND kind < 'reward/') OR (${side} >= 'system:reward.' AND ${side} < 'system:reward/'))`;
/**
 * Along the wallet's own index: with fresh statistics SQLite would rather walk all postings up to the place, nearly all
 * of which come from one system account.
 */
const SIDE = (raw: Raw, mine: string, other: string) =>
  `SELECT COALESCE(SUM(amount), 0) FROM ledger_postings${alongIndex(raw, `ledger_postings_${mine}`)} WHERE ${mine} = ? AND created_ms >= ? AND (tx_id, seq) <= (?, ?) AND ${REWARD(other)}`;
/** As `earnedBy` of the module counts a posting, over all of a user's since a moment. */
const earnedQuery = (raw: Raw) =>
  `SELECT CAST((${SIDE(raw, 'destination', 'source')}) - (${SIDE(raw, 'source', 'destination')}) AS BIGINT) AS n`;
