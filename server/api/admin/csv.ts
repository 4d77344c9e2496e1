import { toCsv } from '#server/api/csv.ts';

/** One value as a cell: switches as words, lists as JSON. */
function cell(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

/** A CSV file (RFC 4180): the fields as the first line, then a line for each row. No cell is one that a spreadsheet would run (attacks T29). */
export function csvOf(fields: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  return toCsv([[...fields]]) + csvLines(fields, rows);
}

/** Further lines of such a file. */
export function csvLines(fields: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  return toCsv(rows.map((row) => fields.map((field) => cell(row[field]))));
}
