import type { Raw } from '#server/data/raw.ts';
import { verifyArchivePart } from '#server/data/repos/ledger-archive-verify.ts';
import type { ArchiveProof, LedgerFault, LedgerRepo } from '#server/modules/ledger/ports.ts';
import { LEDGER_PROOFS, type LedgerProof } from '#shared/ledger.ts';

/** Faults named at most, a proof. */
const MOST = 50;
/** Blocks of the archive that are proven in one view of the data: a fraction of a second. */
const PART = 2000;

type Found = Omit<LedgerFault, 'proof'>;
interface Proof {
  /** Rows are faults. In: the condition by which a question over very many rows can be stopped. */
  sql(stopCondition: string): string;
  toFault(row: Record<string, unknown>): Found;
}

/** A fault of an account: what is stored of it, and what it should be. */
function ofAccount(
  row: Record<string, unknown>,
  expected: unknown,
  text: (account: string, stored: string, expected: string) => string,
): Found {
  const { account, stored } = row;
  return {
    account: String(account),
    id: null,
    stored: Number(stored),
    expected: Number(expected),
    text: text(String(account), String(stored), String(expected)),
  };
}
/** A fault of a row that is no account. */
const ofRow = (id: unknown, text: (id: string) => string): Found => ({
  account: null,
  id: String(id),
  stored: null,
  expected: null,
  text: text(String(id)),
});

