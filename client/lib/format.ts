import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { TFn } from '#shared/i18n/types.ts';
import type { Translator } from './translator.ts';

/** A moment: milliseconds since 1970 (UTC) or an ISO 8601 string, as it comes over the wire. */
export type Moment = number | string;

/** Numbers, sizes and times in the reader's language and time zone. */
export interface Format {
  readonly locale: Locale;
  readonly timeZone: string;
  /** `1,284`; at most three decimals. */
  number(n: number): string;
  /** `1,284 credits`, in words for sentences and accessible names. Amounts on screen use `<CreditAmount>`. */
  credits(n: number): string;
  /** `0.42` → `42 %`, rounded to whole per cent unless digits are asked for. */
  percent(ratio: number, digits?: number): string;
  /** `17 Nov 2026` */
  date(at: Moment): string;
  /** `17 Nov 2026, 19:02` */
  dateTime(at: Moment): string;
  /** `19:02` */
  time(at: Moment): string;
  /**
   * Close by in short, further off in full: `Today 19:02`, `Yesterday 09:10`, `17 Nov` in this year, then `17 Nov
   * 2025`.
   */
  when(at: Moment, nowMs: number): string;
  /** `3 min ago`, `in 2 days`. */
  relative(at: Moment, nowMs: number): string;
  /** The two largest units: `1 d 14 h`, `45 min 3 s`; under a second `0 s`. Negative counts as zero. */
  duration(ms: number): string;
  /** MB in, `512 MB`, `4 GB` or `1.5 GB` out (1 GB = 1,024 MB). */
  memory(mb: number): string;
  /** `Ana, Ion and Mira` */
  list(texts: readonly string[]): string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const made = new WeakMap<Translator, Map<string, Format>>();

/** The formatter of a translator and a time zone (IANA name), made once. An unknown zone counts as UTC. */
export function createFormat(translator: Translator, timeZone: string): Format {
  const byZone = made.get(translator) ?? new Map<string, Format>();
  made.set(translator, byZone);
  let format = byZone.get(timeZone);
  if (!format) byZone.set(timeZone, (format = makeFormat(translator, knownZone(timeZone))));
  return format;
}

function makeFormat(translator: Translator, timeZone: string): Format {
  const { locale } = translator;
  const t = translator.t('ui');
  const tag = LOCALE_INFO[locale].bcp47;
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 3, useGrouping: true });
  const short = new Intl.NumberFormat(tag, { maximumFractionDigits: 2, useGrouping: true });
  const dates = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', year: 'numeric', timeZone });
  const days = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', timeZone });
  const times = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone });
  const number = (n: number): string => numbers.format(n);
  const date = (at: Moment): string => dates.format(toMs(at));
  const time = (at: Moment): string => times.format(toMs(at));
  return {
    locale,
    timeZone,
    number,
    date,
    time,
    credits: (n) => t('credits', { count: Math.abs(n), amount: number(n) }),
    percent: (ratio, digits = 0) => t('percent', { value: rounded(tag, digits).format(ratio * 100) }),
    dateTime: (at) => `${date(at)}, ${time(at)}`,
    when: (at, nowMs) => when({ at: toMs(at), nowMs, timeZone, t, days, date, time }),
    relative: (at, nowMs) => relative(tag, toMs(at) - nowMs),
    duration: (ms) => duration(ms, t),
    memory: (mb) =>
      Math.abs(mb) < 1024 ? t('memoryMb', { value: number(mb) }) : t('memoryGb', { value: short.format(mb / 1024) }),
    list: (texts) => new Intl.ListFormat(tag).format(texts),
  };
}

/** Milliseconds of a moment. */
function toMs(at: Moment): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

function knownZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

const roundings = new Map<string, Intl.NumberFormat>();

function rounded(tag: string, digits: number): Intl.NumberFormat {
  const id = `${tag}/${digits}`;
  let format = roundings.get(id);
  if (!format) roundings.set(id, (format = new Intl.NumberFormat(tag, { maximumFractionDigits: digits })));
  return format;
}

interface WhenInput {
  at: number;
  nowMs: number;
  timeZone: string;
  t: TFn<'ui'>;
  days: Intl.DateTimeFormat;
  date: (at: Moment) => string;
  time: (at: Moment) => string;
}

function when({ at, nowMs, timeZone, t, days, date, time }: WhenInput): string {
  const day = calendarDay(at, timeZone);
  if (day === calendarDay(nowMs, timeZone)) return t('today', { time: time(at) });
  if (day === calendarDay(nowMs - DAY, timeZone)) return t('yesterday', { time: time(at) });
  return day.slice(0, 4) === calendarDay(nowMs, timeZone).slice(0, 4) ? days.format(at) : date(at);
}

const calendars = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-17`: the day of a moment in a zone, for comparing. */
function calendarDay(ms: number, timeZone: string): string {
  let calendar = calendars.get(timeZone);
  if (!calendar) {
    calendar = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone });
    calendars.set(timeZone, calendar);
  }
  return calendar.format(ms);
}

const relatives = new Map<string, Intl.RelativeTimeFormat>();

function relative(tag: string, difference: number): string {
  let format = relatives.get(tag);
  if (!format) relatives.set(tag, (format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' })));
  const size = Math.abs(difference);
  if (size < MINUTE) return format.format(Math.round(difference / SECOND), 'second');
  if (size < HOUR) return format.format(Math.round(difference / MINUTE), 'minute');
  if (size < DAY) return format.format(Math.round(difference / HOUR), 'hour');
  if (size < 30 * DAY) return format.format(Math.round(difference / DAY), 'day');
  if (size < 365 * DAY) return format.format(Math.round(difference / (30 * DAY)), 'month');
  return format.format(Math.round(difference / (365 * DAY)), 'year');
}

/** Whole days, hours, minutes and seconds of a span; a negative span counts as zero. */
export function splitDuration(ms: number): { days: number; hours: number; minutes: number; seconds: number } {
  const left = Math.max(0, ms);
  return {
    days: Math.floor(left / DAY),
    hours: Math.floor((left % DAY) / HOUR),
    minutes: Math.floor((left % HOUR) / MINUTE),
    seconds: Math.floor((left % MINUTE) / SECOND),
  };
}

function duration(ms: number, t: TFn<'ui'>): string {
  const { days, hours, minutes, seconds } = splitDuration(ms);
  const parts: [number, string][] = [
    [days, t('unitDay')],
    [hours, t('unitHour')],
    [minutes, t('unitMinute')],
    [seconds, t('unitSecond')],
  ];
  const from = parts.findIndex(([n]) => n > 0);
  if (from < 0) return `0 ${t('unitSecond')}`;
  return parts
    .slice(from, from + 2)
    .filter(([n]) => n > 0)
    .map(([n, unit]) => `${n} ${unit}`)
    .join(' ');
}
