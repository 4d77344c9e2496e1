/**
 * Parts of the proof: all balances make 0; each is what its postings make; no wallet below zero; no transaction without
 * postings, no posting without transaction; sums by day; holds; held rewards.
 */
export const LEDGER_PROOFS = [
  'sum',
  'postings',
  'belowZero',
  'empty',
  'orphans',
  'days',
  'holds',
  'heldRewards',
] as const;
export type LedgerProof = (typeof LEDGER_PROOFS)[number];
