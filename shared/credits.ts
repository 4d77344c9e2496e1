/** Credits ("coins") as a branded whole number, so that a price and a count cannot be mixed up. */
declare const brand: unique symbol;
export type Credits = number & { readonly [brand]: 'coins' };

/** Largest amount of credits a single command may move (keeps every sum a safe integer). */
export const MAX_CREDITS = 1_000_000_000_000;

/**
 * Asserts that a number is an amount of credits. In: any number. Out: the same number, branded. Throws RangeError
 * unless it is a whole number from 0 to `MAX_CREDITS`.
 */
export function toCredits(value: number): Credits {
  if (!Number.isSafeInteger(value) || value < 0 || value > MAX_CREDITS)
    throw new RangeError(`not an amount of credits: ${value}`);
  return value as Credits;
}
