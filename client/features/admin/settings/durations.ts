import type { SettingRow } from '#shared/setting-rows.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';

/** The length of each unit in ms, the shortest first. No setting is stored in weeks. */
const LENGTHS = { ms: 1, s: SECOND, min: MINUTE, h: HOUR, days: DAY, weeks: 7 * DAY } as const;
type DurationUnit = keyof typeof LENGTHS;
const UNITS = Object.keys(LENGTHS) as DurationUnit[];

/** Name of the field with the unit that a duration is typed in. */
export const unitName = (key: string): string => `unit:${key}`;

/**
 * The units that a setting can be typed in: the one it is stored in, and each longer one that its maximum has room for;
 * none where it is no duration.
 */
export function durationUnits(row: SettingRow): readonly DurationUnit[] {
  const stored = row.type === 'number' ? UNITS.find((unit) => unit === row.unit) : undefined;
  if (row.type !== 'number' || stored === undefined) return [];
  return UNITS.filter((unit) => LENGTHS[unit] >= LENGTHS[stored] && LENGTHS[unit] <= row.max * LENGTHS[stored]);
}

/**
 * A stored number in the longest unit of which it is a whole number: 72 hours are 3 days. Days stay days, however many
 * weeks they are. Null where the setting is no duration.
 */
export function toReadable(
  row: SettingRow,
  value: number,
): { readonly count: number; readonly unit: DurationUnit } | null {
  const units = durationUnits(row);
  const [stored] = units;
  if (stored === undefined) return null;
  const whole = units.filter((unit) => unit !== 'weeks' && (value * LENGTHS[stored]) % LENGTHS[unit] === 0);
  const unit = value === 0 ? stored : (whole.at(-1) ?? stored);
  return { count: (value * LENGTHS[stored]) / LENGTHS[unit], unit };
}

/**
 * What was typed, as the setting is stored: `1.5` in hours is `90` of a setting in minutes. Without a unit, as it is.
 * What is no whole number of the stored unit gets its unit, so that nobody reads it as a number.
 */
export function toStored(row: SettingRow, typed: string, unit: string | null): string {
  const units = durationUnits(row);
  const [stored] = units;
  if (stored === undefined || unit === null || typed === '') return typed;
  const known = units.find((each) => each === unit);
  const number = /^-?\d+(?:[.,]\d+)?$/.test(typed) ? Number(typed.replace(',', '.')) : Number.NaN;
  // Six decimals: 1.1 hours are 66 minutes, whatever floating point makes of it.
  const count = known === undefined ? Number.NaN : Number(((number * LENGTHS[known]) / LENGTHS[stored]).toFixed(6));
  return Number.isSafeInteger(count) ? String(count) : `${typed} ${unit}`;
}
