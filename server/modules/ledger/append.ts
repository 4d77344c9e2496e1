import type { Clock, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { Account, NewTransaction, Posting } from './ports.ts';

export interface LedgerDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** The day of a moment, `YYYY-MM-DD`, for the sums by day; that of UTC when absent. */
  readonly day?: (ms: number) => string;
}

/** A movement of credits. */
export interface Transfer {
  /** What it is for, as a short constant (`store.buy`); the statement translates it. */
  readonly kind: string;
  /** Unique business reference (`redeem:<code>:<user>`): what a race slips past the code, the database still refuses. */
  readonly reference: string;
  readonly postings: readonly Posting[];
  /** A name that tells the user which one (code, server, item). */
  readonly subject?: string | null | undefined;
  readonly actor?: string | null | undefined;
  readonly reason?: string | null | undefined;
}
export interface Transferred {
  readonly id: string;
  /** Balances of all accounts that were touched. */
  readonly balances: ReadonlyMap<Account, number>;
}

export const WALLET = 'user:';
export const RESERVE = 'hold:';
/** A user's own credits. */
export const wallet = (userId: string): Account => `user:${userId}`;
/** A user's credits under hold. */
export const reserve = (userId: string): Account => `hold:${userId}`;

/**
 * Appends a transaction and tells its users after the commit. What the wallets it touches have earned and is not posted
 * yet is posted first, so that a statement's balances follow from each other. Shared by all operations of the ledger.
 */
export async function append(
  deps: LedgerDeps,
  tx: Tx,
  transfer: Transfer,
  reverses: string | null = null,
): Promise<Transferred> {
  const { kind, reference, postings } = transfer;
  if (!kind || !reference || postings.length === 0)
    throw new RangeError('a transfer needs a kind, a reference and postings');
  return write(deps, tx, { ...transfer, reverses, day: deps.day?.(deps.clock.now()) });
}

/**
 * Posts what a wallet has earned and is not posted yet, as one transaction; false where there is nothing. Whoever locks
 * a wallet and its accrual locks the wallet first: so no two wait for each other.
 */
export async function postAccrual(deps: LedgerDeps, tx: Tx, account: `user:${string}`): Promise<boolean> {
  if (!(await tx.ledger.accrualOf(account))) return false;
  await tx.ledger.lock([account]);
  const accrual = await tx.ledger.takeAccrual(account);
  if (!accrual) return false;
  const { kind, source, amount, day, startedMs } = accrual;
  // A wallet that moves within an hour has several transactions of that hour.
  const again = await tx.ledger.byReference(accrual.reference);
  const reference = again ? `${accrual.reference}:${startedMs}` : accrual.reference;
  const postings = [{ source, destination: account, amount }];
  await write(deps, tx, { kind, reference, postings, actor: account.slice(WALLET.length), reverses: null, day });
  return true;
}

async function write(
  deps: LedgerDeps,
  tx: Tx,
  transfer: Transfer & { readonly reverses: string | null; readonly day: string | undefined },
): Promise<Transferred> {
  const { kind, reference, postings, reverses, day } = transfer;
  const { id, balances } = await appendBehindAccruals(deps, tx, {
    kind,
    reference,
    postings,
    subject: transfer.subject ?? null,
    actor: transfer.actor ?? null,
    reason: transfer.reason ?? null,
    reverses,
    createdMs: deps.clock.now(),
    day,
  });
  for (const account of balances.keys())
    if (!account.startsWith('system:')) tx.touch(WALLET + account.slice(account.indexOf(':') + 1));
  return { id, balances };
}

/**
 * Appends a transaction, and before it what its wallets have earned that is not posted yet. Ids follow the order in a
 * statement, so that of the transaction is made last.
 */
async function appendBehindAccruals(
  deps: LedgerDeps,
  tx: Tx,
  transaction: Omit<NewTransaction, 'id'>,
): Promise<Transferred> {
  for (;;) {
    const id = deps.ids.uuid();
    const done = await tx.ledger.append({ ...transaction, id });
    if ('balances' in done) return { id, balances: done.balances };
    for (const account of done.unposted) await postAccrual(deps, tx, account);
  }
}
