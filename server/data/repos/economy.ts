import { sql, type Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { EconomyRepo } from '#server/modules/economy/ports.ts';

/** The figures of the economy in the database. */
export function createEconomyRepo(db: Kysely<DB>): EconomyRepo {
  const balances = (from: string, before: string) =>
    db.selectFrom('ledger_balances').select('balance').where('account', '>=', from).where('account', '<', before);

  /** The best of those who are listed, or of those who are not, along the index of either. */
  const earners = (month: string, listed: 0 | 1, limit: number) =>
    db
      .selectFrom('leaderboard_scores')
      .innerJoin('users', 'users.id', 'leaderboard_scores.user_id')
      .select(['users.id', 'users.username', 'leaderboard_scores.score as credits'])
      .where('leaderboard_scores.board', '=', `month:${month}`)
      .where('leaderboard_scores.listed', '=', sql.lit(listed))
      .orderBy('leaderboard_scores.score', 'desc')
      .orderBy('leaderboard_scores.user_id')
      .limit(limit)
      .execute();

  return {
    days: (fromDay) =>
      db
        .selectFrom('ledger_days')
        .select((eb) => [
          'day',
          'account',
          eb.fn.sum<number>('minted').as('minted'),
          eb.fn.sum<number>('burnt').as('burnt'),
          eb.fn.sum<number>('moved').as('moved'),
        ])
        .where('day', '>=', fromDay)
        .groupBy(['day', 'account'])
        .orderBy('day')
        .orderBy('account')
        .execute(),
    lines: (fromDay, limit) =>
      db
        .selectFrom('ledger_days')
        .select((eb) => [
          'day',
          'account',
          'kind',
          eb.fn.sum<number>('minted').as('minted'),
          eb.fn.sum<number>('burnt').as('burnt'),
          eb.fn.sum<number>('moved').as('moved'),
          eb.fn.sum<number>('moves').as('moves'),
        ])
        .where('day', '>=', fromDay)
        .groupBy(['day', 'account', 'kind'])
        .orderBy('day')
        .orderBy('account')
        .orderBy('kind')
        .limit(limit)
        .execute(),
    async circulation() {
      // All balances sum to zero, so what users have is what the others are short of. System accounts are few and debts
      // are rare.
      const row = await db
        .selectFrom(balances('system:', 'system;').unionAll(balances('debt:', 'debt;')).as('outside'))
        .select((eb) => eb.fn.sum<number | null>('balance').as('sum'))
        .executeTakeFirst();
      return 0 - (row?.sum ?? 0);
    },
    async held() {
      const { count, credits } = await db
        .selectFrom('ledger_holds')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | null>('amount').as('credits')])
        // Written out, so that SQLite finds the index of what is open.
        .where('state', '=', sql.lit('open'))
        .executeTakeFirstOrThrow();
      return { count, credits: credits ?? 0 };
    },
    async earners(month, limit) {
      const found = [...(await earners(month, 1, limit)), ...(await earners(month, 0, limit))];
      return found.sort((a, b) => b.credits - a.credits || (a.id < b.id ? -1 : 1)).slice(0, limit);
    },
  };
}