/** Proofs that are one question each; the archive is read block by block. */
const PROOFS: Readonly<Record<Exclude<LedgerProof, 'archive'>, Proof>> = {
  sum: {
    sql: (stopCondition) =>
      `SELECT CAST(SUM(balance) AS BIGINT) AS sum FROM ledger_balances WHERE ${stopCondition} HAVING SUM(balance) <> 0`,
    toFault: ({ sum }) => ({
      account: null,
      id: null,
      stored: Number(sum),
      expected: 0,
      text: `all balances together are ${String(sum)} instead of 0`,
    }),
  },
  postings: {
    sql: (
      stopCondition,
    ) => `SELECT account, CAST(SUM(folded) AS BIGINT) AS folded, CAST(SUM(stored) AS BIGINT) AS stored FROM (
        SELECT source AS account, -amount AS folded, 0 AS stored FROM ledger_postings WHERE ${stopCondition}
        UNION ALL SELECT destination AS account, amount AS folded, 0 AS stored FROM ledger_postings WHERE ${stopCondition}
        UNION ALL SELECT account, credits AS folded, 0 AS stored FROM ledger_archived_sums WHERE ${stopCondition}
        UNION ALL SELECT account, 0 AS folded, balance AS stored FROM ledger_balances WHERE ${stopCondition}
      ) AS sides GROUP BY account HAVING SUM(folded) <> SUM(stored)`,
    toFault: (row) =>
      ofAccount(
        row,
        row.folded,
        (account, stored, folded) => `${account} has ${stored} but its postings make ${folded}`,
      ),
  },
  belowZero: {
    sql: (stopCondition) =>
      `SELECT account, balance AS stored FROM ledger_balances WHERE ${stopCondition} AND balance < 0 AND substr(account, 1, 7) <> 'system:'`,
    toFault: (row) => ({
      ...ofAccount(row, null, (account, stored) => `${account} is below zero: ${stored}`),
      expected: null,
    }),
  },
  empty: {
    sql: (stopCondition) =>
      `SELECT t.id FROM ledger_transactions t LEFT JOIN ledger_postings p ON p.tx_id = t.id WHERE ${stopCondition} AND p.tx_id IS NULL`,
    toFault: ({ id }) => ofRow(id, (name) => `transaction ${name} has no postings`),
  },
  orphans: {
    sql: (stopCondition) =>
      `SELECT p.tx_id FROM ledger_postings p LEFT JOIN ledger_transactions t ON t.id = p.tx_id WHERE ${stopCondition} AND t.id IS NULL`,
    toFault: ({ tx_id: id }) => ofRow(id, (name) => `a posting belongs to no transaction: ${name}`),
  },
  days: {
    // The sums by day, against the balances of the accounts outside the wallets.
    sql: (
      stopCondition,
    ) => `SELECT account, CAST(SUM(summed) AS BIGINT) AS summed, CAST(SUM(stored) AS BIGINT) AS stored FROM (
        SELECT account, burnt - minted + other AS summed, 0 AS stored FROM ledger_days WHERE ${stopCondition} AND account <> 'users'
        UNION ALL SELECT CASE WHEN substr(account, 1, 5) = 'debt:' THEN 'debt' ELSE account END AS account, 0 AS summed, balance AS stored
          FROM ledger_balances WHERE ${stopCondition} AND (substr(account, 1, 5) = 'debt:' OR substr(account, 1, 7) = 'system:')
      ) AS sides GROUP BY account HAVING SUM(summed) <> SUM(stored)`,
    toFault: (row) =>
      ofAccount(row, row.summed, (account, stored, summed) => `${account} has ${stored} but its days make ${summed}`),
  },
  holds: {
    sql: (
      stopCondition,
    ) => `SELECT account, CAST(SUM(held) AS BIGINT) AS held, CAST(SUM(stored) AS BIGINT) AS stored FROM (
        SELECT 'hold:' || substr(account, 6) AS account, amount AS held, 0 AS stored FROM ledger_holds WHERE state = 'open'
        UNION ALL SELECT account, 0 AS held, balance AS stored FROM ledger_balances WHERE ${stopCondition} AND account >= 'hold:' AND account < 'hold;'
      ) AS sides GROUP BY account HAVING SUM(held) <> SUM(stored)`,
    toFault: (row) =>
      ofAccount(row, row.held, (account, stored, held) => `${account} has ${stored} but its open holds make ${held}`),
  },
  heldRewards: {
    // Held rewards (behaviour 4.6): each open one has an open hold of its amount, each decided one a closed hold.
    sql: (
      stopCondition,
    ) => `SELECT r.id, r.user_id, r.state, r.amount, h.state AS hold_state, h.amount AS hold_amount FROM held_rewards r LEFT JOIN ledger_holds h ON h.id = r.hold_id
      WHERE ${stopCondition} AND (h.id IS NULL OR h.amount <> r.amount OR h.account <> 'user:' || r.user_id OR h.state <> CASE r.state WHEN 'rejected' THEN 'captured' ELSE r.state END)`,
    toFault: ({ id, user_id: userId, state, amount, hold_state: holdState, hold_amount: holdAmount }) => ({
      account: `hold:${String(userId)}`,
      id: String(id),
      stored: holdAmount === null ? null : Number(holdAmount),
      expected: Number(amount),
      text: `the held reward ${String(id)} is ${String(state)} over ${String(amount)} but its hold is ${String(holdState)} over ${String(holdAmount)}`,
    }),
  },
};

/** Proves the balances against the postings and the holds, or only one part of it. Out: faults; empty when all is well. */
export async function verifyLedger(raw: Raw, only?: LedgerProof): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const proof of only === undefined ? LEDGER_PROOFS : [only]) {
    if (proof === 'archive') {
      let next: ArchiveProof | null = null;
      do {
        const part = await verifyArchive(raw, next);
        faults.push(...part.faults);
        next = part.next;
      } while (next);
      continue;
    }
    const { sql, toFault } = PROOFS[proof];
    const rows = await raw.all<Record<string, unknown>>(`${sql(raw.stopCondition)} LIMIT ${MOST}`);
    faults.push(...rows.map((row) => ({ proof, ...toFault(row) })));
  }
  return faults;
}

/** A part of the proof of the archive (`LedgerRepo.verifyArchive`). */
export async function verifyArchive(raw: Raw, begun: ArchiveProof | null): ReturnType<LedgerRepo['verifyArchive']> {
  const { faults, next } = await verifyArchivePart(raw, begun, { most: MOST, size: PART });
  return { faults: faults.map((found) => ({ proof: 'archive', ...found })), next };
}
