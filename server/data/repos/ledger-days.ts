import type { Raw } from '#server/data/raw.ts';
import { shardOf } from '#server/data/shards.ts';
import type { NewTransaction } from '#server/modules/ledger/ports.ts';
import { dayIn } from '#shared/time.ts';

const ADD = 'INSERT INTO ledger_days (day, account, kind, shard, minted, burnt, moved, other, moves) VALUES ';
const ON_CONFLICT = `
  ON CONFLICT (day, account, kind, shard) DO UPDATE SET minted = ledger_days.minted + excluded.minted, burnt = ledger_days.burnt + excluded.burnt,
    moved = ledger_days.moved + excluded.moved, other = ledger_days.other + excluded.other, moves = ledger_days.moves + excluded.moves`;

interface Sums {
  minted: number;
  burnt: number;
  moved: number;
  other: number;
  /** Postings. */
  moves: number;
}

/** The account that a side is summed under: system accounts by name, all debts together, and '' for what users have. */
function outside(account: string): string {
  if (account.startsWith('system:')) return account;
  return account.startsWith('debt:') ? 'debt' : '';
}

/** What a transaction adds to the sums of its day, by account (the table's own words: migration 0015). */
function daySums({ postings }: Pick<NewTransaction, 'postings'>): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  const add = (account: string, column: 'minted' | 'burnt' | 'moved' | 'other', amount: number): void => {
    const known = sums.get(account) ?? { minted: 0, burnt: 0, moved: 0, other: 0, moves: 0 };
    known[column] += amount;
    known.moves += 1;
    sums.set(account, known);
  };
  for (const { source, destination, amount } of postings) {
    const [from, to] = [outside(source), outside(destination)];
    if (from === to) {
      // Between two users, but not into or out of somebody's own reserve (`user:` and `hold:` are of one length).
      if (from === '' && source.slice(5) !== destination.slice(5)) add('users', 'moved', amount);
    } else if (to === '') add(from, 'minted', amount);
    else if (from === '') add(to, 'burnt', amount);
    else {
      add(from, 'other', -amount);
      add(to, 'other', amount);
    }
  }
  return sums;
}

/**
 * Counts a transaction into the sums of its day, in the transaction that books it. Rows in a fixed order, and last:
 * they are shared by all.
 */
export async function countDay(raw: Raw, transaction: NewTransaction): Promise<void> {
  const sums = daySums(transaction);
  if (sums.size === 0) return;
  const day = transaction.day ?? dayIn(transaction.createdMs, 'UTC');
  // Accounts of the system, the debts and the users: few, however many postings there are.
  const row = `(?, ?, ?, ${shardOf(raw.dialect)}, ?, ?, ?, ?, ?)`;
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
  await raw.run(
    ADD + Array(rows.length).fill(row).join(', ') + ON_CONFLICT,
    rows.flatMap(([account, { minted, burnt, moved, other, moves }]) => [
      day,
      account,
      transaction.kind,
      minted,
      burnt,
      moved,
      other,
      moves,
    ]),
  );
}
