import { toCredits, type Credits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import type { Tx } from '../tx.ts';
import { append, reserve, wallet, WALLET, type LedgerDeps, type Transfer } from './append.ts';
import type { Account } from './ports.ts';

interface NewHold {
  readonly userId: string;
  /** 1 to `MAX_CREDITS` credits. */
  readonly amount: number;
  readonly reference: string;
  readonly kind: string;
  readonly subject?: string | null | undefined;
}
/** A reward that waits for review (behaviour 4.6): it is reserved for the user, but never was in their wallet. */
interface NewRewardHold extends NewHold {
  /** Where the credits come from, and go back to where the reward is rejected. */
  readonly source: Account;
}
interface Capture {
  readonly destination: Account;
  readonly kind: string;
  readonly reference: string;
  readonly subject?: string | null | undefined;
}

/** Writes the row of an open hold. Out: its id. */
async function openHold(
  { ids, clock }: LedgerDeps,
  tx: Tx,
  { userId, amount, reference }: { userId: string; amount: Credits; reference: string },
): Promise<string> {
  const id = ids.uuid();
  const account = wallet(userId);
  await tx.ledger.insertHold({ id, account, amount, reference, state: 'open', createdMs: clock.now() });
  return id;
}

/** Reserving rewards that wait for review (behaviour 4.6). */
function rewardHoldsOf(deps: LedgerDeps) {
  /**
   * Reserves a reward for its user: from its source, not from a wallet. Throws DUPLICATE_REFERENCE. Out: id for
   * `capture` or `releaseReward`, and its transaction.
   */
  async function holdReward(
    tx: Tx,
    { userId, amount, reference, kind, subject, source }: NewRewardHold,
  ): Promise<{ holdId: string; txId: string }> {
    const held = toCredits(amount);
    const { id: txId } = await append(deps, tx, {
      kind,
      reference,
      subject,
      actor: userId,
      postings: [{ source, destination: reserve(userId), amount: held }],
    });
    const id = await openHold(deps, tx, { userId, amount: held, reference });
    return { holdId: id, txId };
  }

  /**
   * Adds a reward to an open hold of one, for what is paid in many small parts. Throws NOT_FOUND, HOLD_CLOSED or
   * DUPLICATE_REFERENCE.
   */
  async function growReward(
    tx: Tx,
    holdId: string,
    { userId, amount, reference, kind, subject, source }: NewRewardHold,
  ): Promise<{ txId: string }> {
    const found = await tx.ledger.hold(holdId);
    if (found?.account !== wallet(userId)) throw new DomainError('NOT_FOUND');
    if (found.state !== 'open') throw new DomainError('HOLD_CLOSED');
    const { id: txId } = await append(deps, tx, {
      kind,
      reference,
      subject,
      actor: userId,
      postings: [{ source, destination: reserve(userId), amount: toCredits(amount) }],
    });
    if (!(await tx.ledger.growHold(holdId, toCredits(found.amount + amount))))
      throw new Error('an open hold was closed under its lock');
    return { txId };
  }

  return { holdReward, growReward };
}

/** Reserving credits for work that may fail (behaviour 2): a hold is captured or released, never lost. */
export function holdsOf(deps: LedgerDeps) {
  /** Reserves a user's credits. Throws as `transfer` does. Out: id for `capture` or `release`. */
  async function hold(tx: Tx, { userId, amount, reference, kind, subject }: NewHold): Promise<{ holdId: string }> {
    const held = toCredits(amount);
    await append(deps, tx, {
      kind,
      reference,
      subject,
      postings: [{ source: wallet(userId), destination: reserve(userId), amount: held }],
    });
    const id = await openHold(deps, tx, { userId, amount: held, reference });
    return { holdId: id };
  }

  /** Moves all of an open hold, then closes it. Whatever is refused is refused before the first write. */
  async function end(
    tx: Tx,
    holdId: string,
    state: 'captured' | 'released',
    facts: (userId: string) => Omit<Transfer, 'postings'> & { destination: Account },
  ) {
    const found = await tx.ledger.hold(holdId);
    if (!found) throw new DomainError('NOT_FOUND');
    if (found.state !== 'open') throw new DomainError('HOLD_CLOSED');
    const userId = found.account.slice(WALLET.length);
    const { destination, ...rest } = facts(userId);
    const { id } = await append(deps, tx, {
      ...rest,
      postings: [{ source: reserve(userId), destination, amount: found.amount }],
    });
    if (!(await tx.ledger.closeHold(holdId, state, deps.clock.now())))
      throw new Error('an open hold was closed under its lock');
    return { id };
  }

  return {
    hold,
    ...rewardHoldsOf(deps),
    /** Pays a held reward to its user's wallet. Throws NOT_FOUND, HOLD_CLOSED or DUPLICATE_REFERENCE. */
    releaseReward: (tx: Tx, holdId: string, facts: Omit<Capture, 'destination'>): Promise<{ id: string }> =>
      end(tx, holdId, 'released', (userId) => ({ ...facts, destination: wallet(userId) })),
    /** Spends a hold: all of it goes to the destination. Throws NOT_FOUND, HOLD_CLOSED or DUPLICATE_REFERENCE. */
    capture: (tx: Tx, holdId: string, facts: Capture): Promise<{ id: string }> =>
      end(tx, holdId, 'captured', () => facts),
    /** Gives a hold back to its owner. Throws NOT_FOUND or HOLD_CLOSED. */
    release: (tx: Tx, holdId: string): Promise<{ id: string }> =>
      end(tx, holdId, 'released', (userId) => ({
        kind: 'hold.release',
        reference: `hold.release:${holdId}`,
        destination: wallet(userId),
      })),
    /** Credits of a user that are reserved by open holds. */
    held: (tx: Tx, userId: string): Promise<number> => tx.ledger.balance(reserve(userId)),
  };
}
