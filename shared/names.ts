/**
 * The form in which names and addresses are compared, stored as keys and counted: without case and without the look of
 * their characters (full-width, ligatures). Whoever asks about a name asks by this one function, so that two spellings
 * of an account are one everywhere.
 */
export function normaliseName(text: string): string {
  return text.trim().normalize('NFKC').toLowerCase();
}
