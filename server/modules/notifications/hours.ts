import type { NotificationTimes } from '#shared/notifications.ts';
import { DAY } from '#shared/time.ts';
import { wallTime, wallTimeToMs } from '#shared/zoned.ts';

const clockAt = (day: string, hour: number): string => `${day}T${String(hour).padStart(2, '0')}:00`;

/** The next moment, after this one, at which clocks of a zone show a full hour (0 to 23). In and out: UTC ms. */
export function nextHour(nowMs: number, hour: number, zone: string): number {
  // Two days ahead at most: a day that lacks the hour has the one after it.
  for (const ms of [nowMs, nowMs + DAY, nowMs + 2 * DAY]) {
    const at = wallTimeToMs(clockAt(wallTime(ms, zone).slice(0, 10), hour), zone);
    if (at !== null && at > nowMs) return at;
  }
  return nowMs + DAY;
}

/** When the quiet hours of a zone end in which a moment lies; that moment itself where it lies in none. UTC ms. */
export function endOfQuiet(nowMs: number, quiet: NotificationTimes['quiet'], zone: string): number {
  if (quiet === null) return nowMs;
  const { from, until } = quiet;
  const hour = Number(wallTime(nowMs, zone).slice(11, 13));
  const isQuiet = from < until ? hour >= from && hour < until : hour >= from || hour < until;
  return isQuiet ? nextHour(nowMs, until, zone) : nowMs;
}
