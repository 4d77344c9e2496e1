import { toCsv } from '#server/api/csv.ts';
import { formatDecimal, isCurrency } from '#shared/money.ts';

type Row = Readonly<Record<string, unknown>>;

/** Ends the names of money in minor units: a file has it as people write it. */
const MINOR = /_minor$/;

/** One value as a cell: money in decimals of the row's currency, switches as words, lists as JSON. */
function cell(row: Row, field: string): string | number | null {
  const value = row[field];
  if (value === null || value === undefined) return null;
  if (MINOR.test(field) && typeof value === 'number' && typeof row.currency === 'string' && isCurrency(row.currency)) {
    return formatDecimal({ minor: value, currency: row.currency });
  }
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

/**
 * A CSV file (RFC 4180): the fields as the first line, then a line for each row. No cell is one that a spreadsheet
 * would run (attacks T29).
 */
export function csvOf(fields: readonly string[], rows: readonly Row[]): string {
  return toCsv([fields.map((field) => field.replace(MINOR, ''))]) + csvLines(fields, rows);
}

/** Further lines of such a file. */
export function csvLines(fields: readonly string[], rows: readonly Row[]): string {
  return toCsv(rows.map((row) => fields.map((field) => cell(row, field))));
}
