/** The confirmation of an address: confirmed by its owner (or by the operator), pending, or not required. */
export const CONFIRMATIONS = ['confirmed', 'pending', 'not_asked'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];

/**
 * The confirmation state of an address. In: when it was confirmed (UTC ms; null: never), and whether the host requires
 * it.
 */
export function confirmationOf(verifiedMs: number | null, asked: boolean): Confirmation {
  if (verifiedMs !== null) return 'confirmed';
  return asked ? 'pending' : 'not_asked';
}
