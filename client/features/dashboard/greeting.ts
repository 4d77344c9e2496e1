import type { KeyOf } from '#shared/i18n/types.ts';

/** The hours from which greetings apply. */
const GREETINGS = [
  [5, 'goodMorning'],
  [11, 'goodDay'],
  [17, 'goodEvening'],
  [23, 'goodNight'],
] as const satisfies readonly (readonly [number, KeyOf<'dashboard'>])[];

/** Formatters by zone: creating one takes longer than all else on the page. */
const hours = new Map<string, Intl.DateTimeFormat>();

/** The greeting's key for a moment (ISO) in a time zone (a known IANA name). */
export function greetingKey(now: string, timeZone: string): (typeof GREETINGS)[number][1] {
  const format =
    hours.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone });
  hours.set(timeZone, format);
  const hour = Number(format.format(Date.parse(now)));
  return GREETINGS.findLast(([from]) => hour >= from)?.[1] ?? 'goodNight';
}
