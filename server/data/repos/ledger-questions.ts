import type { Param, Raw } from '#server/data/raw.ts';
import type { Account, HistoryQuery, LedgerEntry, LedgerRepo } from '#server/modules/ledger/ports.ts';

type Questions = Pick<LedgerRepo, 'balance' | 'history' | 'latest' | 'kinds' | 'balanceAt' | 'earnedSince' | 'totals'>;

/** System accounts that exist; few, and all in one stretch of the key. */
const SYSTEM = "SELECT account FROM ledger_balances WHERE account >= 'system:' AND account < 'system;'";

/** What is asked of the ledger without changing it. */
export function ledgerQuestions(raw: Raw): Questions {
  return {
    async balance(account) {
      return (await raw.one<{ balance: number }>('SELECT balance FROM ledger_balances WHERE account = ?', [account]))?.balance ?? 0;
    },
    history: (account, query) => historyOf(raw, account, query),
    latest: (account, limit) => rowsOf(raw, account, { offset: 0, limit }),
    async kinds(account) {
      const rows = await raw.all<{ kind: string }>(
        'SELECT kind FROM ledger_postings WHERE source = ? UNION SELECT kind FROM ledger_postings WHERE destination = ? ORDER BY kind',
        [account, account],
      );
      return rows.map(({ kind }) => kind);
    },
    balanceAt: (account, moments) => balancesAt(raw, account, moments),
    async earnedSince(account, sinceMs) {
      const row = await raw.one<{ sum: number }>(
        `SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS sum FROM ledger_postings
         WHERE destination = ? AND created_ms >= ? AND ((source >= 'system:reward.' AND source < 'system:reward/') OR kind = 'reward.released')`,
        [account, sinceMs],
      );
      return row?.sum ?? 0;
    },
    totals: (sinceMs) => totalsOf(raw, sinceMs),
  };
}

/** What a query asks for: sides of the postings, and the conditions on each. */
function wanted(account: Account, query: HistoryQuery) {
  const sides = [
    { column: 'source', other: 'destination', sign: '-', after: 'source_after', direction: 'out' },
    { column: 'destination', other: 'source', sign: '', after: 'destination_after', direction: 'in' },
  ].filter(({ direction }) => !query.direction || query.direction === direction);
  const filters: [string, Param][] = [];
  if (query.kind !== undefined) filters.push(['kind = ?', query.kind]);
  if (query.fromMs !== undefined) filters.push(['created_ms >= ?', query.fromMs]);
  if (query.toMs !== undefined) filters.push(['created_ms <= ?', query.toMs]);
  const where = filters.map(([text]) => ` AND ${text}`).join('');
  return { sides, where, values: [account, ...filters.map(([, value]) => value)] };
}

/** Out of and into the account, each side read along its index only as far as the page asks. */
async function rowsOf(raw: Raw, account: Account, query: HistoryQuery): Promise<LedgerEntry[]> {
  const { sides, where, values } = wanted(account, query);
  const parts = sides.map(
    ({ column, other, sign, after }) => `SELECT * FROM (SELECT tx_id, seq, created_ms, ${other} AS counterpart, ${sign}amount AS amount, ${after} AS balance_after
      FROM ledger_postings WHERE ${column} = ?${where} ORDER BY created_ms DESC, tx_id DESC, seq DESC LIMIT ?) AS ${column}_side`,
  );
  const page = await raw.all<EntryRow>(
    `SELECT t.id, t.kind, t.reference, t.subject, t.reason, t.actor, o.kind AS undone_kind, o.created_ms AS undone_ms,
       e.created_ms, e.counterpart, e.amount, e.balance_after
     FROM (${parts.join(' UNION ALL ')}) AS e JOIN ledger_transactions t ON t.id = e.tx_id
     LEFT JOIN ledger_transactions o ON o.id = t.reverses
     ORDER BY e.created_ms DESC, e.tx_id DESC, e.seq DESC LIMIT ? OFFSET ?`,
    [...sides.flatMap(() => [...values, query.offset + query.limit]), query.limit, query.offset],
  );
  return page.map(toEntry);
}

