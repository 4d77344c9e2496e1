export type EarnSource = 'afk' | 'redeem' | 'j4r' | 'referral' | 'link';
export interface EarnCountersRepo {
  /** Credits earned by the user (or by everybody, with userId '*') from a source on a day. */
  get(userId: string, source: EarnSource, day: string): Promise<number>;
  /** Adds where the sum stays at or below `max`; false, and nothing added, where it would not. One statement, so exact under concurrency. */
  addWithin(userId: string, source: EarnSource, day: string, credits: number, max: number): Promise<boolean>;
  /** Undoes what `addWithin` added in this transaction. */
  takeBack(userId: string, source: EarnSource, day: string, credits: number): Promise<void>;
  /** Earned by the user on each of these days. */
  days(userId: string, source: EarnSource, days: readonly string[]): Promise<number[]>;
}
