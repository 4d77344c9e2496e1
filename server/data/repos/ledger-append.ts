import type { Param, Raw } from '#server/data/raw.ts';
import { referenceKey } from '#server/data/repos/ledger-blocks.ts';
import { countDay } from '#server/data/repos/ledger-days.ts';
import { SHARDS, shardOf } from '#server/data/shards.ts';
import type { Account, Appended, NewTransaction, Posting } from '#server/modules/ledger/ports.ts';
import { toCredits, MAX_CREDITS } from '#shared/credits.ts';
import { isSpending } from '#shared/ledger.ts';
import { DomainError } from '#shared/errors.ts';

type Wallet = `user:${string}`;

/** A reference is refused for ever: also one whose transaction was archived since. */
const INSERT_TRANSACTION = `INSERT INTO ledger_transactions (id, kind, reference, subject, actor, reason, reverses, created_ms)
  SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
  WHERE NOT EXISTS (SELECT 1 FROM ledger_archived_references WHERE key = ?) ON CONFLICT DO NOTHING`;
const INSERT_POSTINGS =
  'INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind) VALUES ';
const POSTING = '(?, ?, ?, ?, ?, ?, ?, ?, ?)';
/** Most rows a statement adds; the engines bound the number of values. */
const ROWS_MAX = 50;
/** Most that a row of a system account may hold: then all of them together are counted exactly. */
const ROW_MOST = { sqlite: Number.MAX_SAFE_INTEGER, postgres: Math.floor(Number.MAX_SAFE_INTEGER / SHARDS) } as const;
const credits = (
  { dialect }: Raw,
  accounts: readonly Account[],
) => `INSERT INTO ledger_balances (account, shard, balance) VALUES ${accounts
  .map((account) => `(?, ${isSystem(account) ? shardOf(dialect) : 0}, ?)`)
  .join(', ')}
  ON CONFLICT (account, shard) DO UPDATE SET balance = ledger_balances.balance + excluded.balance
  WHERE ledger_balances.balance + excluded.balance BETWEEN ${-ROW_MOST[dialect]} AND ${ROW_MOST[dialect]} RETURNING account, balance`;
const DEBIT =
  'UPDATE ledger_balances SET balance = balance + ? WHERE account = ? AND balance + ? >= 0 RETURNING balance';

const isSystem = (account: string) => account.startsWith('system:');
const isWallet = (account: string): account is Wallet => account.startsWith('user:');
const marks = (count: number, mark = '?') => Array(count).fill(mark).join(', ');
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
 * touched, or the wallets that have an accrual: nothing is written then, because that is to be posted first. Throws
 * DomainError INSUFFICIENT_CREDITS, WALLET_FULL (more than an account may hold), SPENDING_BLOCKED (the user has a
 * debt), ACCOUNT_FROZEN (a proof found a paying account wrong), DUPLICATE_REFERENCE or ALREADY_REVERSED; RangeError for
 * what is no amount.
 */
