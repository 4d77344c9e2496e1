import { coins } from '#shared/coins.ts';
import { DomainError } from '#shared/errors.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { Account, HistoryQuery, LedgerEntry, Posting } from './ports.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
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
export interface NewHold {
  readonly userId: string;
  /** 1 to `MAX_COINS` credits. */
  readonly amount: number;
  readonly reference: string;
  readonly kind: string;
  readonly subject?: string | null | undefined;
}
export interface Capture {
  readonly destination: Account;
  readonly kind: string;
  readonly reference: string;
  readonly subject?: string | null | undefined;
}
export interface ChargeBack {
  readonly userId: string;
  readonly amount: number;
  /** Where the credits once came from (`system:payment.stripe`). */
  readonly destination: Account;
  readonly kind: string;
  readonly reference: string;
  readonly subject?: string | null | undefined;
}

export type Ledger = ReturnType<typeof createLedger>;

const USER = 'user:';
const HOLD = 'hold:';

/** Whose wallet or hold an account is, or null for a system account. */
function ownerOf(account: Account): string | null {
  return account.startsWith('system:') ? null : account.slice(account.indexOf(':') + 1);
}
const wallet = (userId: string): Account => `user:${userId}`;
const reserve = (userId: string): Account => `hold:${userId}`;

/**
 * The one way in which credits move (behaviour 2). Every function works inside the caller's transaction; after its commit the users
 * whose credits moved are told (topic `user:<id>`). All amounts are whole credits; what is none throws RangeError.
 */
