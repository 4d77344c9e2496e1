import { createHash } from 'node:crypto';
import type { Param, Raw } from '#server/data/raw.ts';
import type { Account, HistoryQuery, LedgerCursor, LedgerEntry, NewTransaction } from '#server/modules/ledger/ports.ts';
import { toCredits } from '#shared/credits.ts';

/** A posting with its place in its transaction and the balances after it, as its row was. */
export interface ArchivedPosting {
  readonly seq: number;
  readonly source: Account;
  readonly destination: Account;
  readonly amount: number;
  readonly sourceAfter: number;
  readonly destinationAfter: number;
}
/** A transaction as a block holds it: everything its rows said. */
export interface ArchivedTransaction {
  readonly id: string;
  readonly kind: string;
  readonly reference: string;
  readonly subject: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly createdMs: number;
  readonly postings: readonly ArchivedPosting[];
}
/** A block as its row has it. */
export interface BlockRow {
  readonly id: number;
  readonly user_id: string;
  readonly number: number;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly last_id: string;
  readonly transactions: number;
  readonly credits: number;
  readonly balance: number;
  readonly detail: string;
  readonly hash: string;
}

type Detail = [
  id: string,
  kind: string,
  reference: string,
  subject: string | null,
  actor: string | null,
  reason: string | null,
  createdMs: number,
  postings: [number, Account, Account, number, number, number][],
][];

/** Small enough to be made and read within a fraction of a millisecond, dense enough: higher levels save 1 %. */
const LEVEL = 9;

/** The content of a block, oldest first, compressed, as text (backups know texts and numbers alone). */
export function packBlock(transactions: readonly ArchivedTransaction[]): string {
  const detail: Detail = transactions.map(({ id, kind, reference, subject, actor, reason, createdMs, postings }) => [
    id,
    kind,
    reference,
    subject,
    actor,
    reason,
    createdMs,
    postings.map((each) => [
      each.seq,
      each.source,
      each.destination,
      each.amount,
      each.sourceAfter,
      each.destinationAfter,
    ]),
  ]);
  return Buffer.from(Bun.zstdCompressSync(JSON.stringify(detail), { level: LEVEL })).toString('base64');
}

/** What a block holds, oldest first. Throws where it was damaged. */
export function unpackBlock(detail: string): ArchivedTransaction[] {
  const rows = JSON.parse(Buffer.from(Bun.zstdDecompressSync(Buffer.from(detail, 'base64'))).toString()) as Detail;
  return rows.map(([id, kind, reference, subject, actor, reason, createdMs, postings]) => ({
    id,
    kind,
    reference,
    subject,
    actor,
    reason,
    createdMs,
    postings: postings.map(([seq, source, destination, amount, sourceAfter, destinationAfter]) => ({
      seq,
      source,
      destination,
      amount,
      sourceAfter,
      destinationAfter,
    })),
  }));
}

/** What seals a block: a hash of all it says, and of the block of the same user before it ('' for the first). */
export function sealOf(block: Omit<BlockRow, 'hash'>, before: string): string {
  const { id, user_id: userId, number, first_ms: firstMs, last_ms: lastMs, last_id: lastId, transactions } = block;
  const facts = [before, id, userId, number, firstMs, lastMs, lastId, transactions, block.credits, block.balance];
  return createHash('sha256')
    .update(`${JSON.stringify(facts)}\n${block.detail}`)
    .digest('base64url');
}

/** What stands for an archived reference: 120 bits of its hash, so that no two ever are the same. */
export const referenceKey = (reference: string): string =>
  createHash('sha256').update(reference).digest('base64url').slice(0, 20);

/** Whose an account is; null for one of the system. */
export const userOf = (account: string): string | null => (account.startsWith('system:') ? null : account.slice(5));

/** What postings come to, by account. */
export function sumsOf(transactions: readonly ArchivedTransaction[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { source, destination, amount } of transactions.flatMap(({ postings }) => postings)) {
    sums.set(source, (sums.get(source) ?? 0) - amount);
    sums.set(destination, (sums.get(destination) ?? 0) + amount);
  }
  return sums;
}

/** An archived transaction as the ledger knows transactions. */
const toTransaction = ({ postings, ...rest }: ArchivedTransaction): NewTransaction => ({
  ...rest,
  reverses: null,
  postings: postings.map(({ source, destination, amount }) => ({ source, destination, amount: toCredits(amount) })),
});

