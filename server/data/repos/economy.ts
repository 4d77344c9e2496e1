import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { DayLine, DaySum, Earner, EconomyRepo } from '#server/modules/economy/ports.ts';

const DAYS = `SELECT day, account, CAST(SUM(minted) AS BIGINT) AS minted, CAST(SUM(burnt) AS BIGINT) AS burnt, CAST(SUM(moved) AS BIGINT) AS moved
  FROM ledger_days WHERE day >= ? GROUP BY day, account ORDER BY day, account`;
const LINES =
  'SELECT day, account, kind, minted, burnt, moved, moves FROM ledger_days WHERE day >= ? ORDER BY day, account, kind LIMIT ?';
/**
 * All balances sum to zero, so what users have is what the others are short of. System accounts are few and debts are
 * rare.
 */
const CIRCULATION = `SELECT CAST(COALESCE(-SUM(balance), 0) AS BIGINT) AS sum FROM (
  SELECT balance FROM ledger_balances WHERE account >= 'system:' AND account < 'system;'
  UNION ALL SELECT balance FROM ledger_balances WHERE account >= 'debt:' AND account < 'debt;') AS outside`;
const HELD =
  "SELECT COUNT(*) AS count, CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS credits FROM ledger_holds WHERE state = 'open'";

/** The best of those who are listed, or of those who are not, along the index of either. */
const EARNERS = (
  listed: 0 | 1,
) => `SELECT u.id, u.username, s.score AS credits FROM leaderboard_scores s JOIN users u ON u.id = s.user_id
  WHERE s.board = ? AND s.listed = ${listed} ORDER BY s.score DESC, s.user_id LIMIT ?`;

/** The figures of the economy in the database. */
export function createEconomyRepo(_db: Kysely<DB>, raw: Raw): EconomyRepo {
  return {
    days: (fromDay) => raw.all<DaySum>(DAYS, [fromDay]),
    lines: (fromDay, limit) => raw.all<DayLine>(LINES, [fromDay, limit]),
    async circulation() {
      return (await raw.one<{ sum: number }>(CIRCULATION))?.sum ?? 0;
    },
    async held() {
      return (await raw.one<{ count: number; credits: number }>(HELD)) ?? { count: 0, credits: 0 };
    },
    async earners(month, limit) {
      const [listed, hidden] = [
        await raw.all<Earner>(EARNERS(1), [`month:${month}`, limit]),
        await raw.all<Earner>(EARNERS(0), [`month:${month}`, limit]),
      ];
      return [...listed, ...hidden].sort((a, b) => b.credits - a.credits || (a.id < b.id ? -1 : 1)).slice(0, limit);
    },
  };
}
