import type { Clock, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { Account, Posting } from './ports.ts';

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

/** Appends a transaction and tells its users after the commit. Shared by all operations of the ledger. */
export async function append(
  deps: LedgerDeps,
  tx: Tx,
  transfer: Transfer,
  reverses: string | null = null,
): Promise<Transferred> {
  const { kind, reference, postings } = transfer;
  if (!kind || !reference || postings.length === 0)
    throw new RangeError('a transfer needs a kind, a reference and postings');
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  const { balances } = await tx.ledger.append({
    id,
    kind,
    reference,
    postings,
    subject: transfer.subject ?? null,
    actor: transfer.actor ?? null,
    reason: transfer.reason ?? null,
    reverses,
    createdMs: now,
    day: deps.day?.(now),
  });
  for (const account of balances.keys())
    if (!account.startsWith('system:')) tx.touch(WALLET + account.slice(account.indexOf(':') + 1));
  return { id, balances };
}
