/** Hours at which a greeting begins. */
const GREETINGS = [
  [5, 'goodMorning'],
  [11, 'goodDay'],
  [17, 'goodEvening'],
  [23, 'goodNight'],
] as const;

/** The greeting's key for a moment (ISO) in a time zone (a known IANA name). */
export function greetingKey(now: string, timeZone: string): (typeof GREETINGS)[number][1] {
  const hour = Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone }).format(Date.parse(now)));
  return GREETINGS.findLast(([from]) => hour >= from)?.[1] ?? 'goodNight';
}
