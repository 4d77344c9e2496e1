/**
 * `?` to `+?`, which means the same. Of a bare `?` beside ORDER BY or in a join SQLite looks at the value while it
 * plans, and so compiles the statement anew whenever another is bound: ten times the work of running it. Text in quotes
 * is left alone.
 */
export function withBlindPlaceholders(sql: string): string {
  return sql.replace(/'(?:[^']|'')*'|\?/g, (part) => (part === '?' ? '+?' : part));
}
