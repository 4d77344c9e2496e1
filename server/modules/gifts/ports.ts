type GiftSide = 'sent' | 'received';
interface Gift {
  readonly id: string;
  readonly senderId: string;
  readonly recipientId: string;
  readonly amount: number;
  readonly fee: number;
  readonly note: string;
  readonly txId: string;
  readonly createdMs: number;
}

export interface GiftsRepo {
  add(gift: Gift): Promise<void>;
  /** Credits a user sent or received on a day (YYYY-MM-DD), without fees. */
  moved(userId: string, side: GiftSide, day: string): Promise<number>;
  /**
   * Adds where the sum stays at or below `max`; false, and nothing added, where it would not. One statement, so exact
   * under concurrency.
   */
  addWithin(userId: string, side: GiftSide, day: string, credits: number, max: number): Promise<boolean>;
  /**
   * Removes the sums of days before this one (YYYY-MM-DD) from the next `limit` sums after a user, in the order of
   * their ids; the gifts stay. Out: the user to go on after; null at the end.
   */
  purgeDays(beforeDay: string, afterUserId: string, limit: number): Promise<string | null>;
}
