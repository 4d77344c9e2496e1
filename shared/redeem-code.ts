/**
 * Normalises redeem codes for comparison (behaviour 4.2): without case, spaces, dashes and underscores. In: a code as
 * typed by a player or staff. Out: the key, stored in `code_key`; empty if there are only separators. Idempotent.
 */
export function normaliseCode(code: string): string {
  return code.normalize('NFKC').toUpperCase().normalize('NFKC').replaceAll(SEPARATORS, '');
}
/** White space, every kind of dash (also the minus sign) and the underscore. */
const SEPARATORS = /[\s\p{Pd}\u2212_]/gu;

/** The beginning of a code, for those who may know that it exists but not redeem it. */
export function maskCode(code: string): string {
  return `${code.slice(0, 2)}••••`;
}
