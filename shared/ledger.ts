/**
 * Parts of the proof: all balances make 0; each is what its postings make; no wallet below zero; no transaction without
 * postings, no posting without transaction; sums by day; holds; held rewards; the archive, whose content, seals, sums
 * and balances follow from each other.
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
  'archive',
] as const;
export type LedgerProof = (typeof LEDGER_PROOFS)[number];

/** Kinds of transaction by which users pay for something with credits. */
const SPENDING: ReadonlySet<string> = new Set(['store.buy', 'server.renew', 'image.upload']);
/** Whether a kind of transaction is a user's payment for something. */
export const isSpending = (kind: string): boolean => SPENDING.has(kind);
