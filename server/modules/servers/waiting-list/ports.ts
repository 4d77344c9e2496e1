/** What a new server would need of a location: MB, MB, count. */
export interface WantedServer {
  readonly eggId: string;
  readonly memory: number;
  readonly disk: number;
  readonly ports: number;
}
/** Somebody waits for capacity at a location. At most one row for a user and a location. */
export interface WaitingListEntry extends WantedServer {
  readonly id: string;
  readonly userId: string;
  readonly locationId: string;
  readonly createdMs: number;
  /** When its user was notified that there is capacity; null while waiting. */
  readonly notifiedMs: number | null;
}

/** What the waiting list asks of the database. */
export interface WaitingListRepo {
  /**
   * Adds a row; where the user waits at the location already, that one keeps its place and takes over what is wanted
   * now. One that was notified already begins again. Out: the row that counts.
   */
  join(row: WaitingListEntry): Promise<WaitingListEntry>;
  /** Removes a user's row at a location; false where there was none. */
  leave(userId: string, locationId: string): Promise<boolean>;
  /** Everything a user waits for or was notified of. */
  listByUser(userId: string): Promise<WaitingListEntry[]>;
  /** How many that are not notified stand before this one in its line. */
  countAhead(row: WaitingListEntry): Promise<number>;
  /** Length of each line, the notified left out; a location nobody waits for is absent. */
  lengths(): Promise<ReadonlyMap<string, number>>;
  /** The head of a line, first come first. */
  listWaiting(locationId: string, limit: number): Promise<WaitingListEntry[]>;
  /** How many of a location were notified since a moment and are still there: they may be about to come. */
  countNotifiedSince(locationId: string, sinceMs: number): Promise<number>;
  /** Notes that an entry was notified; false where it was before, or is gone. */
  markNotified(id: string, atMs: number): Promise<boolean>;
  /**
   * Removes what is over: notified before a moment, joined before another, of a location or an egg that is gone, and of
   * those who have got their server at the place meanwhile. Out: how many.
   */
  purge(notified: { beforeMs: number }, joined: { beforeMs: number }): Promise<number>;
  /** How many servers of a location went since a moment: each of them freed capacity. */
  countFreedSince(locationId: string, sinceMs: number): Promise<number>;
}
