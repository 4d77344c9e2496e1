/**
 * What one account outside the wallets did on one day: `system:<source or sink>`, `debt`, or `users` for what went
 * between users.
 */
export interface DaySum {
  readonly day: string;
  readonly account: string;
  readonly minted: number;
  readonly burnt: number;
  readonly moved: number;
}
export interface DayLine extends DaySum {
  readonly kind: string;
  readonly moves: number;
}
export interface Earner {
  readonly id: string;
  readonly username: string;
  readonly credits: number;
}
/** The economy in figures. Nothing here reads postings: sums by day are kept when credits move. */
export interface EconomyRepo {
  /** Sums by day and account from a day on (`YYYY-MM-DD`), oldest first. */
  days(fromDay: string): Promise<DaySum[]>;
  /** The same by kind too, for the export; at most `limit`. */
  lines(fromDay: string, limit: number): Promise<DayLine[]>;
  /** Credits in wallets and reserves. */
  circulation(): Promise<number>;
  /** Credits under open holds, and how many these are. */
  held(): Promise<{ count: number; credits: number }>;
  /** Who earned most in a month (`YYYY-MM`), whether they show themselves on the leaderboard or not. */
  earners(month: string, limit: number): Promise<Earner[]>;
}
