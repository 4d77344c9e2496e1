import { toCredits } from '#shared/credits.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Tx } from '../../tx.ts';
import type { Counters } from '../counters/index.ts';
import type { EarningSource } from '#shared/earning-sources.ts';

export interface Reward {
  readonly userId: string;
  readonly source: EarningSource;
  /** Credits, 1 or more. Paid whole or not at all. */
  readonly amount: number;
  /** Unique business reference (behaviour 2), as `j4r:<Discord server>:<trace of the person>`. */
  readonly reference: string;
  /** A name that tells the user which one. */
  readonly subject: string | null;
  /**
   * False: nothing proves that it was earned (a link provider without proof, behaviour 4.5). Such a reward always
   * waits. True when absent.
   */
  readonly proof?: boolean | undefined;
  /** Id of the redeem code it is for: many accounts that redeem one code together are looked at together. */
  readonly code?: string | undefined;
  /** Held rewards of a user with the same pool are held as one, for what is paid in many small parts (AFK). */
  readonly pool?: string | undefined;
}
export interface PayoutResult {
  /** `held`: reserved for review (behaviour 4.6); never lost. */
  readonly state: 'paid' | 'held';
  readonly txId: string;
  /** Credits of the user's wallet afterwards. */
  readonly balance: number;
}
/**
 * Decides whether a reward waits for review, and keeps those that do. Works inside the caller's transaction, asks no
 * network.
 */
export interface ReviewPolicy {
  /** Holds the reward where it has to wait; its transaction, or null where it may be paid at once. */
  hold(tx: Tx, reward: Reward): Promise<{ txId: string } | null>;
  /** Cancels a reward that is still on hold, by its reference; false where it does not wait (any more). */
  cancel(tx: Tx, reference: string): Promise<boolean>;
}
interface Deps {
  readonly ledger: Pick<Ledger, 'transfer' | 'balance' | 'accrue'>;
  readonly counters: Pick<Counters, 'count'>;
  /** Without one everything is paid at once. */
  readonly reviewPolicy?: ReviewPolicy;
}
export interface Payout {
  /** Counts against cap and budget, then `creditReward`s. Throws DAILY_CAP_REACHED, BUDGET_SPENT or DUPLICATE_REFERENCE. */
  pay(tx: Tx, reward: Reward): Promise<PayoutResult>;
  /** Pays or holds what was counted already (`counters.tryCount`). Throws DUPLICATE_REFERENCE. */
  creditReward(tx: Tx, reward: Reward): Promise<PayoutResult>;
  /**
   * The same for one of many small parts: what need not be held is the user's at once, and is posted once an hour
   * (`by`: what earns them, as `afk:<session>`). Out: credits of the wallet, and whether the part is held.
   */
  accrueReward(tx: Tx, reward: Reward, by: string): Promise<Omit<PayoutResult, 'txId'>>;
  /**
   * Cancels a reward that is still on hold (a member who left a J4R server): whole, and back to its source. False where
   * it is not held.
   */
  cancelHeld(tx: Tx, reference: string): Promise<boolean>;
}

/**
 * The one way in which earning pays (behaviour 4): counts against cap and budget of its source, then moves the credits
 * into the wallet, or into a hold where the review policy says so. Where it throws, the caller's transaction is to be
 * given up.
 */
export function createPayout({ ledger, counters, reviewPolicy }: Deps): Payout {
  async function creditReward(tx: Tx, reward: Reward): Promise<PayoutResult> {
    const { userId, source, amount, reference, subject } = reward;
    const account = `user:${userId}` as const;
    const held = await reviewPolicy?.hold(tx, reward);
    if (held) return { state: 'held', txId: held.txId, balance: await ledger.balance(tx, account) };
    const { id, balances } = await ledger.transfer(tx, {
      kind: `reward.${source}`,
      reference,
      subject,
      actor: userId,
      postings: [{ source: `system:reward.${source}`, destination: account, amount: toCredits(amount) }],
    });
    return { state: 'paid', txId: id, balance: balances.get(account) ?? 0 };
  }
  return {
    creditReward,
    async accrueReward(tx, reward, by) {
      const { userId, source, amount } = reward;
      if (await reviewPolicy?.hold(tx, reward))
        return { state: 'held', balance: await ledger.balance(tx, `user:${userId}`) };
      const part = { userId, amount, source: `system:reward.${source}`, kind: `reward.${source}`, by } as const;
      return { state: 'paid', balance: await ledger.accrue(tx, part) };
    },
    async pay(tx, reward) {
      const { userId, source, amount } = reward;
      await counters.count(tx, { userId, source, amount });
      return creditReward(tx, reward);
    },
    cancelHeld: async (tx, reference) => (await reviewPolicy?.cancel(tx, reference)) ?? false,
  };
}
