import { alongIndex, type Param, type Raw } from '#server/data/raw.ts';
import { archivedLines, archivedMoves, comparePlaces, userOf } from '#server/data/repos/ledger-blocks.ts';
import type {
  Account,
  HistoryPage,
  HistoryQuery,
  LedgerEntry,
  LedgerRepo,
  SpentOn,
} from '#server/modules/ledger/ports.ts';

type Questions = Pick<LedgerRepo, 'balance' | 'history' | 'balanceAt' | 'earnedSince' | 'earnedByKind' | 'spentSince'>;

/** Rewards that came into an account since a moment. */
const earnedFrom = (raw: Raw): string =>
  `FROM ledger_postings${alongIndex(raw, 'ledger_postings_destination')}
   WHERE destination = ? AND created_ms >= ? AND ((source >= 'system:reward.' AND source < 'system:reward/') OR kind = 'reward.released')`;
const SINKS = "('system:store', 'system:renewal')";

/** What is asked of the ledger without changing it. */
export function ledgerQuestions(raw: Raw): Questions {
  return {
    balance: (account) => balanceOf(raw, account),
    history: (account, query) => historyOf(raw, account, query),
    balanceAt: (account, moments) => balancesAt(raw, account, moments),
    async earnedSince(account, sinceMs) {
      const row = await raw.one<{ sum: number }>(
        `SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS sum ${earnedFrom(raw)}`,
        [account, sinceMs],
      );
      const accrued = await raw.one<{ amount: number }>(
        'SELECT amount FROM ledger_accruals WHERE account = ? AND started_ms >= ?',
        [account, sinceMs],
      );
      return (row?.sum ?? 0) + (accrued?.amount ?? 0);
    },
    earnedByKind: (account, sinceMs) =>
      raw.all(
        `SELECT kind, CAST(SUM(amount) AS BIGINT) AS credits ${earnedFrom(raw)} GROUP BY kind ORDER BY credits DESC, kind`,
        [account, sinceMs],
      ),
    async spentSince(userId, sinceMs) {
      const account = `user:${userId}`;
      const rows = await raw.all<{ sink: string; credits: number }>(
        `SELECT sink, CAST(SUM(amount) AS BIGINT) AS credits FROM (
           SELECT destination AS sink, amount FROM ledger_postings${alongIndex(raw, 'ledger_postings_source')}
           WHERE source IN (?, ?) AND created_ms >= ? AND destination IN ${SINKS}
           UNION ALL SELECT source AS sink, -amount AS amount FROM ledger_postings${alongIndex(raw, 'ledger_postings_destination')}
           WHERE destination = ? AND created_ms >= ? AND source IN ${SINKS}
         ) AS moved GROUP BY sink ORDER BY credits DESC, sink`,
        [account, `hold:${userId}`, sinceMs, account, sinceMs],
      );
      return rows.map(({ sink, credits }) => ({ on: sink.slice('system:'.length) as SpentOn, credits }));
    },
  };
}

const POSTED = 'SELECT balance FROM ledger_balances WHERE account = ?';
/** A system account may have several rows. */
const POSTED_TOGETHER = 'SELECT CAST(SUM(balance) AS BIGINT) AS balance FROM ledger_balances WHERE account = ?';
/** Everything a wallet has: what was posted, and what is not posted yet. */
const OWNED = `SELECT COALESCE((${POSTED}), 0) + COALESCE((SELECT amount FROM ledger_accruals WHERE account = ?), 0) AS balance`;

async function balanceOf(raw: Raw, account: Account): Promise<number> {
  const row = account.startsWith('user:')
    ? await raw.one<{ balance: number }>(OWNED, [account, account])
    : await raw.one<{ balance: number | null }>(POSTED_TOGETHER, [account]);
  return row?.balance ?? 0;
}

