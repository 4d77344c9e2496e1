import { DAY, dayIn, HOUR } from '#shared/time.ts';

/** Days run from 23 to 25 hours where clocks are changed; a zone that moves over the date line stays within this too. */
const LONGEST_DAY = 49 * HOUR;

/**
 * When the calendar day of a moment ends in a time zone: the first millisecond of the next day. In: UTC ms and an IANA
 * zone name. Out: UTC ms, always later than `ms`.
 */
export function dayEnd(ms: number, timeZone: string): number {
  const day = dayIn(ms, timeZone);
  const known = ends.get(timeZone);
  if (known?.day === day && known.end > ms) return known.end;
  let inside = ms;
  let end = ms + LONGEST_DAY;
  while (end - inside > 1) {
    const middle = Math.floor((inside + end) / 2);
    if (dayIn(middle, timeZone) === day) inside = middle;
    else end = middle;
  }
  ends.set(timeZone, { day, end });
  return end;
}
/** The last answer of each zone: the search takes some thirty date formats, and the answer holds for a day. */
const ends = new Map<string, { day: string; end: number }>();

/** The calendar days up to and with `day` (YYYY-MM-DD), oldest first. `count` of them, 1 or more. */
export function lastDays(day: string, count: number): string[] {
  const noon = Date.parse(`${day}T12:00:00Z`);
  return Array.from({ length: count }, (_, index) => dayIn(noon - (count - 1 - index) * DAY, 'UTC'));
}
