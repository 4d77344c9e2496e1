import { toCsv } from '#server/api/csv.ts';
import type { Clock, SignedIn } from '#server/modules/kernel.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import { isCurrency } from '#shared/currencies.ts';
import { formatDecimal, minorDigits } from '#shared/money.ts';
import { dayIn } from '#shared/time.ts';

type Row = Readonly<Record<string, unknown>>;

/** The suffix of fields that hold money in minor units; files have it in decimals. */
const MINOR_SUFFIX = /_minor$/;

/** The cell of a field: money in decimals of the row's currency, switches as `true` or `false`, lists as JSON. */
function toCell(row: Row, field: string): string | number | null {
  const value = row[field];
  if (value === null || value === undefined) return null;
  if (
    MINOR_SUFFIX.test(field) &&
    typeof value === 'number' &&
    typeof row.currency === 'string' &&
    isCurrency(row.currency)
  ) {
    // Below 0 it is a number: as a text it would be taken for a formula.
    if (value < 0) return value / 10 ** minorDigits(row.currency);
    return formatDecimal({ minor: value, currency: row.currency });
  }
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

/**
 * Formats rows as a CSV file (RFC 4180): the names of the fields in the first line, then a line for each row. No cell
 * is a formula to a spreadsheet (attacks T29).
 */
export function toCsvFile(fields: readonly string[], rows: readonly Row[]): string {
  return toCsv([fields.map((field) => field.replace(MINOR_SUFFIX, ''))]) + toCsvLines(fields, rows);
}

/** Formats further rows of such a file, without the first line. */
export function toCsvLines(fields: readonly string[], rows: readonly Row[]): string {
  return toCsv(rows.map((row) => fields.map((field) => toCell(row, field))));
}

/** A CSV file in parts, as its rows are read: what of it was read goes out at once. */
export async function* toCsvParts(
  fields: readonly string[],
  parts: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield toCsvFile(fields, []);
  for await (const rows of parts) {
    const text = toCsvLines(fields, rows);
    if (text !== '') yield text;
  }
}

/** The same rows in another shape. */
export async function* mapParts<A, B>(
  parts: AsyncIterable<readonly A[]>,
  toRow: (row: A) => B,
): AsyncGenerator<readonly B[]> {
  for await (const rows of parts) yield rows.map(toRow);
}

/** What the name of a file takes its day from. */
export interface FileDay {
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'current'>;
}
/** The day in a file's name, in the time zone of whoever asks. */
export const dayOfFile = ({ actor }: SignedIn, { clock, settings }: FileDay): string =>
  dayIn(clock.now(), actor.timeZone ?? settings.current().app_timezone);
