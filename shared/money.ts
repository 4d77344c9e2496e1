/** Money: whole minor units with an ISO 4217 code (behaviour 1). */
export interface Money {
  readonly minor: number;
  readonly currency: string;
}

/** Largest amount of money of one order, in minor units, so that every sum stays a safe integer. */
export const MAX_MINOR = 1_000_000_000;

/** Currencies without minor units, and with three digits of them (ISO 4217). All others have two. */
const WITHOUT_MINOR_UNITS = new Set([
  'BIF',
  'CLP',
  'DJF',
  'GNF',
  'ISK',
  'JPY',
  'KMF',
  'KRW',
  'PYG',
  'RWF',
  'UGX',
  'UYI',
  'VND',
  'VUV',
  'XAF',
  'XOF',
  'XPF',
]);
const THREE_DIGITS = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);

/** The codes of all currencies with so many digits, other than two. */
export const currenciesWithDigits = (digits: 0 | 3): readonly string[] => [
  ...(digits === 0 ? WITHOUT_MINOR_UNITS : THREE_DIGITS),
];

/** Digits of a currency's minor units: 0, 2 or 3. In: a code in capitals. */
export function minorDigits(currency: string): number {
  if (WITHOUT_MINOR_UNITS.has(currency)) return 0;
  return THREE_DIGITS.has(currency) ? 3 : 2;
}

/**
 * Formats an amount as decimal text with exactly its currency's digits: `500` EUR → `5.00`, `500` JPY → `500`, `5000`
 * KWD → `5.000`. In: a whole number from 0.
 */
export function formatDecimal({ minor, currency }: Money, digits: number = minorDigits(currency)): string {
  if (!Number.isSafeInteger(minor) || minor < 0) throw new RangeError(`not an amount of money: ${minor}`);
  const text = String(minor).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * Parses decimal text to minor units, without floating point: `5`, `5.0` and `5.00` EUR are 500; more digits than the
 * currency has are only accepted if they are zeros. Null for anything else, or above `MAX_MINOR`.
 */
export function parseDecimal(text: string, currency: string): number | null {
  const found = /^(\d{1,12})(?:\.(\d{1,8}))?$/.exec(text);
  if (!found) return null;
  const digits = minorDigits(currency);
  const fraction = (found[2] ?? '').padEnd(digits, '0');
  if (/[1-9]/.test(fraction.slice(digits))) return null;
  const minor = Number(`${found[1] ?? ''}${fraction.slice(0, digits)}`);
  return minor <= MAX_MINOR ? minor : null;
}

/**
 * The tax within a price that includes it, rounded half up. In: the price in minor units, the rate in hundredths of a
 * per cent (1900 is 19 %).
 */
export function includedTax(minor: number, rate: number): number {
  const [gross, per] = [BigInt(minor), BigInt(rate)];
  const whole = 10_000n + per;
  return Number((gross * per * 2n + whole) / (whole * 2n));
}

/** Whole credits for an amount of money, rounded down. `rate`: credits for one whole unit of the currency (one euro). */
export function creditsFor({ minor, currency }: Money, rate: number): number {
  return Number((BigInt(minor) * BigInt(rate)) / 10n ** BigInt(minorDigits(currency)));
}

/**
 * The part of the credits that corresponds to a part of the money, rounded up, never more than all: what a refund takes
 * back.
 */
export function proportionalCredits(credits: number, part: number, whole: number): number {
  if (whole <= 0 || part <= 0) return 0;
  if (part >= whole) return credits;
  const [of, up, down] = [BigInt(credits), BigInt(part), BigInt(whole)];
  return Number((of * up + down - 1n) / down);
}

const formats = new Map<string, Intl.NumberFormat>();

/** Formats money in a language: `€5.00`, `5,00 €`. In: money and a language tag for `Intl`. */
export function formatMoney({ minor, currency }: Money, tag: string): string {
  const digits = minorDigits(currency);
  const key = `${tag} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(tag, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(key, format);
  }
  return format.format(minor / 10 ** digits);
}