export function createLedger({ clock, ids }: Deps) {
  /** Appends a transaction. Shared by all that follows. */
  async function append(tx: Tx, id: string, transfer: Transfer, reverses: string | null) {
    const { kind, reference, postings } = transfer;
    if (!kind || !reference || postings.length === 0) throw new RangeError('a transfer needs a kind, a reference and postings');
    const { balances } = await tx.ledger.append({
      id,
      kind,
      reference,
      postings,
      subject: transfer.subject ?? null,
      actor: transfer.actor ?? null,
      reason: transfer.reason ?? null,
      reverses,
      createdMs: clock.now(),
    });
    for (const account of balances.keys()) {
      const owner = ownerOf(account);
      if (owner !== null) tx.touch(`user:${owner}`);
    }
    return { id, balances };
  }

  /**
   * Moves credits. Out: id of the transaction and the balances of all accounts it touched.
   * Throws INSUFFICIENT_CREDITS, SPENDING_BLOCKED (the user has a debt) or DUPLICATE_REFERENCE; after each of them nothing has moved and
   * the caller may go on.
   */
  function transfer(tx: Tx, facts: Transfer): Promise<{ id: string; balances: ReadonlyMap<Account, number> }> {
    return append(tx, ids.uuid(), facts, null);
  }

  /**
   * Undoes a transaction by one that moves everything back. What was paid out of a hold goes back to the wallet, as the hold is closed.
   * Throws NOT_FOUND, ALREADY_REVERSED, CONFLICT for the placing or the release of a hold (release or hold again instead), or
   * INSUFFICIENT_CREDITS where the credits are spent.
   */
  async function reverse(tx: Tx, id: string, { reason, actor }: { reason: string; actor?: string | null | undefined }): Promise<{ id: string }> {
    const original = await tx.ledger.byId(id);
    if (!original) throw new DomainError('NOT_FOUND');
    if (await tx.ledger.reversalOf(id)) throw new DomainError('ALREADY_REVERSED');
    const postings = original.postings.toReversed().map(({ source, destination, amount }) => ({ source: destination, destination: openWallet(source), amount }));
    if (postings.some(({ source, destination }) => source === destination || source.startsWith(HOLD))) throw new DomainError('CONFLICT');
    const facts = { kind: 'reversal', reference: `reversal:${id}`, postings, subject: original.subject, actor, reason };
    return { id: (await append(tx, ids.uuid(), facts, id)).id };
  }

  /** Reserves a user's credits for work that may fail. Throws as `transfer` does. Out: id for `capture` or `release`. */
  async function hold(tx: Tx, { userId, amount, reference, kind, subject }: NewHold): Promise<{ holdId: string }> {
    const postings = [{ source: wallet(userId), destination: reserve(userId), amount: coins(amount) }];
    await append(tx, ids.uuid(), { kind, reference, subject, postings }, null);
    const holdId = ids.uuid();
    await tx.ledger.insertHold({ id: holdId, account: wallet(userId), amount: coins(amount), reference, state: 'open', createdMs: clock.now() });
    return { holdId };
  }

  /** Moves all of an open hold, then closes it. Whatever is refused is refused before the first write. */
  async function end(tx: Tx, holdId: string, state: 'captured' | 'released', facts: (userId: string) => Omit<Transfer, 'postings'> & { destination: Account }) {
    const found = await tx.ledger.hold(holdId);
    if (!found) throw new DomainError('NOT_FOUND');
    if (found.state !== 'open') throw new DomainError('HOLD_CLOSED');
    const userId = found.account.slice(USER.length);
    const { destination, ...rest } = facts(userId);
    const { id } = await append(tx, ids.uuid(), { ...rest, postings: [{ source: reserve(userId), destination, amount: found.amount }] }, null);
    if (!(await tx.ledger.closeHold(holdId, state, clock.now()))) throw new Error('an open hold was closed under its lock');
    return { id };
  }

  /** Spends a hold: all of it goes to the destination. Throws NOT_FOUND, HOLD_CLOSED or DUPLICATE_REFERENCE. */
  function capture(tx: Tx, holdId: string, facts: Capture): Promise<{ id: string }> {
    return end(tx, holdId, 'captured', () => facts);
  }

  /** Gives a hold back to its owner. Throws NOT_FOUND or HOLD_CLOSED. */
  function release(tx: Tx, holdId: string): Promise<{ id: string }> {
    return end(tx, holdId, 'released', (userId) => ({ kind: 'hold.release', reference: `hold.release:${holdId}`, destination: wallet(userId) }));
  }

  /**
   * Takes paid credits back after a charge-back (behaviour 2): what the wallet still has, and the rest as a debt, which blocks spending.
   * Out: the user's whole debt, for the caller to tell the admins. Throws DUPLICATE_REFERENCE.
   */
  async function chargeBack(tx: Tx, facts: ChargeBack): Promise<{ id: string; debt: number }> {
    const { userId, destination, kind, reference, subject } = facts;
    const account = wallet(userId);
    const amount = coins(facts.amount);
    await tx.ledger.lock([account]);
    // A wallet that is blocked by an older debt is left as it is: paying that debt comes first.
    const blocked = (await tx.ledger.balance(`debt:${userId}`)) > 0;
    const taken = blocked ? 0 : Math.min(amount, await tx.ledger.balance(account));
    const postings: Posting[] = [];
    if (taken > 0) postings.push({ source: account, destination, amount: coins(taken) });
    if (taken < amount) postings.push({ source: destination, destination: `debt:${userId}`, amount: coins(amount - taken) });
    const { id } = await append(tx, ids.uuid(), { kind, reference, subject, postings }, null);
    return { id, debt: await tx.ledger.balance(`debt:${userId}`) };
  }

  return {
    transfer,
    reverse,
    hold,
    capture,
    release,
    chargeBack,
    /** Balance of an account; 0 for one that never moved. */
    balance: (tx: Tx, account: Account): Promise<number> => tx.ledger.balance(account),
    /** Credits of a user that are reserved by open holds. */
    held: (tx: Tx, userId: string): Promise<number> => tx.ledger.balance(reserve(userId)),
    /** One page of the statement of an account, newest first, and how many lines fit the query. */
    history: (tx: Tx, account: Account, query: HistoryQuery): Promise<{ rows: LedgerEntry[]; total: number }> => tx.ledger.history(account, query),
    /** Kinds that occur in the statement, for its filter. */
    kinds: (tx: Tx, account: Account): Promise<string[]> => tx.ledger.kinds(account),
    /** Balance at the end of each of the moments (UTC ms, ascending). */
    balanceAt: (tx: Tx, account: Account, moments: readonly number[]): Promise<number[]> => tx.ledger.balanceAt(account, moments),
    /** Credits from rewards since a moment (UTC ms). */
    earnedSince: (tx: Tx, account: Account, sinceMs: number): Promise<number> => tx.ledger.earnedSince(account, sinceMs),
    /** Credits of all users, and what was minted and burnt since a moment (UTC ms). */
    totals: (tx: Tx, sinceMs: number) => tx.ledger.totals(sinceMs),
    /** Proves the ledger. Out: faults in plain words; empty when all is well. */
    verify: (tx: Tx): Promise<string[]> => tx.ledger.verify(),
  };
}

/** Where credits go back to: a closed hold's owner has a wallet. */
function openWallet(account: Account): Account {
  return account.startsWith(HOLD) ? wallet(account.slice(HOLD.length)) : account;
}