const SIDES = [
  {
    column: 'source',
    other: 'destination',
    sign: '-',
    after: 'source_after',
    direction: 'out',
    index: 'ledger_postings_source',
  },
  {
    column: 'destination',
    other: 'source',
    sign: '',
    after: 'destination_after',
    direction: 'in',
    index: 'ledger_postings_destination',
  },
] as const;
/** The order of a statement is that of both indexes. */
const PLACE = '(created_ms, tx_id, seq)';

/**
 * The conditions on either side. Of a moment and a cursor that bound the same end only the nearer one is named: an
 * index is entered by one bound.
 */
function conditions({ kind, fromMs, toMs, before, after }: HistoryQuery): { where: string; values: Param[] } {
  const parts: [string, ...Param[]][] = [];
  if (kind !== undefined) parts.push(['kind = ?', kind]);
  if (after && after.createdMs >= (fromMs ?? 0))
    parts.push([`${PLACE} > (?, ?, ?)`, after.createdMs, after.txId, after.seq]);
  else if (fromMs !== undefined) parts.push(['created_ms >= ?', fromMs]);
  if (before && before.createdMs <= (toMs ?? Number.MAX_SAFE_INTEGER))
    parts.push([`${PLACE} < (?, ?, ?)`, before.createdMs, before.txId, before.seq]);
  else if (toMs !== undefined) parts.push(['created_ms <= ?', toMs]);
  return { where: parts.map(([text]) => ` AND ${text}`).join(''), values: parts.flatMap(([, ...values]) => values) };
}

/**
 * Out of and into the account, each side read along its index only as far as is asked for, and one line further to know
 * whether more follow.
 */
async function historyOf(raw: Raw, account: Account, query: HistoryQuery): Promise<HistoryPage> {
  const { where, values } = conditions(query);
  const sides = SIDES.filter(({ direction }) => !query.direction || query.direction === direction);
  const dir = query.after ? 'ASC' : 'DESC';
  const limit = query.limit + 1;
  const parts = sides.map(
    ({
      column,
      other,
      sign,
      after,
      index,
    }) => `SELECT * FROM (SELECT tx_id, seq, created_ms, ${other} AS counterpart, ${sign}amount AS amount, ${after} AS balance_after
      FROM ledger_postings${alongIndex(raw, index)} WHERE ${raw.stopCondition} AND ${column} = ?${where} ORDER BY created_ms ${dir}, tx_id ${dir}, seq ${dir} LIMIT ?) AS ${column}_side`,
  );
  const found = await raw.all<EntryRow>(
    `SELECT (${ARCHIVED}) AS archived_ms, t.id, t.kind, t.reference, t.subject, t.reason, t.actor, o.kind AS undone_kind, o.created_ms AS undone_ms,
       e.seq, e.created_ms, e.counterpart, e.amount, e.balance_after
     FROM (${parts.join(' UNION ALL ')}) AS e JOIN ledger_transactions t ON t.id = e.tx_id
     LEFT JOIN ledger_transactions o ON o.id = t.reverses
     ORDER BY e.created_ms ${dir}, e.tx_id ${dir}, e.seq ${dir} LIMIT ?`,
    [userOf(account), ...sides.flatMap(() => [account, ...values, limit]), limit],
  );
  const lines = await withArchived(raw, account, { ...query, limit }, found);
  const rows = lines.slice(0, query.limit);
  return { rows: query.after ? rows.toReversed() : rows, more: lines.length > query.limit };
}

/** When the newest transaction of a user in the archive was. */
const ARCHIVED = 'SELECT last_ms FROM ledger_blocks WHERE user_id = ? ORDER BY number DESC LIMIT 1';

