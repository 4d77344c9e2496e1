import { coins } from '#shared/coins.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Tx } from '../../tx.ts';
import type { Counters } from '../counters/index.ts';
import type { EarnSource } from '../counters/ports.ts';

export interface Reward {
  readonly userId: string;
  readonly source: EarnSource;
  /** Credits, 1 or more. Paid whole or not at all. */
  readonly amount: number;
  /** Unique business reference (behaviour 2), as `j4r:<entry>:<discord id>`. */
  readonly reference: string;
  /** A name that tells the user which one. */
  readonly subject: string | null;
}
export interface Paid {
  /** `held`: reserved for review (behaviour 4.6); never lost. */
  readonly state: 'paid' | 'held';
  readonly txId: string;
  /** Credits of the user's wallet afterwards. */
  readonly balance: number;
}
/** Decides whether a reward waits for review. Works inside the caller's transaction, asks no network. */
export interface Judge {
  holds(tx: Tx, reward: Reward): Promise<boolean>;
}
interface Deps {
  readonly ledger: Pick<Ledger, 'transfer'>;
  readonly counters: Pick<Counters, 'pay'>;
}
export interface Payout {
  pay(tx: Tx, reward: Reward): Promise<Paid>;
}

/**
 * The one way in which earning pays (behaviour 4): counts against cap and budget of its source, then moves the credits.
 * Throws DAILY_CAP_REACHED, BUDGET_SPENT or DUPLICATE_REFERENCE; the caller's transaction is to be given up then.
 */
export function createPayout({ ledger, counters }: Deps): Payout {
  return {
    async pay(tx, { userId, source, amount, reference, subject }) {
      await counters.pay(tx, { userId, source, amount });
      const account = `user:${userId}` as const;
      const { id, balances } = await ledger.transfer(tx, {
        kind: `reward.${source}`,
        reference,
        subject,
        actor: userId,
        postings: [{ source: `system:reward.${source}`, destination: account, amount: coins(amount) }],
      });
      return { state: 'paid', txId: id, balance: balances.get(account) ?? 0 };
    },
  };
}
