/** Maximum length of the note with a gift. */
export const GIFT_NOTE_MAX = 120;

/** Credits that a gift moves: to the receiver, as the fee, and from the sender in all. */
export interface GiftPrice {
  readonly amount: number;
  readonly fee: number;
  readonly total: number;
}

/**
 * What a gift costs (behaviour 5.4): the fee is rounded up and paid by the sender in addition. The only place where it
 * is computed. In: credits for the receiver, and whole percent (0 to 100).
 */
export function giftPrice(amount: number, percent: number): GiftPrice {
  const fee = Math.floor((amount * percent + 99) / 100);
  return { amount, fee, total: amount + fee };
}
