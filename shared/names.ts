/**
 * Normalises names and addresses for comparison, keys and counting: folds case and compatibility forms (full-width,
 * ligatures). Every comparison of names uses it, so that two spellings of an account are one everywhere.
 */
export function normaliseName(text: string): string {
  return text.trim().normalize('NFKC').toLowerCase();
}