/** The transaction of a reference in a block. Throws where the block holds none. */
export async function transactionInBlock(raw: Raw, block: number, reference: string): Promise<NewTransaction> {
  const row = await raw.one<Pick<BlockRow, 'detail'>>('SELECT detail FROM ledger_blocks WHERE id = ?', [block]);
  const found = row && unpackBlock(row.detail).find((transaction) => transaction.reference === reference);
  if (!found) throw new Error(`the archive's block ${block} has no ${reference}`);
  return toTransaction(found);
}

/** The lines of transactions in the statement of an account, in their order. */
function linesOf(transactions: readonly ArchivedTransaction[], account: Account): LedgerEntry[] {
  return transactions.flatMap((transaction) =>
    transaction.postings
      .filter(({ source, destination }) => source === account || destination === account)
      .map((posting): LedgerEntry => {
        const isOut = posting.source === account;
        const { postings: _, ...facts } = transaction;
        return {
          ...facts,
          cursor: { createdMs: transaction.createdMs, txId: transaction.id, seq: posting.seq },
          counterpart: isOut ? posting.destination : posting.source,
          amount: isOut ? -posting.amount : posting.amount,
          balanceAfter: isOut ? posting.sourceAfter : posting.destinationAfter,
          undoes: null,
        };
      }),
  );
}

/** The order of a statement. */
export function comparePlaces(a: LedgerCursor, b: LedgerCursor): number {
  if (a.createdMs !== b.createdMs) return a.createdMs - b.createdMs;
  if (a.txId !== b.txId) return a.txId < b.txId ? -1 : 1;
  return a.seq - b.seq;
}

/** The next line of a statement in the direction that is asked for, out of the archive. */
export async function archivedLines(raw: Raw, account: Account, query: HistoryQuery): Promise<LedgerEntry[]> {
  const { kind, direction, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, before, after } = query;
  const fits = (line: LedgerEntry): boolean =>
    (kind === undefined || line.kind === kind) &&
    (direction === undefined || line.amount < 0 === (direction === 'out')) &&
    line.createdMs >= fromMs &&
    line.createdMs <= toMs &&
    (!before || comparePlaces(line.cursor, before) < 0) &&
    (!after || comparePlaces(line.cursor, after) > 0);
  const bounds = [
    Math.max(fromMs, after?.createdMs ?? 0),
    Math.min(toMs, before?.createdMs ?? Number.MAX_SAFE_INTEGER),
  ] as const;
  const isUp = after !== undefined;
  const lines: LedgerEntry[] = [];
  for await (const block of blocksOf(raw, account, bounds, isUp)) {
    const found = linesOf(unpackBlock(block), account).filter(fits);
    lines.push(...(isUp ? found : found.toReversed()));
    if (lines.length >= query.limit) break;
  }
  return lines;
}

/** What moved in an account by archived postings since a moment: when, and how much. */
export async function archivedMoves(
  raw: Raw,
  account: Account,
  afterMs: number,
): Promise<{ createdMs: number; delta: number }[]> {
  const moves: { createdMs: number; delta: number }[] = [];
  for await (const block of blocksOf(raw, account, [afterMs, Number.MAX_SAFE_INTEGER], true))
    moves.push(
      ...linesOf(unpackBlock(block), account)
        .filter(({ createdMs }) => createdMs > afterMs)
        .map(({ createdMs, amount }) => ({ createdMs, delta: amount })),
    );
  return moves;
}

/** The content of a user's blocks that reach into a time, one at a time: the oldest first, or the newest. */
async function* blocksOf(
  raw: Raw,
  account: Account,
  [fromMs, toMs]: readonly [number, number],
  isUp: boolean,
): AsyncGenerator<string> {
  const sql = `SELECT number, detail FROM ledger_blocks WHERE user_id = ? AND number ${isUp ? '>' : '<'} ? AND last_ms >= ? AND first_ms <= ?
     ORDER BY number ${isUp ? 'ASC' : 'DESC'} LIMIT 1`;
  for (let number = isUp ? 0 : Number.MAX_SAFE_INTEGER; ;) {
    const values: Param[] = [userOf(account), number, fromMs, toMs];
    const row = await raw.one<Pick<BlockRow, 'number' | 'detail'>>(sql, values);
    if (!row) return;
    yield row.detail;
    number = row.number;
  }
}

/** Whether a user's archived transactions have a reference that begins so. */
export async function isArchivedUnder(raw: Raw, userId: string, begin: string): Promise<boolean> {
  for await (const block of blocksOf(raw, `user:${userId}`, [0, Number.MAX_SAFE_INTEGER], true))
    if (unpackBlock(block).some(({ reference }) => reference.startsWith(begin))) return true;
  return false;
}
