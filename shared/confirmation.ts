/**
 * How it stands with an address: confirmed by its owner (or vouched for by the operator), waiting for that, or nobody
 * asks for it.
 */
export const CONFIRMATIONS = ['confirmed', 'pending', 'not_asked'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];

/**
 * The state of an address, the same for whoever looks. In: when it was confirmed (UTC ms), and whether the host asks
 * for it.
 */
export function confirmationOf(verifiedMs: number | null, asked: boolean): Confirmation {
  if (verifiedMs !== null) return 'confirmed';
  return asked ? 'pending' : 'not_asked';
}
