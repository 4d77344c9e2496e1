import { MINUTE } from './time.ts';

/** Conversion between UTC ms and wall time of a time zone. Zones are IANA names; an unknown one throws RangeError. */
/** Whether a text names a time zone: an IANA name, neither an offset nor a guess. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function wallFormat(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    const two = '2-digit';
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: two,
      day: two,
      hour: two,
      minute: two,
    });
    formats.set(zone, format);
  }
  return format;
}

/** What a clock in the zone shows, as `2026-11-21T19:04`: the value of a date-and-time input. In: UTC ms. */
export function wallTime(ms: number, zone: string): string {
  const parts = Object.fromEntries(
    wallFormat(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  return `${(parts.year ?? '').padStart(4, '0')}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

/** How far the zone's clock is ahead of UTC at a moment, in ms (whole minutes). */
function offsetAt(ms: number, zone: string): number {
  const minute = Math.floor(ms / MINUTE) * MINUTE;
  return Date.parse(`${wallTime(minute, zone)}Z`) - minute;
}

/**
 * Converts wall time of a zone to UTC ms. In: `2026-11-21T19:04` (seconds are allowed and kept). Out: UTC ms, or null
 * for other text. A time that is skipped when clocks go forward becomes the hour after; one that comes twice means the
 * first.
 */
export function wallTimeToMs(wall: string, zone: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(wall)) return null;
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc)) return null;
  // Tries the offsets before and after a change of clocks; the earlier match wins.
  const tries = [asUtc - offsetAt(asUtc - 24 * 60 * MINUTE, zone), asUtc - offsetAt(asUtc + 24 * 60 * MINUTE, zone)];
  const hit = tries.filter((ms) => wallTime(ms, zone) === wall.slice(0, 16));
  return hit.length > 0 ? Math.min(...hit) : (tries[0] ?? null);
}

/** Days begin on a quarter of an hour of UTC in every zone, so one result holds for a whole quarter. */
const QUARTER = 15 * MINUTE;
const dayStarts = new Map<string, number>();
const DAY_STARTS_KEPT = 2000;

/** The start of the calendar day of a moment in the zone, UTC ms. Cached: each computation formats several dates. */
export function startOfDay(ms: number, zone: string): number {
  const key = `${zone} ${Math.floor(ms / QUARTER)}`;
  let start = dayStarts.get(key);
  if (start === undefined) {
    start = wallTimeToMs(`${wallTime(ms, zone).slice(0, 10)}T00:00`, zone) ?? ms;
    if (dayStarts.size >= DAY_STARTS_KEPT) dayStarts.clear();
    dayStarts.set(key, start);
  }
  return start;
}
