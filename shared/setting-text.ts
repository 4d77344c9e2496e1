import { formatDecimal, parseDecimal } from './money.ts';
import { SETTINGS, type SettingKey, type SettingRow } from './settings.ts';

/**
 * Settings as people write them. Money is kept in minor units and a tax rate in hundredths of a per cent, so that every
 * sum stays exact; nobody outside the program ever sees either: `tax_rate` 1900 is written `19`, `payment_min` 100 in
 * EUR is written `1.00`.
 */
const UNITS = { minor: 'money', '0.01 %': 'percent' } as const;
/** A currency with two decimals, by whose rules percentages are read and written. */
const PERCENT = 'EUR';
type Notation = 'money' | 'percent' | 'whole';

/** How a number is written: as money, as a percentage with up to two decimals, or as the whole number it is. */
export function notationOf(key: SettingKey): Notation {
  const row: SettingRow = SETTINGS[key];
  return row.type === 'number' && Object.hasOwn(UNITS, row.unit) ? UNITS[row.unit as keyof typeof UNITS] : 'whole';
}

/** A value as it is typed. In: the key, its value, and the installation's currency. */
export function formatSetting(key: SettingKey, value: string | number | boolean, currency: string): string {
  if (typeof value !== 'number') return typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
  const as = notationOf(key);
  if (as === 'money') return formatDecimal({ minor: value, currency });
  if (as === 'percent') return formatDecimal({ minor: value, currency: PERCENT }).replace(/\.?0+$/, '');
  return String(value);
}

/**
 * What was typed for a number, as it is kept: `19`, `8.1` or `8,1` of a percentage, `4.99` of money. Null for what is
 * no such number. Bounds are the registry's to check.
 */
export function parseSettingNumber(key: SettingKey, typed: string, currency: string): number | null {
  const text = typed.trim().replace(/\s*%$/, '').replace(',', '.');
  const as = notationOf(key);
  if (as === 'money') return parseDecimal(text, currency);
  // Two decimals, as most money has.
  if (as === 'percent') return parseDecimal(text, PERCENT);
  return /^-?\d+$/.test(text) ? Number(text) : null;
}
