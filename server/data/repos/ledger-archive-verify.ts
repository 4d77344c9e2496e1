import type { Raw } from '#server/data/raw.ts';
import { balanceAfter } from '#server/data/repos/ledger-archive.ts';
import {
  referenceKey,
  sealOf,
  sumsOf,
  unpackBlock,
  userOf,
  type ArchivedTransaction,
  type BlockRow,
} from '#server/data/repos/ledger-blocks.ts';
import type { LedgerFault } from '#server/modules/ledger/ports.ts';

type Found = Omit<LedgerFault, 'proof'>;

/** Blocks that one question reads. */
const STEP = 50;

/**
 * Proves the archive from its content: every block is sealed behind the one before it, holds what its row says, and its
 * references are refused; all blocks of an account make the archived sum. Out: faults, at most `most`.
 */
export async function verifyArchive(raw: Raw, most: number): Promise<Found[]> {
  const faults: Found[] = [];
  /** Of the system's accounts over all blocks, and of the user whose blocks are read. */
  const [system, own] = [new Map<string, number>(), new Map<string, number>()];
  let last: Pick<BlockRow, 'user_id' | 'number' | 'hash'> = { user_id: '', number: 0, hash: '' };
  let transactions = 0;
  while (faults.length < most) {
    const blocks = await raw.all<BlockRow>(
      `SELECT * FROM ledger_blocks WHERE ${raw.stopCondition} AND (user_id, number) > (?, ?) ORDER BY user_id, number LIMIT ?`,
      [last.user_id, last.number, STEP],
    );
    for (const block of blocks) {
      if (block.user_id !== last.user_id) {
        faults.push(...(await compareSums(raw, own)));
        own.clear();
        last = { user_id: block.user_id, number: 0, hash: '' };
      }
      const content = await contentOf(raw, block, last, faults);
      for (const [account, credits] of sumsOf(content)) {
        const sums = userOf(account) === null ? system : own;
        sums.set(account, (sums.get(account) ?? 0) + credits);
      }
      transactions += content.length;
      last = block;
    }
    if (blocks.length === STEP) continue;
    faults.push(...(await compareSums(raw, own)), ...(await compareSums(raw, system)));
    faults.push(...(await compareCounts(raw, transactions)));
    break;
  }
  return faults.slice(0, most);
}

/** What a block holds, with its faults added to the others; nothing where it cannot be read. */
async function contentOf(
  raw: Raw,
  block: BlockRow,
  before: Pick<BlockRow, 'number' | 'hash'>,
  faults: Found[],
): Promise<readonly ArchivedTransaction[]> {
  const account = `user:${block.user_id}`;
  const fault = (text: string, stored: number | null = null, expected: number | null = null) =>
    faults.push({ account, id: String(block.id), stored, expected, text: `block ${block.id} of ${account} ${text}` });
  if (block.number !== before.number + 1) fault(`is number ${block.number} behind ${before.number}`);
  if (sealOf(block, before.hash) !== block.hash) fault('was altered: its seal does not hold');
  let content: readonly ArchivedTransaction[];
  try {
    content = unpackBlock(block.detail);
  } catch {
    fault('cannot be read');
    return [];
  }
  const credits = sumsOf(content).get(account) ?? 0;
  if (credits !== block.credits)
    fault(`says ${block.credits} but its postings make ${credits}`, block.credits, credits);
  if (content.length !== block.transactions)
    fault(`says ${block.transactions} transactions but holds ${content.length}`);
  const balance = await balanceAfter(raw, block);
  if (balance !== block.balance)
    fault(`says a balance of ${block.balance} but it was ${balance}`, block.balance, balance);
  const keys = content.map(({ reference }) => referenceKey(reference));
  const known = await raw.one<{ n: number }>(
    `SELECT COUNT(*) AS n FROM ledger_archived_references WHERE key IN (${keys.map(() => '?').join(', ')}) AND block = ?`,
    [...keys, block.id],
  );
  if (known?.n !== keys.length) fault('has references that are not refused any more');
  return content;
}

/** Faults where accounts have other sums than their blocks make. */
async function compareSums(raw: Raw, sums: ReadonlyMap<string, number>): Promise<Found[]> {
  const faults: Found[] = [];
  for (const [account, expected] of sums) {
    const row = await raw.one<{ credits: number }>('SELECT credits FROM ledger_archived_sums WHERE account = ?', [
      account,
    ]);
    const stored = row?.credits ?? 0;
    if (stored === expected) continue;
    const text = `${account} has archived ${stored} but its blocks make ${expected}`;
    faults.push({ account, id: null, stored, expected, text });
  }
  return faults;
}

/** A fault where references or the count of transactions are more or fewer than the blocks hold. */
async function compareCounts(raw: Raw, expected: number): Promise<Found[]> {
  const row = await raw.one<{ counted: number; kept: number }>(
    `SELECT transactions AS counted, (SELECT COUNT(*) FROM ledger_archived_references WHERE ${raw.stopCondition}) AS kept FROM ledger_archive`,
  );
  if (row?.counted === expected && row.kept === expected) return [];
  const stored = row?.kept ?? 0;
  const text = `the archive says ${row?.counted} transactions and knows ${stored} references, but its blocks hold ${expected}`;
  return [{ account: null, id: null, stored, expected, text }];
}