async function historyOf(raw: Raw, account: Account, query: HistoryQuery): Promise<{ rows: LedgerEntry[]; total: number }> {
  const { sides, where, values } = wanted(account, query);
  const rows = await rowsOf(raw, account, query);
  let total = 0;
  for (const { column } of sides) {
    const row = await raw.one<{ count: number }>(`SELECT COUNT(*) AS count FROM ledger_postings WHERE ${column} = ?${where}`, values);
    total += row?.count ?? 0;
  }
  return { rows, total };
}

interface EntryRow {
  id: string;
  kind: string;
  reference: string;
  subject: string | null;
  reason: string | null;
  actor: string | null;
  undone_kind: string | null;
  undone_ms: number | null;
  created_ms: number;
  counterpart: string;
  amount: number;
  balance_after: number;
}

function toEntry(row: EntryRow): LedgerEntry {
  const { id, kind, reference, subject, counterpart, amount, reason, actor } = row;
  const undoes = row.undone_kind !== null && row.undone_ms !== null ? { kind: row.undone_kind, createdMs: row.undone_ms } : null;
  return { id, kind, reference, subject, counterpart, amount, balanceAfter: row.balance_after, createdMs: row.created_ms, reason, actor, undoes };
}

/** Today's balance minus what moved after each moment: one walk along the index, whatever the number of moments. */
async function balancesAt(raw: Raw, account: Account, moments: readonly number[]): Promise<number[]> {
  const [first] = moments;
  if (first === undefined) return [];
  const rows = await raw.all<{ moment: number; delta: number }>(
    `SELECT ${momentOf(moments.length)} AS moment, CAST(SUM(delta) AS BIGINT) AS delta FROM (
       SELECT created_ms, -amount AS delta FROM ledger_postings WHERE source = ? AND created_ms > ?
       UNION ALL SELECT created_ms, amount AS delta FROM ledger_postings WHERE destination = ? AND created_ms > ?
     ) AS moved GROUP BY 1`,
    [...moments.slice(1), account, first, account, first],
  );
  const movedIn = new Map(rows.map(({ moment, delta }) => [moment, delta]));
  const row = await raw.one<{ balance: number }>('SELECT balance FROM ledger_balances WHERE account = ?', [account]);
  let balance = row?.balance ?? 0;
  const answer: number[] = [];
  for (let index = moments.length - 1; index >= 0; index -= 1) {
    balance -= movedIn.get(index) ?? 0;
    answer.unshift(balance);
  }
  return answer;
}

/** SQL that gives the index of the last moment before a posting. Moments after the first are bound in order. */
function momentOf(count: number): string {
  if (count === 1) return '0';
  const cases = Array.from({ length: count - 1 }, (_, index) => `WHEN created_ms <= ? THEN ${index}`);
  return `CASE ${cases.join(' ')} ELSE ${count - 1} END`;
}

/** A side of a posting that is a user's own: what is owed, and what system accounts lend each other for it, is neither minted nor burnt. */
const noDebt = (side: string): string => `NOT (${side} >= 'debt:' AND ${side} < 'debt;') AND NOT (${side} >= 'system:' AND ${side} < 'system;')`;

/** All balances sum to zero, so what users have is what the system accounts are short of; no wallet need be counted. Debts are no one's credits. */
async function totalsOf(raw: Raw, sinceMs: number): Promise<{ circulation: number; minted: number; burnt: number }> {
  const row = await raw.one<{ circulation: number; minted: number; burnt: number }>(
    `SELECT
       CAST(COALESCE((SELECT -SUM(balance) FROM ledger_balances WHERE account IN (${SYSTEM}) OR (account >= 'debt:' AND account < 'debt;')), 0) AS BIGINT) AS circulation,
       CAST(COALESCE((SELECT SUM(amount) FROM ledger_postings WHERE source IN (${SYSTEM}) AND created_ms >= ? AND ${noDebt('destination')}), 0) AS BIGINT) AS minted,
       CAST(COALESCE((SELECT SUM(amount) FROM ledger_postings WHERE destination IN (${SYSTEM}) AND created_ms >= ? AND ${noDebt('source')}), 0) AS BIGINT) AS burnt`,
    [sinceMs, sinceMs],
  );
  return row ?? { circulation: 0, minted: 0, burnt: 0 };
}
