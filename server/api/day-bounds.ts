import { fieldError } from '#shared/errors.ts';
import { DAY, dayIn, HOUR, MINUTE } from '#shared/time.ts';

/**
 * The first moment of a calendar day in a time zone, as UTC ms. In: `YYYY-MM-DD`. Where clocks are put forward at
 * midnight the day begins later. It is found by bisection: no zone is more than 15 hours from UTC, and all changes fall
 * on quarter hours.
 */
export function startOfDay(day: string, timeZone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  let low = utc - 15 * HOUR;
  let high = utc + 15 * HOUR;
  while (high - low > 15 * MINUTE) {
    const middle = low + Math.floor((high - low) / (30 * MINUTE)) * 15 * MINUTE;
    if (dayIn(middle, timeZone) < day) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The time span of a filter by days, both included. In: `from` and `to` as `YYYY-MM-DD`, either may be absent. Out: UTC
 * ms, both included. Throws VALIDATION_FAILED with INVALID_DATE for an impossible day, or END_BEFORE_START.
 */
export function daySpan(
  query: { from?: string | undefined; to?: string | undefined },
  timeZone: string,
): { fromMs?: number; toMs?: number } {
  for (const field of ['from', 'to'] as const) {
    const day = query[field];
    const parsed = day === undefined ? 0 : Date.parse(`${day}T00:00:00Z`);
    // `Date.parse` refuses a day such as 31 February or rolls it over, depending on the engine: both are caught.
    if (day !== undefined && (Number.isNaN(parsed) || new Date(parsed).toISOString().slice(0, 10) !== day))
      throw fieldError(field, 'INVALID_DATE');
  }
  const { from, to } = query;
  if (from !== undefined && to !== undefined && to < from) throw fieldError('to', 'END_BEFORE_START');
  return {
    ...(from !== undefined ? { fromMs: startOfDay(from, timeZone) } : {}),
    ...(to !== undefined ? { toMs: startOfDay(nextDay(to), timeZone) - 1 } : {}),
  };
}

function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10);
}
