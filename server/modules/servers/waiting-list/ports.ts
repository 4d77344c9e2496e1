/** What a new server would need of a place: MB, MB, count. */
export interface WantedServer {
  readonly eggId: string;
  readonly memory: number;
  readonly disk: number;
  readonly ports: number;
}
/** Somebody waits for room at a location. At most one row for a user and a location. */
export interface WaitingListEntry extends WantedServer {
  readonly id: string;
  readonly userId: string;
  readonly locationId: string;
  readonly createdMs: number;
  /** When it was told that there is room; null while waiting. */
  readonly notifiedMs: number | null;
}

/** What the waiting list asks of the database. */
export interface WaitingListRepo {
  /**
   * Adds a row; where the user waits at the location already, that one keeps its place and takes over what is wanted
   * now. One that was told already begins anew. Out: the row that counts.
   */
  join(row: WaitingListEntry): Promise<WaitingListEntry>;
  /** Removes a user's row at a location; false where there was none. */
  leave(userId: string, locationId: string): Promise<boolean>;
  /** Everything a user waits for or was told of. */
  listByUser(userId: string): Promise<WaitingListEntry[]>;
  /** How many untold ones stand before this one in its line. */
  countAhead(row: WaitingListEntry): Promise<number>;
  /** Length of each line, the told ones left out; a location nobody waits for is absent. */
  lengths(): Promise<ReadonlyMap<string, number>>;
  /** The head of a line, first come first. */
  listWaiting(locationId: string, limit: number): Promise<WaitingListEntry[]>;
  /** How many of a location were told since a moment and are still there: they may be about to come. */
  countNotifiedSince(locationId: string, sinceMs: number): Promise<number>;
  /** Notes that a row was told; false where it was before, or is gone. */
  markNotified(id: string, atMs: number): Promise<boolean>;
  /**
   * Removes what is over: told before a moment, begun before another, of a location or an egg that is gone, and of
   * those who have got their server at the place meanwhile. Out: how many.
   */
  purge(told: { beforeMs: number }, begun: { beforeMs: number }): Promise<number>;
  /** How many servers of a location went since a moment: each of them made room. */
  countFreedSince(locationId: string, sinceMs: number): Promise<number>;
}