export async function appendTransaction(raw: Raw, transaction: NewTransaction): Promise<Appended> {
  const { postings } = transaction;
  const net = netOf(postings);
  const accounts = [...net.keys()].sort(inLockOrder);
  const { rows, unposted, unspent } = await readAccounts(raw, transaction, accounts);
  if (unposted.length > 0) return { unposted };
  assertCovered(rows, postings, net, accounts);
  await insertTransaction(raw, transaction);
  const balances = await moveAll(raw, accounts, net);
  await insertPostings(raw, transaction, net, balances);
  await countDay(raw, transaction);
  // Users who pay for something have spent credits.
  for (const id of unspent) await raw.run('UPDATE users SET spent = 1 WHERE id = ? AND spent = 0', [id]);
  return { balances };
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

/** The debts of the wallets that pay. */
const debtsOf = (postings: readonly Posting[]) =>
  postings.filter(({ source }) => isWallet(source)).map(({ source }) => `debt:${source.slice(5)}` as const);

/**
 * Locks and reads what decides on a transaction, in one statement: its accounts but those of the system, and the debts
 * of who pays; which wallets have an accrual; which users who pay for something have never done so before.
 */
async function readAccounts(
  raw: Raw,
  { kind, postings }: NewTransaction,
  accounts: readonly Account[],
): Promise<{ rows: readonly BalanceRow[]; unposted: readonly Wallet[]; unspent: readonly string[] }> {
  const own = accounts.filter((account) => !isSystem(account));
  if (own.length === 0) return { rows: [], unposted: [], unspent: [] };
  const locked = [...new Set<Account>([...own, ...debtsOf(postings)])].sort(inLockOrder);
  const wallets = own.filter(isWallet);
  // What was reserved before is the user's as well.
  const payers = isSpending(kind)
    ? postings
        .filter(({ source }) => isWallet(source) || source.startsWith('hold:'))
        .map(({ source }) => source.slice(5))
    : [];
  const parts = [balanceText(raw, locked.length, ', 0 AS found')];
  // A locked part of a union stands by itself.
  if (raw.dialect === 'postgres') parts[0] = `SELECT * FROM (${parts[0]}) AS locked`;
  if (wallets.length > 0)
    parts.push(
      `SELECT account, 0, NULL, ${FOUND.unposted} FROM ledger_accruals WHERE account IN (${marks(wallets.length)})`,
    );
  if (payers.length > 0)
    parts.push(`SELECT id, 0, NULL, ${FOUND.unspent} FROM users WHERE id IN (${marks(payers.length)}) AND spent = 0`);
  const found = await raw.all<BalanceRow & { found: number }>(parts.join(' UNION ALL '), [
    ...locked,
    ...wallets,
    ...payers,
  ]);
  return {
    rows: found.filter((row) => row.found === 0),
    unposted: wallets.filter((wallet) => found.some((row) => row.found === FOUND.unposted && row.account === wallet)),
    unspent: found.filter((row) => row.found === FOUND.unspent).map(({ account }) => account),
  };
}

/** Refuses what the accounts cannot pay, or hold, posting by posting, so that none is below zero even in between. */
function assertCovered(
  rows: readonly BalanceRow[],
  postings: readonly Posting[],
  net: ReadonlyMap<Account, number>,
  accounts: readonly Account[],
): void {
  const receivers = accounts.filter((account) => !isSystem(account) && (net.get(account) ?? 0) > 0);
  const debts = debtsOf(postings);
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
/** What a row of the accounts' question says that is no balance. */
const FOUND = { unposted: 1, unspent: 2 } as const;
const balancesOf = (rows: readonly BalanceRow[]) => new Map(rows.map(({ account, balance }) => [account, balance]));

/** Reads balances, on PostgreSQL locking them. In: accounts in lock order. Out: balances of those that exist. */
export async function lockBalances(raw: Raw, accounts: readonly Account[]): Promise<Map<Account, number>> {
  return balancesOf(await raw.all<BalanceRow>(balanceText(raw, accounts.length), accounts));
}

/** Reads the balances of `count` accounts, on PostgreSQL locking them in their order. */
function balanceText(raw: Raw, count: number, more = ''): string {
  const words = raw.dialect === 'postgres' ? ' ORDER BY account FOR UPDATE' : '';
  return `SELECT account, balance, frozen_ms${more} FROM ledger_balances WHERE account IN (${marks(count)})${words}`;
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
    referenceKey(reference),
  ]);
  if (changes === 1) return;
  const undone =
    reverses === null ? undefined : await raw.one('SELECT id FROM ledger_transactions WHERE reverses = ?', [reverses]);
  throw new DomainError(undone ? 'ALREADY_REVERSED' : 'DUPLICATE_REFERENCE');
}

/**
 * Moves all balances and reads what they are then: what wallets pay one by one, then everything else in lock order,
 * system accounts last. The condition of a debit cannot fail for a locked wallet; it stands there as a wall, as the
 * table's own check does.
 */
async function moveAll(
  raw: Raw,
  accounts: readonly Account[],
  net: ReadonlyMap<Account, number>,
): Promise<Map<Account, number>> {
  const balances = new Map<Account, number>();
  const deltaOf = (account: Account) => net.get(account) ?? 0;
  const isDebit = (account: Account) => deltaOf(account) < 0 && !isSystem(account);
  for (const account of accounts.filter(isDebit)) {
    const delta = deltaOf(account);
    const row = await raw.one<{ balance: number }>(DEBIT, [delta, account, delta]);
    if (!row) throw new Error('the ledger refused a debit of a locked wallet');
    balances.set(account, row.balance);
  }
  const others = accounts.filter((account) => !isDebit(account));
  for (let at = 0; at < others.length; at += ROWS_MAX) {
    const some = others.slice(at, at + ROWS_MAX);
    const rows = await raw.all<Pick<BalanceRow, 'account' | 'balance'>>(
      credits(raw, some),
      some.flatMap((account) => [account, deltaOf(account)]),
    );
    // Met here alone: a system account that would have given or got more than can be counted exactly (thousands of full
    // wallets), and two who fill at once a wallet that was not there before. Whoever meets it gives the transaction up.
    if (rows.length < some.length || rows.some(({ account, balance }) => !isSystem(account) && balance > MAX_CREDITS))
      throw new DomainError('WALLET_FULL');
    for (const { account, balance } of rows) if (!isSystem(account)) balances.set(account, balance);
  }
  return balances;
}

async function insertPostings(
  raw: Raw,
  transaction: NewTransaction,
  net: ReadonlyMap<Account, number>,
  balances: ReadonlyMap<Account, number>,
): Promise<void> {
  const running = new Map<Account, number>();
  // System accounts have none: the rows of one are never added up here (decision 127).
  for (const [account, balance] of balances) running.set(account, balance - (net.get(account) ?? 0));
  let values: Param[] = [];
  let count = 0;
  for (const [seq, { source, destination, amount }] of transaction.postings.entries()) {
    const sourceAfter = isSystem(source) ? 0 : (running.get(source) ?? 0) - amount;
    const destinationAfter = isSystem(destination) ? 0 : (running.get(destination) ?? 0) + amount;
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
    if (count < ROWS_MAX && seq + 1 < transaction.postings.length) continue;
    await raw.run(count === 1 ? INSERT_POSTINGS + POSTING : INSERT_POSTINGS + marks(count, POSTING), values);
    values = [];
    count = 0;
  }
}
