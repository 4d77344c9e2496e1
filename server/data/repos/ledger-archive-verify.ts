import type { Raw } from '#server/data/raw.ts';
import { archiveState, stayedSql } from '#server/data/repos/ledger-archive.ts';
import {
  referenceKey,
  sealOf,
  sumsOf,
  unpackBlock,
  userOf,
  type ArchivedTransaction,
  type BlockRow,
} from '#server/data/repos/ledger-blocks.ts';
import type { ArchiveProof, LedgerFault } from '#server/modules/ledger/ports.ts';

type Found = Omit<LedgerFault, 'proof'>;
/** A block with what stayed in the tables up to it (`stayedSql`). */
type Read = BlockRow & { readonly stayed: number };

/**
 * Blocks that are proven at a time: few enough that they are unpacked within some milliseconds, since that is done on
 * the thread that answers everybody; each question about them is asked once for all of them.
 */
const STEP = 20;
/** Keys that one question looks up: of 20 blocks with ten transactions. */
const KEYS = 200;

/** The archive as nothing of it is proven yet. */
const BEGINNING: ArchiveProof = {
  userId: '',
  archived: null,
  hasGrown: false,
  system: new Map(),
  transactions: 0,
  found: 0,
};

/**
 * Proves a part of the archive from its content: every block is sealed behind the one before it, holds what its row
 * says, and its references are refused; all blocks of an account make the archived sum. In: how far it is, null at the
 * beginning; `size`: blocks of a part, and all others of its last user. Out: faults, at most `most` over all parts, and
 * how to go on; null at the end. What the system's accounts have, and how many transactions there are, is known at the
 * end alone, and compared where nothing was archived between two parts.
 */
export async function verifyArchivePart(
  raw: Raw,
  begun: ArchiveProof | null,
  { most, size }: { readonly most: number; readonly size: number },
): Promise<{ faults: Found[]; next: ArchiveProof | null }> {
  const before = begun ?? BEGINNING;
  const faults: Found[] = [];
  const left = most - before.found;
  const { transactions: archived } = await archiveState(raw);
  const hasGrown = before.hasGrown || archived !== (before.archived ?? archived);
  const walk = walkFrom(before);
  while (faults.length < left) {
    const blocks = await nextBlocks(raw, walk);
    const { whole, references, isEnough } = readBlocks(walk, blocks, size, faults);
    const isEnd = blocks.length < STEP && !isEnough;
    if (isEnd) whole.push(...walk.own, ...(hasGrown ? [] : walk.system));
    faults.push(...(await compareReferences(raw, references)), ...(await compareSums(raw, whole)));
    const found = before.found + faults.length;
    if (isEnough && found < most) {
      const { last, system, transactions } = walk;
      return { faults, next: { userId: last.user_id, archived, hasGrown, system, transactions, found } };
    }
    if (!isEnd) continue;
    if (!hasGrown) faults.push(...(await compareCounts(raw, archived, walk.transactions)));
    break;
  }
  return { faults: faults.slice(0, left), next: null };
}

/** How far the blocks of a part are read. */
interface Walk {
  /** The block that was read last; blocks behind it are next. */
  last: Before;
  /** Sums of the system's accounts over all blocks, and of the accounts of the user whose blocks are read. */
  readonly system: Map<string, number>;
  readonly own: Map<string, number>;
  /** Blocks of this part, and transactions of all parts. */
  blocks: number;
  transactions: number;
}

/** A part begins behind all blocks of the user whose were proven last. */
const walkFrom = ({ userId, system, transactions }: ArchiveProof): Walk => ({
  last: { ...NO_BLOCK, user_id: userId, number: Number.MAX_SAFE_INTEGER },
  system: new Map(system),
  own: new Map(),
  blocks: 0,
  transactions,
});

const nextBlocks = (raw: Raw, { last }: Walk): Promise<Read[]> =>
  raw.all<Read>(
    `SELECT b.*, ${stayedSql(raw)} AS stayed FROM ledger_blocks b
     WHERE ${raw.stopCondition} AND (b.user_id, b.number) > (?, ?)
     ORDER BY b.user_id, b.number LIMIT ?`,
    [last.user_id, last.number, STEP],
  );

/**
 * Goes on by some blocks, up to the first of another user once `size` of them are read; their faults are added. Out:
 * sums of users all of whose blocks are read, references with their blocks, and whether the part is long enough.
 */
