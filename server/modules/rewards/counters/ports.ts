import type { EarningSource } from '#shared/earning-sources.ts';

export interface EarnCountersRepo {
  /** Credits earned by the user (or by everybody, with userId '*') from a source on a day. */
  get(userId: string, source: EarningSource, day: string): Promise<number>;
  /** The same of two, in their order. */
  getBoth(userIds: readonly [string, string], source: EarningSource, day: string): Promise<[number, number]>;
  /**
   * Adds where the sum stays at or below `max`; false, and nothing added, where it would not. One statement, so exact
   * under concurrency.
   */
  addWithin(userId: string, source: EarningSource, day: string, credits: number, max: number): Promise<boolean>;
  /** Takes off what `addWithin` added; never below zero. */
  subtract(userId: string, source: EarningSource, day: string, credits: number): Promise<void>;
  /** Locks a counter for the rest of the transaction (PostgreSQL). */
  lock(userId: string, source: EarningSource, day: string): Promise<void>;
  /** Earned by the user on each of these days. */
  days(userId: string, source: EarningSource, days: readonly string[]): Promise<number[]>;
  /**
   * Removes at most `limit` sums of days before this one (YYYY-MM-DD), and says how many. Caps and budgets need today,
   * the page of AFK a week; the month of referrals is counted from the referrals themselves.
   */
  purge(beforeDay: string, limit: number): Promise<number>;
}
