import type { OutageCause } from '#shared/server-codes.ts';

/** A panel, or one machine of it, that takes no orders just now. */
export interface Outage {
  /** '' is the embedded panel. */
  readonly panel: string;
  /** '' is the whole panel. */
  readonly node: string;
  readonly cause: OutageCause;
  /** Of `key`: the reason of the refusal. */
  readonly reason: string | null;
  readonly sinceMs: number;
  /** When it is tried again. */
  readonly nextMs: number;
  /** How often it was tried in vain. */
  readonly tries: number;
  /** When staff were notified of it. */
  readonly notifiedMs: number | null;
}

/** What the servers module asks of the database about outages. */
export interface OutagesRepo {
  /** By panel and node. There are few, and mostly none. */
  list(): Promise<Outage[]>;
  find(panel: string, node: string): Promise<Outage | null>;
  /** Writes an outage down, or what is new about it: since when it is stays, and with the same cause whether staff know. */
  save(outage: Outage): Promise<void>;
  /** Takes the next try of an outage: false where it is over, or somebody else has taken it. */
  claimRetry(panel: string, node: string, nowMs: number, nextMs: number): Promise<boolean>;
  /** Notes that staff were notified; false where somebody else did, or it is over. */
  markNotified(panel: string, node: string, atMs: number): Promise<boolean>;
  /** Whether an entry of the queue waits at a panel, or at a node of it. */
  hasWaiting(panel: string, node: string): Promise<boolean>;
  /** Ends an outage; false where it had ended. */
  end(panel: string, node: string): Promise<boolean>;
}
