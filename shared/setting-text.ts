import { formatDecimal, parseDecimal } from './money.ts';
import { SETTINGS, type SettingKey, type SettingRow } from './settings.ts';

/**
 * Settings as text. Money is stored in minor units and a tax rate in hundredths of a per cent, so that every sum stays
 * exact; neither is shown outside the program: `tax_rate` 1900 is written `19`, `payment_min` 100 in EUR is written
 * `1.00`.
 */
const UNITS = { minor: 'money', '0.01 %': 'percent' } as const;
/** A currency with two decimals, by whose rules percentages are parsed and formatted. */
const PERCENT = 'EUR';
type Notation = 'money' | 'percent' | 'whole';

/** The notation of a setting: money, a percentage with up to two decimals, or a whole number. */
export function notationOf(key: SettingKey): Notation {
  const row: SettingRow = SETTINGS[key];
  return row.type === 'number' && Object.hasOwn(UNITS, row.unit) ? UNITS[row.unit as keyof typeof UNITS] : 'whole';
}

/** Formats a setting's value as it is typed. In: the key, its value, and the installation's currency. */
export function formatSetting(key: SettingKey, value: string | number | boolean, currency: string): string {
  if (typeof value !== 'number') return typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
  const as = notationOf(key);
  if (as === 'money') return formatDecimal({ minor: value, currency });
  if (as === 'percent') return formatDecimal({ minor: value, currency: PERCENT }).replace(/\.?0+$/, '');
  return String(value);
}

/**
 * Parses a typed number to its stored form: `19`, `8.1` or `8,1` of a percentage, `4.99` of money. Null if it is not
 * such a number. Does not check the bounds.
 */
export function parseSettingNumber(key: SettingKey, typed: string, currency: string): number | null {
  const text = typed.trim().replace(/\s*%$/, '').replace(',', '.');
  const as = notationOf(key);
  if (as === 'money') return parseDecimal(text, currency);
  // Two decimals, as most money has.
  if (as === 'percent') return parseDecimal(text, PERCENT);
  return /^-?\d+$/.test(text) ? Number(text) : null;
}
