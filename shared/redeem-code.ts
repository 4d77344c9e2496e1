/**
 * The form in which redeem codes are compared (behaviour 4.2): without case, spaces, dashes and underscores. In: what a
 * person typed or an admin wrote. Out: the key, kept in `code_key`; empty where nothing but separators was typed.
 * Applying it twice changes nothing.
 */
export function normaliseCode(code: string): string {
  return code.normalize('NFKC').toUpperCase().normalize('NFKC').replaceAll(SEPARATORS, '');
}
/** White space, every kind of dash (also the minus sign) and the underscore. */
const SEPARATORS = /[\s\p{Pd}\u2212_]/gu;

/** How a code begins, for whoever may know that it is used but not redeem it. */
export function maskCode(code: string): string {
  return `${code.slice(0, 2)}••••`;
}