/** Lines of the tables, joined by those of the archive where some of them may stand among or behind these. */
async function withArchived(
  raw: Raw,
  account: Account,
  query: HistoryQuery,
  found: readonly EntryRow[],
): Promise<LedgerEntry[]> {
  const lines = found.map(toEntry);
  const archivedMs =
    found[0] === undefined
      ? (await raw.one<{ last_ms: number }>(ARCHIVED, [userOf(account)]))?.last_ms
      : found[0].archived_ms;
  const oldest = lines.at(query.after ? 0 : -1);
  const isFull = lines.length === query.limit;
  // A page is in the tables alone, unless it reaches back as far as the archive.
  if (archivedMs === undefined || archivedMs === null) return lines;
  if (isFull && oldest && oldest.createdMs > archivedMs && !query.after) return lines;
  if (Math.max(query.fromMs ?? 0, query.after?.createdMs ?? 0) > archivedMs) return lines;
  const all = [...lines, ...(await archivedLines(raw, account, query))].sort((a, b) =>
    comparePlaces(a.cursor, b.cursor),
  );
  return (query.after ? all : all.toReversed()).slice(0, query.limit);
}

interface EntryRow {
  archived_ms: number | null;
  id: string;
  kind: string;
  reference: string;
  subject: string | null;
  reason: string | null;
  actor: string | null;
  undone_kind: string | null;
  undone_ms: number | null;
  seq: number;
  created_ms: number;
  counterpart: string;
  amount: number;
  balance_after: number;
}

function toEntry(row: EntryRow): LedgerEntry {
  const { id, kind, reference, subject, counterpart, amount, reason, actor } = row;
  const undoes =
    row.undone_kind !== null && row.undone_ms !== null ? { kind: row.undone_kind, createdMs: row.undone_ms } : null;
  const cursor = { createdMs: row.created_ms, txId: id, seq: row.seq };
  return {
    id,
    cursor,
    kind,
    reference,
    subject,
    counterpart,
    amount,
    balanceAfter: row.balance_after,
    createdMs: row.created_ms,
    reason,
    actor,
    undoes,
  };
}

/**
 * Today's balance minus what moved after each moment: one walk along the index, whatever the number of moments. What is
 * not posted yet moved when its first part came.
 */
async function balancesAt(raw: Raw, account: Account, moments: readonly number[]): Promise<number[]> {
  const [first] = moments;
  if (first === undefined) return [];
  const rows = await raw.all<{ moment: number; delta: number }>(
    `SELECT ${momentOf(moments.length)} AS moment, CAST(SUM(delta) AS BIGINT) AS delta FROM (
       SELECT created_ms, -amount AS delta FROM ledger_postings${alongIndex(raw, 'ledger_postings_source')} WHERE source = ? AND created_ms > ?
       UNION ALL SELECT created_ms, amount AS delta FROM ledger_postings${alongIndex(raw, 'ledger_postings_destination')} WHERE destination = ? AND created_ms > ?
       UNION ALL SELECT started_ms AS created_ms, amount AS delta FROM ledger_accruals WHERE account = ? AND started_ms > ?
     ) AS moved GROUP BY 1
     UNION ALL SELECT ${ARCHIVED_TOO} AS moment, COUNT(*) AS delta FROM ledger_blocks WHERE user_id = ? AND last_ms > ? HAVING COUNT(*) > 0`,
    [...moments.slice(1), account, first, account, first, account, first, userOf(account), first],
  );
  const movedIn = new Map(rows.map(({ moment, delta }) => [moment, delta]));
  if (movedIn.has(ARCHIVED_TOO))
    for (const { createdMs, delta } of await archivedMoves(raw, account, first)) {
      const moment = moments.findLastIndex((ms) => ms < createdMs);
      movedIn.set(moment, (movedIn.get(moment) ?? 0) + delta);
    }
  let balance = await balanceOf(raw, account);
  const answer: number[] = [];
  for (let index = moments.length - 1; index >= 0; index -= 1) {
    balance -= movedIn.get(index) ?? 0;
    answer.unshift(balance);
  }
  return answer;
}

/** In the place of a moment: the archive reaches into the time that was asked for. */
const ARCHIVED_TOO = -1;

/** SQL that gives the index of the last moment before a posting. Moments after the first are bound in order. */
function momentOf(count: number): string {
  if (count === 1) return '0';
  const cases = Array.from({ length: count - 1 }, (_, index) => `WHEN created_ms <= ? THEN ${index}`);
  return `CASE ${cases.join(' ')} ELSE ${count - 1} END`;
}
