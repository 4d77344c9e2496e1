import { alongIndex, type Param, type Raw } from '#server/data/raw.ts';
import { lockBalances } from '#server/data/repos/ledger-append.ts';
import {
  packBlock,
  referenceKey,
  sealOf,
  sumsOf,
  unpackBlock,
  type ArchivedPosting,
  type ArchivedTransaction,
  type BlockRow,
} from '#server/data/repos/ledger-blocks.ts';
import type { Account, ArchiveState, LedgerArchiveRepo } from '#server/modules/ledger/ports.ts';

/** Transactions in a block at most: a page of a statement unpacks one or two. */
const BLOCK = 128;
/**
 * Those that move at a time: 70 µs each, in which nobody else is answered, and 0.7 ms where their pages come from the
 * disk (decision 087).
 */
const SLICE = 24;
/** Rows a statement adds at most. */
const ROWS_MAX = 50;
/** Kinds that are asked for by id or by the beginning of their reference, however old they are (decision 124). */
const STAYING = "('import', 'reversal')";

const marks = (count: number, mark = '?') => Array(count).fill(mark).join(', ');
const accountsOf = (userId: string) => [`user:${userId}`, `debt:${userId}`, `hold:${userId}`] as const;
const SIDES = ['source', 'destination'] as const;

/** The archive of the ledger (decision 124). */
export function createLedgerArchiveRepo(raw: Raw): LedgerArchiveRepo {
  return {
    state: () => archiveState(raw),
    saveState: async ({ passMs, after, doneMs }) => {
      await raw.run('UPDATE ledger_archive SET pass_ms = ?, after = ?, done_ms = ?', [passMs, after, doneMs]);
    },
    async findOld(after, beforeMs, limit) {
      const rows = await raw.all<{ account: string; old: number }>(oldSql(raw), [
        ...Array<Param>(6).fill(beforeMs),
        after,
        limit,
      ]);
      return {
        userIds: rows.filter(({ old }) => old === 1).map(({ account }) => account.slice(5)),
        last: rows.length < limit ? null : (rows.at(-1)?.account ?? null),
      };
    },
    archive: (userId, beforeMs) => archiveSlice(raw, userId, beforeMs),
  };
}

interface StateRow {
  pass_ms: number;
  after: string;
  done_ms: number;
  blocks: number;
  transactions: number;
}
/** How far the archive is. Throws where its one row is gone. */
export async function archiveState(raw: Raw): Promise<ArchiveState> {
  const row = await raw.one<StateRow>('SELECT pass_ms, after, done_ms, blocks, transactions FROM ledger_archive');
  if (!row) throw new Error('the archive of the ledger has no row');
  const { pass_ms: passMs, after, done_ms: doneMs, blocks, transactions } = row;
  return { passMs, after, doneMs, blocks, transactions };
}

/** Wallets behind one, each with whether its user has postings that are old and in no block: along the indexes. */
function oldSql(raw: Raw): string {
  const old = SIDES.flatMap((side) =>
    ['user:', 'debt:', 'hold:'].map(
      (prefix) => `EXISTS (SELECT 1 FROM ledger_postings${alongIndex(raw, `ledger_postings_${side}`)}
        WHERE ${side} = '${prefix}' || substr(w.account, 6) AND created_ms >= w.archived_ms AND created_ms < ?)`,
    ),
  );
  return `SELECT w.account, CASE WHEN ${old.join(' OR ')} THEN 1 ELSE 0 END AS old FROM (
      SELECT account, COALESCE((SELECT last_ms FROM ledger_blocks WHERE user_id = substr(account, 6) ORDER BY number DESC LIMIT 1), 0) AS archived_ms
      FROM ledger_balances WHERE account > ? AND account >= 'user:' AND account < 'user;' ORDER BY account LIMIT ?) AS w ORDER BY w.account`;
}

/**
 * Moves the oldest transactions of a user that are older than a moment out of the tables: as many as fit into the
 * newest block, or a new one where that is full. Out: how many, and whether there may be more.
 */
async function archiveSlice(raw: Raw, userId: string, beforeMs: number): Promise<{ moved: number; more: boolean }> {
  // Opens the tables for the deletion, and makes a second archive wait until this one has committed.
  await raw.run('UPDATE ledger_archive SET moving = 1');
  // On PostgreSQL: who moves this user's credits meanwhile waits, and sees the references in the archive afterwards.
  if (raw.dialect === 'postgres') await lockBalances(raw, accountsOf(userId));
  const newest = await raw.one<BlockRow>('SELECT * FROM ledger_blocks WHERE user_id = ? ORDER BY number DESC LIMIT 1', [
    userId,
  ]);
  const room = newest && newest.transactions < BLOCK ? BLOCK - newest.transactions : BLOCK;
  const most = Math.min(room, SLICE);
  const ids = await findArchivable(raw, userId, newest, beforeMs, most);
  if (ids.length > 0) await move(raw, userId, newest, await readTransactions(raw, ids));
  await raw.run('UPDATE ledger_archive SET moving = 0');
  return { moved: ids.length, more: ids.length === most };
}

