import type { Param, Raw } from '#server/data/raw.ts';
import { countDay } from '#server/data/repos/ledger-days.ts';
import type { Account, NewTransaction, Posting } from '#server/modules/ledger/ports.ts';
import { toCredits, MAX_CREDITS } from '#shared/credits.ts';
import { isSpending } from '#shared/ledger.ts';
import { DomainError } from '#shared/errors.ts';

const INSERT_TRANSACTION = `INSERT INTO ledger_transactions (id, kind, reference, subject, actor, reason, reverses, created_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const INSERT_POSTINGS =
  'INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind) VALUES ';
const POSTING = '(?, ?, ?, ?, ?, ?, ?, ?, ?)';
/** Most postings a statement adds; the engines bound the number of values. */
const POSTINGS_MAX = 50;
const CREDIT = `INSERT INTO ledger_balances (account, balance) VALUES (?, ?)
  ON CONFLICT (account) DO UPDATE SET balance = ledger_balances.balance + excluded.balance
  WHERE ledger_balances.balance + excluded.balance BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} RETURNING balance`;
const DEBIT =
  'UPDATE ledger_balances SET balance = balance + ? WHERE account = ? AND balance + ? >= 0 RETURNING balance';

const isSystem = (account: string) => account.startsWith('system:');
/**
 * Wallets first, by name, then system accounts: one order for all, so no two transfers wait for each other, and the
 * accounts that everybody shares are held for the shortest time.
 */
function inLockOrder(a: string, b: string): number {
  if (isSystem(a) !== isSystem(b)) return isSystem(a) ? 1 : -1;
  return a < b ? -1 : 1;
}

/**
 * Appends a transaction and moves the balances (behaviour 2). Everything that may be refused is refused before the
 * first write, so a caller who goes on after a refusal leaves nothing half done. Out: balances of all accounts it
 * touched. Throws DomainError INSUFFICIENT_CREDITS, WALLET_FULL (more than an account may hold), SPENDING_BLOCKED (the
 * user has a debt), ACCOUNT_FROZEN (a proof found a paying account wrong), DUPLICATE_REFERENCE or ALREADY_REVERSED;
 * RangeError for what is no amount.
 */
export async function appendTransaction(
  raw: Raw,
  transaction: NewTransaction,
): Promise<{ balances: ReadonlyMap<Account, number> }> {
  const { postings } = transaction;
  const net = netOf(postings);
  const accounts = [...net.keys()].sort(inLockOrder);
  await assertCovered(raw, postings, net, accounts);
  await insertTransaction(raw, transaction);
  const balances = new Map<Account, number>();
  for (const account of accounts) balances.set(account, await move(raw, account, net.get(account) ?? 0));
  await insertPostings(raw, transaction, net, balances);
  await countDay(raw, transaction);
  await markSpent(raw, transaction);
  return { balances };
}

/** Notes with the users who pay for something that they have spent credits. */
async function markSpent(raw: Raw, { kind, postings }: NewTransaction): Promise<void> {
  if (!isSpending(kind)) return;
  for (const { source } of postings) {
    // What was reserved before is the user's as well.
    if (source.startsWith('user:') || source.startsWith('hold:'))
      await raw.run('UPDATE users SET spent = 1 WHERE id = ? AND spent = 0', [source.slice(5)]);
  }
}

/** Sum of what each account gets and gives. */
function netOf(postings: readonly Posting[]): Map<Account, number> {
  const net = new Map<Account, number>();
  for (const { source, destination, amount } of postings) {
    if (toCredits(amount) === 0 || source === destination)
      throw new RangeError('a posting moves at least one credit from one account to another');
    net.set(source, (net.get(source) ?? 0) - amount);
    net.set(destination, (net.get(destination) ?? 0) + amount);
  }
  return net;
}

/**
 * Locks the wallets and refuses what they cannot pay, or hold, posting by posting, so that none is below zero even in
 * between.
 */
async function assertCovered(
  raw: Raw,
  postings: readonly Posting[],
  net: ReadonlyMap<Account, number>,
  accounts: readonly Account[],
): Promise<void> {
  const payers = postings.filter(({ source }) => !isSystem(source));
  const receivers = accounts.filter((account) => !isSystem(account) && (net.get(account) ?? 0) > 0);
  if (payers.length === 0 && receivers.length === 0) return;
  const debts = payers
    .filter(({ source }) => source.startsWith('user:'))
    .map(({ source }) => `debt:${source.slice(5)}` as const);
  const rows = await lockedRows(
    raw,
    [...new Set<Account>([...accounts.filter((account) => !isSystem(account)), ...debts])].sort(inLockOrder),
  );
  const running = balancesOf(rows);
  // What comes in is booked all the same: nothing that was earned or paid for is lost meanwhile.
  if (
    rows.some(
      ({ account, frozen_ms: frozenMs }) =>
        frozenMs !== null && ((net.get(account) ?? 0) < 0 || debts.some((debt) => debt === account)),
    )
  ) {
    throw new DomainError('ACCOUNT_FROZEN');
  }
  // A transaction that pays the debt itself may pass.
  if (debts.some((debt) => (running.get(debt) ?? 0) > 0 && (net.get(debt) ?? 0) >= 0))
    throw new DomainError('SPENDING_BLOCKED');
  if (receivers.some((account) => (running.get(account) ?? 0) + (net.get(account) ?? 0) > MAX_CREDITS))
    throw new DomainError('WALLET_FULL');
  for (const { source, destination, amount } of postings) {
    const left = (running.get(source) ?? 0) - amount;
    if (left < 0 && !isSystem(source)) throw new DomainError('INSUFFICIENT_CREDITS');
    running.set(source, left);
    running.set(destination, (running.get(destination) ?? 0) + amount);
  }
}

interface BalanceRow {
  readonly account: Account;
  readonly balance: number;
  readonly frozen_ms: number | null;
}
const balancesOf = (rows: readonly BalanceRow[]) => new Map(rows.map(({ account, balance }) => [account, balance]));

/** Reads balances, on PostgreSQL locking them. In: accounts in lock order. Out: balances of those that exist. */
export async function lockBalances(raw: Raw, accounts: readonly Account[]): Promise<Map<Account, number>> {
  return balancesOf(await lockedRows(raw, accounts));
}

function lockedRows(raw: Raw, accounts: readonly Account[]): Promise<BalanceRow[]> {
  const marks = accounts.length === 2 ? '?, ?' : Array(accounts.length).fill('?').join(', ');
  const words = raw.dialect === 'postgres' ? ' ORDER BY account FOR UPDATE' : '';
  return raw.all<BalanceRow>(
    `SELECT account, balance, frozen_ms FROM ledger_balances WHERE account IN (${marks})${words}`,
    accounts,
  );
}

async function insertTransaction(
  raw: Raw,
  { id, kind, reference, subject, actor, reason, reverses, createdMs }: NewTransaction,
): Promise<void> {
  const { changes } = await raw.run(INSERT_TRANSACTION, [
    id,
    kind,
    reference,
    subject,
    actor,
    reason,
    reverses,
    createdMs,
  ]);
  if (changes === 1) return;
  const undone =
    reverses === null ? undefined : await raw.one('SELECT id FROM ledger_transactions WHERE reverses = ?', [reverses]);
  throw new DomainError(undone ? 'ALREADY_REVERSED' : 'DUPLICATE_REFERENCE');
}

/**
 * Changes one balance and reads what it is then. The condition cannot fail for a locked wallet; it stands there as a
 * wall, as the table's own check does.
 */
async function move(raw: Raw, account: Account, delta: number): Promise<number> {
  const row =
    delta >= 0 || isSystem(account)
      ? await raw.one<{ balance: number }>(CREDIT, [account, delta])
      : await raw.one<{ balance: number }>(DEBIT, [delta, account, delta]);
  if (!row && delta < 0 && !isSystem(account)) throw new Error('the ledger refused a debit of a locked wallet');
  // Met here alone: a system account that would have given or got more than can be counted exactly (thousands of full
  // wallets), and two who fill at once a wallet that was not there before. Whoever meets it gives the transaction up.
  if (!row || (!isSystem(account) && row.balance > MAX_CREDITS)) throw new DomainError('WALLET_FULL');
  return row.balance;
}

async function insertPostings(
  raw: Raw,
  transaction: NewTransaction,
  net: ReadonlyMap<Account, number>,
  balances: ReadonlyMap<Account, number>,
): Promise<void> {
  const running = new Map<Account, number>();
  for (const [account, balance] of balances) running.set(account, balance - (net.get(account) ?? 0));
  let values: Param[] = [];
  let count = 0;
  for (const [seq, { source, destination, amount }] of transaction.postings.entries()) {
    const sourceAfter = (running.get(source) ?? 0) - amount;
    const destinationAfter = (running.get(destination) ?? 0) + amount;
    running.set(source, sourceAfter);
    running.set(destination, destinationAfter);
    values.push(
      transaction.id,
      seq,
      source,
      destination,
      amount,
      sourceAfter,
      destinationAfter,
      transaction.createdMs,
      transaction.kind,
    );
    count += 1;
    if (count < POSTINGS_MAX && seq + 1 < transaction.postings.length) continue;
    await raw.run(
      count === 1 ? INSERT_POSTINGS + POSTING : INSERT_POSTINGS + Array(count).fill(POSTING).join(', '),
      values,
    );
    values = [];
    count = 0;
  }
}