function readBlocks(walk: Walk, blocks: readonly Read[], size: number, faults: Found[]) {
  const whole: [string, number][] = [];
  const references = new Map<string, Read>();
  for (const block of blocks) {
    if (block.user_id !== walk.last.user_id) {
      whole.push(...walk.own);
      walk.own.clear();
      if (walk.blocks >= size) return { whole, references, isEnough: true };
      walk.last = { ...NO_BLOCK, user_id: block.user_id };
    }
    const content = contentOf(block, walk.last, faults);
    for (const { reference } of content) references.set(referenceKey(reference), block);
    for (const [account, credits] of sumsOf(content)) {
      const sums = userOf(account) === null ? walk.system : walk.own;
      sums.set(account, (sums.get(account) ?? 0) + credits);
    }
    walk.transactions += content.length;
    walk.blocks += 1;
    const { user_id, number, hash } = block;
    walk.last = { user_id, number, hash, credits: walk.last.credits + block.credits };
  }
  return { whole, references, isEnough: false };
}

/** What is known of a user's blocks up to one: its number and seal, and the credits of all of them. */
type Before = Pick<BlockRow, 'user_id' | 'number' | 'hash' | 'credits'>;
const NO_BLOCK: Before = { user_id: '', number: 0, hash: '', credits: 0 };

const ofBlock = ({ id, user_id: userId }: BlockRow, text: string, stored?: number, expected?: number): Found => ({
  account: `user:${userId}`,
  id: String(id),
  stored: stored ?? null,
  expected: expected ?? null,
  text: `block ${id} of user:${userId} ${text}`,
});

/** What a block holds, with its faults added to the others; nothing where it cannot be read. */
function contentOf(block: Read, before: Before, faults: Found[]): readonly ArchivedTransaction[] {
  const fault = (text: string, stored?: number, expected?: number) =>
    faults.push(ofBlock(block, text, stored, expected));
  if (block.number !== before.number + 1) fault(`is number ${block.number} behind ${before.number}`);
  if (sealOf(block, before.hash) !== block.hash) fault('was altered: its seal does not hold');
  let content: readonly ArchivedTransaction[];
  try {
    content = unpackBlock(block.detail);
  } catch {
    fault('cannot be read');
    return [];
  }
  const credits = sumsOf(content).get(`user:${block.user_id}`) ?? 0;
  if (credits !== block.credits)
    fault(`says ${block.credits} but its postings make ${credits}`, block.credits, credits);
  if (content.length !== block.transactions)
    fault(`says ${block.transactions} transactions but holds ${content.length}`);
  const balance = before.credits + block.credits + block.stayed;
  if (balance !== block.balance)
    fault(`says a balance of ${block.balance} but it was ${balance}`, block.balance, balance);
  return content;
}

/** Rows of some keys. In: the SQL up to its list of keys, which is always as long, so that it is always the same. */
async function lookUp<T>(raw: Raw, sql: string, keys: readonly string[]): Promise<T[]> {
  const rows: T[] = [];
  for (let at = 0; at < keys.length; at += KEYS) {
    const some = keys.slice(at, at + KEYS);
    const padded = [...some, ...Array<string>(KEYS - some.length).fill('')];
    rows.push(...(await raw.all<T>(`${sql} (${padded.map(() => '?').join(', ')})`, padded)));
  }
  return rows;
}

/** Faults of blocks with references that could be used again. In: the block of each key. */
async function compareReferences(raw: Raw, blocks: ReadonlyMap<string, BlockRow>): Promise<Found[]> {
  const rows = await lookUp<{ key: string; block: number }>(
    raw,
    'SELECT key, block FROM ledger_archived_references WHERE key IN',
    [...blocks.keys()],
  );
  const refused = new Map(rows.map(({ key, block }) => [key, block]));
  const open = new Set([...blocks].filter(([key, { id }]) => refused.get(key) !== id).map(([, block]) => block));
  return [...open].map((block) => ofBlock(block, 'has references that are not refused any more'));
}

/** Faults where accounts have other sums than their blocks make. In: what all blocks of each make. */
async function compareSums(raw: Raw, sums: readonly [string, number][]): Promise<Found[]> {
  const rows = await lookUp<{ account: string; credits: number }>(
    raw,
    'SELECT account, credits FROM ledger_archived_sums WHERE account IN',
    sums.map(([account]) => account),
  );
  const archived = new Map(rows.map(({ account, credits }) => [account, credits]));
  return sums.flatMap(([account, expected]) => {
    const stored = archived.get(account) ?? 0;
    if (stored === expected) return [];
    const text = `${account} has archived ${stored} but its blocks make ${expected}`;
    return [{ account, id: null, stored, expected, text }];
  });
}

/** A fault where the archive says or refuses more or fewer transactions than its blocks hold. */
async function compareCounts(raw: Raw, archived: number, expected: number): Promise<Found[]> {
  const row = await raw.one<{ kept: number }>(
    `SELECT COUNT(*) AS kept FROM ledger_archived_references WHERE ${raw.stopCondition}`,
  );
  const stored = row?.kept ?? 0;
  if (archived === expected && stored === expected) return [];
  const said = `the archive says ${archived} transactions and knows ${stored} references`;
  const text = `${said}, but its blocks hold ${expected}`;
  return [{ account: null, id: null, stored, expected, text }];
}
