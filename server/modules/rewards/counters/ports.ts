import type { EarningSource } from '#shared/earning-sources.ts';

/** Stands for the whole installation in place of a user. */
export const EVERYBODY = '*';

export interface EarnCountersRepo {
  /** Credits earned by the user (or by `EVERYBODY`) from a source on a day. */
  get(userId: string, source: EarningSource, day: string): Promise<number>;
  /** The same of two, in their order. */
  getBoth(userIds: readonly [string, string], source: EarningSource, day: string): Promise<[number, number]>;
  /**
   * Adds where the sum stays at or below `max`; false, and nothing added, where it would not. One statement, so exact
   * under concurrency.
   */
  addWithin(userId: string, source: EarningSource, day: string, credits: number, max: number): Promise<boolean>;
  /**
   * Adds to what everybody earned where that stays at or below `budget`; false, and nothing added, where it would not.
   * Exact under concurrency, for which the next one waits until this transaction ends (PostgreSQL); null: there is no
   * budget, and nobody waits.
   */
  addForEverybody(source: EarningSource, day: string, credits: number, budget: number | null): Promise<boolean>;
  /** Takes off what was added; never below zero. */
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
