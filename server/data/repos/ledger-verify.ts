import type { Raw } from '#server/data/raw.ts';

/** Faults named at most, a kind. */
const MOST = 50;

interface Proof {
  /** Rows are faults. */
  readonly sql: string;
  tell(row: Record<string, unknown>): string;
}

const PROOFS: readonly Proof[] = [
  {
    sql: 'SELECT CAST(SUM(balance) AS BIGINT) AS sum FROM ledger_balances HAVING SUM(balance) <> 0',
    tell: ({ sum }) => `all balances together are ${String(sum)} instead of 0`,
  },
  {
    sql: `SELECT account, CAST(SUM(folded) AS BIGINT) AS folded, CAST(SUM(stored) AS BIGINT) AS stored FROM (
        SELECT source AS account, -amount AS folded, 0 AS stored FROM ledger_postings
        UNION ALL SELECT destination AS account, amount AS folded, 0 AS stored FROM ledger_postings
        UNION ALL SELECT account, 0 AS folded, balance AS stored FROM ledger_balances
      ) AS sides GROUP BY account HAVING SUM(folded) <> SUM(stored)`,
    tell: ({ account, folded, stored }) => `${String(account)} has ${String(stored)} but its postings make ${String(folded)}`,
  },
  {
    sql: "SELECT account, balance FROM ledger_balances WHERE balance < 0 AND substr(account, 1, 7) <> 'system:'",
    tell: ({ account, balance }) => `${String(account)} is below zero: ${String(balance)}`,
  },
  {
    sql: 'SELECT t.id FROM ledger_transactions t LEFT JOIN ledger_postings p ON p.tx_id = t.id WHERE p.tx_id IS NULL',
    tell: ({ id }) => `transaction ${String(id)} has no postings`,
  },
  {
    sql: 'SELECT p.tx_id FROM ledger_postings p LEFT JOIN ledger_transactions t ON t.id = p.tx_id WHERE t.id IS NULL',
    tell: ({ tx_id: id }) => `a posting belongs to no transaction: ${String(id)}`,
  },
  {
    // The sums by day, against the balances of the accounts outside the wallets.
    sql: `SELECT account, CAST(SUM(summed) AS BIGINT) AS summed, CAST(SUM(stored) AS BIGINT) AS stored FROM (
        SELECT account, burnt - minted + other AS summed, 0 AS stored FROM ledger_days WHERE account <> 'users'
        UNION ALL SELECT CASE WHEN substr(account, 1, 5) = 'debt:' THEN 'debt' ELSE account END AS account, 0 AS summed, balance AS stored
          FROM ledger_balances WHERE substr(account, 1, 5) = 'debt:' OR substr(account, 1, 7) = 'system:'
      ) AS sides GROUP BY account HAVING SUM(summed) <> SUM(stored)`,
    tell: ({ account, summed, stored }) => `${String(account)} has ${String(stored)} but its days make ${String(summed)}`,
  },
  {
    sql: `SELECT account, CAST(SUM(held) AS BIGINT) AS held, CAST(SUM(stored) AS BIGINT) AS stored FROM (
        SELECT 'hold:' || substr(account, 6) AS account, amount AS held, 0 AS stored FROM ledger_holds WHERE state = 'open'
        UNION ALL SELECT account, 0 AS held, balance AS stored FROM ledger_balances WHERE account >= 'hold:' AND account < 'hold;'
      ) AS sides GROUP BY account HAVING SUM(held) <> SUM(stored)`,
    tell: ({ account, held, stored }) => `${String(account)} has ${String(stored)} but its open holds make ${String(held)}`,
  },
  {
    // Held rewards (behaviour 4.6): each open one has an open hold of its amount, each decided one a closed hold.
    sql: `SELECT r.id, r.state, r.amount, h.state AS hold_state, h.amount AS hold_amount FROM held_rewards r LEFT JOIN ledger_holds h ON h.id = r.hold_id
      WHERE h.id IS NULL OR h.amount <> r.amount OR h.account <> 'user:' || r.user_id OR h.state <> CASE r.state WHEN 'rejected' THEN 'captured' ELSE r.state END`,
    tell: ({ id, state, amount, hold_state: holdState, hold_amount: holdAmount }) =>
      `the held reward ${String(id)} is ${String(state)} over ${String(amount)} but its hold is ${String(holdState)} over ${String(holdAmount)}`,
  },
];

/** Proves the balances against the postings and the holds. Out: faults in plain words; empty when all is well. */
export async function verifyLedger(raw: Raw): Promise<string[]> {
  const faults: string[] = [];
  for (const { sql, tell } of PROOFS) {
    const rows = await raw.all<Record<string, unknown>>(`${sql} LIMIT ${MOST}`);
    faults.push(...rows.map(tell));
  }
  return faults;
}
