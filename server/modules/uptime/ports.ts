/** A time in which no process of the product ran. UTC ms. */
export interface Downtime {
  readonly fromMs: number;
  /** When it was up again. */
  readonly untilMs: number;
}
/** What the uptime module asks of the database. */
export interface UptimeRepo {
  /** When some process last said that it runs, its row locked for the rest of the transaction; null where none ever did. */
  lockBeat(): Promise<number | null>;
  saveBeat(atMs: number): Promise<void>;
  addDowntime(downtime: Downtime): Promise<void>;
  /** Removes downtimes that ended after a moment, or before another. */
  forget(range: { readonly afterMs: number } | { readonly beforeMs: number }): Promise<void>;
  /** Downtimes, oldest first. */
  downtimes(): Promise<Downtime[]>;
}