/**
 * Ids of a user's oldest transactions behind the newest block, in the order of a statement. What names a second user
 * stays (it stands in two statements), and so does what takes something back or was taken back.
 */
export async function findArchivable(
  raw: Raw,
  userId: string,
  newest: BlockRow | undefined,
  beforeMs: number,
  limit: number,
): Promise<string[]> {
  const place: Param[] = [newest?.last_ms ?? -1, newest?.last_id ?? '', beforeMs];
  const foreign = (side: string) => `(substr(o.${side}, 1, 7) <> 'system:' AND substr(o.${side}, 6) <> ?)`;
  const parts = SIDES.flatMap((side) =>
    accountsOf(userId).map((account) => ({
      sql: `SELECT * FROM (SELECT DISTINCT created_ms, tx_id FROM ledger_postings p${alongIndex(raw, `ledger_postings_${side}`)}
        WHERE ${side} = ? AND (created_ms, tx_id) > (?, ?) AND created_ms < ? AND kind NOT IN ${STAYING}
          AND NOT EXISTS (SELECT 1 FROM ledger_postings o WHERE o.tx_id = p.tx_id AND (${SIDES.map(foreign).join(' OR ')}))
          AND NOT EXISTS (SELECT 1 FROM ledger_transactions back WHERE back.reverses = p.tx_id)
        ORDER BY created_ms, tx_id LIMIT ?) AS ${side}_side`,
      values: [account, ...place, userId, userId, limit] as Param[],
    })),
  );
  const rows = await raw.all<{ tx_id: string }>(
    `${parts.map(({ sql }) => sql).join(' UNION ')} ORDER BY created_ms, tx_id LIMIT ?`,
    [...parts.flatMap(({ values }) => values), limit],
  );
  return rows.map(({ tx_id: id }) => id);
}

type JoinedRow = Omit<ArchivedTransaction, 'createdMs' | 'postings'> & {
  created_ms: number;
  seq: number;
  source: Account;
  destination: Account;
  amount: number;
  source_after: number;
  destination_after: number;
};

async function readTransactions(raw: Raw, ids: readonly string[]): Promise<ArchivedTransaction[]> {
  const rows = await raw.all<JoinedRow>(
    `SELECT t.id, t.kind, t.reference, t.subject, t.actor, t.reason, t.created_ms, p.seq, p.source, p.destination, p.amount, p.source_after, p.destination_after
     FROM ledger_transactions t JOIN ledger_postings p ON p.tx_id = t.id WHERE t.id IN (${marks(ids.length)}) ORDER BY t.created_ms, t.id, p.seq`,
    ids,
  );
  const found = new Map<string, ArchivedTransaction & { postings: ArchivedPosting[] }>();
  for (const { created_ms: createdMs, seq, source, destination, amount, ...row } of rows) {
    const { source_after: sourceAfter, destination_after: destinationAfter, ...facts } = row;
    const transaction = found.get(facts.id) ?? { ...facts, createdMs, postings: [] };
    transaction.postings.push({ seq, source, destination, amount, sourceAfter, destinationAfter });
    found.set(facts.id, transaction);
  }
  return [...found.values()];
}

/** Writes transactions into the newest block or a new one, and takes their rows away. All or nothing. */
async function move(
  raw: Raw,
  userId: string,
  newest: BlockRow | undefined,
  transactions: readonly ArchivedTransaction[],
): Promise<void> {
  const block = await writeBlock(raw, userId, newest, transactions);
  for (let at = 0; at < transactions.length; at += ROWS_MAX) {
    const some = transactions.slice(at, at + ROWS_MAX);
    await raw.run(
      `INSERT INTO ledger_archived_references (key, block) VALUES ${marks(some.length, '(?, ?)')}`,
      some.flatMap(({ reference }) => [referenceKey(reference), block.id]),
    );
  }
  const sums = [...sumsOf(transactions)].sort(([a], [b]) => (a < b ? -1 : 1));
  await raw.run(
    `INSERT INTO ledger_archived_sums (account, credits) VALUES ${marks(sums.length, '(?, ?)')}
     ON CONFLICT (account) DO UPDATE SET credits = ledger_archived_sums.credits + excluded.credits`,
    sums.flat(),
  );
  const ids = transactions.map(({ id }) => id);
  const postings = transactions.reduce((sum, each) => sum + each.postings.length, 0);
  await removeRows(raw, 'DELETE FROM ledger_postings WHERE tx_id IN', ids, postings);
  await removeRows(raw, 'DELETE FROM ledger_transactions WHERE id IN', ids, ids.length);
  const balance = await balanceAfter(raw, block);
  await raw.run('UPDATE ledger_blocks SET balance = ?, hash = ? WHERE id = ?', [
    balance,
    sealOf({ ...block, balance }, block.before),
    block.id,
  ]);
  await raw.run('UPDATE ledger_archive SET blocks = blocks + ?, transactions = transactions + ?', [
    block.isNew ? 1 : 0,
    ids.length,
  ]);
}

