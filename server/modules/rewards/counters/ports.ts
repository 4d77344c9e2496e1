export type EarnSource = 'afk' | 'redeem' | 'j4r' | 'referral' | 'link';
export interface EarnCountersRepo {
  /** Credits earned by the user (or by everybody, with userId '*') from a source on a day. */
  get(userId: string, source: EarnSource, day: string): Promise<number>;
  /**
   * Adds where the sum stays at or below `max`; false, and nothing added, where it would not. One statement, so exact
   * under concurrency.
   */
  addWithin(userId: string, source: EarnSource, day: string, credits: number, max: number): Promise<boolean>;
  /** Takes off what `addWithin` added; never below zero. */
  takeBack(userId: string, source: EarnSource, day: string, credits: number): Promise<void>;
  /** Locks a counter for the rest of the transaction (PostgreSQL). */
  lock(userId: string, source: EarnSource, day: string): Promise<void>;
  /** Earned by the user on each of these days. */
  days(userId: string, source: EarnSource, days: readonly string[]): Promise<number[]>;
  /** Removes what is of days before this one (YYYY-MM-DD). */
  purge(beforeDay: string): Promise<void>;
}
