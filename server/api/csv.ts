type Cell = string | number | null;

/**
 * Formats rows as CSV (RFC 4180: CRLF, quotes doubled). A text that a spreadsheet would take for a formula gets an
 * apostrophe in front (attacks T29); numbers stay numbers.
 */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');
}

function formatCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // Spreadsheets skip leading blanks.
  const safe = /^\s*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
