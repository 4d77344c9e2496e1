import type { Format } from '#client/lib/format.ts';
import type { ServerSchedule } from '#shared/contract/server-schedules.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { TFn } from '#shared/i18n/types.ts';
import { LAST_DAY, type ScheduleStep, type ScheduleTiming } from '#shared/schemas/server-schedules.ts';
import { SECOND } from '#shared/time.ts';

/** A Monday, UTC. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** Name of a day of the week, 1 is Monday: in full for sentences, or short for a row of boxes. */
export function weekdayName(day: number, { locale }: Pick<Format, 'locale'>, length: 'long' | 'short'): string {
  const names = new Intl.DateTimeFormat(LOCALE_INFO[locale].bcp47, { weekday: length, timeZone: 'UTC' });
  return names.format(MONDAY + (day - 1) * DAY_MS);
}

/** When a schedule comes round, in words. */
function timingText(timing: ScheduleTiming, t: TFn<'live'>, format: Format): string {
  switch (timing.every) {
    case 'minutes':
      return t('schedules.when.minutes', { count: timing.minutes });
    case 'hours':
      return t('schedules.when.hours', { count: timing.hours, time: `00:${String(timing.minute).padStart(2, '0')}` });
    case 'day':
      return t('schedules.when.day', { time: timing.time });
    case 'week': {
      const days = timing.days.toSorted((a, b) => a - b).map((day) => weekdayName(day, format, 'long'));
      return days.length === 7
        ? t('schedules.when.day', { time: timing.time })
        : t('schedules.when.week', { days: format.list(days), time: timing.time });
    }
    case 'month':
      return timing.day === LAST_DAY
        ? t('schedules.when.lastDay', { time: timing.time })
        : t('schedules.when.month', { day: String(timing.day), time: timing.time });
  }
}

/** The same with what else decides: the time zone where it is another than the reader's, and whether it has to run. */
export function conditionText(schedule: ServerSchedule, t: TFn<'live'>, format: Format): string {
  const when = timingText(schedule.timing, t, format);
  const isElsewhere = schedule.time_zone !== format.timeZone && schedule.timing.every !== 'minutes';
  const whole = isElsewhere ? t('schedules.inZone', { when, zone: schedule.time_zone }) : when;
  return schedule.only_online ? `${whole}, ${t('schedules.onlyOnlineShort')}` : whole;
}

/** What a step does, and after what pause. */
export function stepText({ action, command, pause_s: pause }: ScheduleStep, t: TFn<'live'>, format: Format): string {
  const what = action === 'command' ? t('schedules.sends', { command }) : t(`schedules.action.${action}`);
  return pause === 0 ? what : `${what} ${t('schedules.after', { time: format.duration(pause * SECOND) })}`;
}

/** How the last run went; when the next is. */
export function runTexts(schedule: ServerSchedule, t: TFn<'live'>, format: Format, nowMs: number): string[] {
  const { last, next_at: next, running } = schedule;
  const outcome = last && t(`schedules.outcome.${last.outcome}`, { step: String(last.step ?? '') });
  return [
    running
      ? t('schedules.running')
      : next === null
        ? t('schedules.off')
        : t('schedules.next', { time: soon(next, nowMs, format) }),
    last === null
      ? t('schedules.never')
      : t('schedules.last', { time: format.when(last.at, nowMs), outcome: outcome ?? '' }),
  ];
}

/** A moment to come: today’s as a time, others with their day. */
const soon = (at: string, nowMs: number, format: Format): string =>
  Date.parse(at) - nowMs < DAY_MS && format.date(at) === format.date(nowMs)
    ? format.when(at, nowMs)
    : format.dateTime(at);
