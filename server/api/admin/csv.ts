/** Text that a spreadsheet would run as a formula (attacks T29). */
const FORMULA = /^[=+\-@\t\r]/;

/** One cell: numbers as they are, text quoted where it must be and disarmed where a spreadsheet would run it. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  const text = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A CSV file (RFC 4180): the fields as the first line, then a line for each row. */
export function csvOf(fields: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  return [fields, ...rows.map((row) => fields.map((field) => row[field]))].map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}