async function removeRows(raw: Raw, sql: string, ids: readonly string[], expected: number): Promise<void> {
  const { changes } = await raw.run(`${sql} (${marks(ids.length)})`, ids);
  if (changes !== expected) throw new Error(`the archive read ${expected} rows and would have deleted ${changes}`);
}

/** Adds to the newest block while it has room, else begins the next. Out: what is written, not sealed yet. */
async function writeBlock(
  raw: Raw,
  userId: string,
  newest: BlockRow | undefined,
  added: readonly ArchivedTransaction[],
): Promise<Omit<BlockRow, 'hash'> & { before: string; isNew: boolean }> {
  const grown = newest && newest.transactions < BLOCK ? newest : null;
  const before = grown ? await sealBefore(raw, grown) : (newest?.hash ?? '');
  // What was altered is not sealed anew.
  if (grown && sealOf(grown, before) !== grown.hash) throw new Error(`block ${grown.id} of the archive was altered`);
  const transactions = [...(grown ? unpackBlock(grown.detail) : []), ...added];
  const [first, last] = [transactions[0], transactions.at(-1)];
  if (!first || !last) throw new Error('a block without transactions');
  const block = {
    id: grown?.id ?? (await nextId(raw)),
    user_id: userId,
    number: grown?.number ?? (newest?.number ?? 0) + 1,
    first_ms: first.createdMs,
    last_ms: last.createdMs,
    last_id: last.id,
    transactions: transactions.length,
    credits: sumsOf(transactions).get(`user:${userId}`) ?? 0,
    balance: 0,
    detail: packBlock(transactions),
  };
  if (grown)
    await raw.run(
      'UPDATE ledger_blocks SET last_ms = ?, last_id = ?, transactions = ?, credits = ?, detail = ? WHERE id = ?',
      [block.last_ms, block.last_id, block.transactions, block.credits, block.detail, block.id],
    );
  else
    await raw.run(
      `INSERT INTO ledger_blocks (id, user_id, number, first_ms, last_ms, last_id, transactions, credits, balance, detail, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')`,
      Object.values(block),
    );
  return { ...block, before, isNew: grown === null };
}

async function nextId(raw: Raw): Promise<number> {
  return (await archiveState(raw)).blocks + 1;
}

/** The seal of the block before one of the same user; '' for the first. */
async function sealBefore(raw: Raw, { user_id: userId, number }: BlockRow): Promise<string> {
  const row = await raw.one<Pick<BlockRow, 'hash'>>('SELECT hash FROM ledger_blocks WHERE user_id = ? AND number = ?', [
    userId,
    number - 1,
  ]);
  return row?.hash ?? '';
}

/**
 * SQL for what postings that stayed in the tables moved into the wallet of a block `b` up to its newest transaction:
 * credits, below zero where they moved out of it.
 */
export function stayedSql(raw: Raw): string {
  const side = (column: (typeof SIDES)[number]) =>
    `(SELECT COALESCE(SUM(amount), 0) FROM ledger_postings${alongIndex(raw, `ledger_postings_${column}`)}
       WHERE ${column} = 'user:' || b.user_id AND (created_ms, tx_id) <= (b.last_ms, b.last_id))`;
  return `CAST(${side('destination')} - ${side('source')} AS BIGINT)`;
}

/** The balance of the wallet after a block, as its blocks and what stayed in the tables up to there make it. */
export async function balanceAfter(raw: Raw, { id }: Pick<BlockRow, 'id'>): Promise<number> {
  const row = await raw.one<{ balance: number }>(
    `SELECT CAST((
       SELECT SUM(credits) FROM ledger_blocks WHERE user_id = b.user_id AND number <= b.number
     ) AS BIGINT) + ${stayedSql(raw)} AS balance FROM ledger_blocks b WHERE b.id = ?`,
    [id],
  );
  return row?.balance ?? 0;
}
