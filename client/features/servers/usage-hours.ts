import type { Api } from '#shared/contract/index.ts';
import { HOUR, MINUTE } from '#shared/time.ts';

/** What a server used by hour, as the API sends it. */
export type UsageHistory = Awaited<ReturnType<Api['servers']['usageHistory']>>;
type UsageHour = UsageHistory['hours'][number];
export const USAGE_KINDS = ['memory', 'cpu', 'disk', 'received', 'sent'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** An hour of the axis: its beginning as ISO 8601, and what the server used in it; null: it did not run. */
export interface AxisHour {
  readonly at: string;
  readonly used: UsageHour | null;
}

/**
 * Every hour from the first one known to now, whether the server ran in it or not. The hour that has just begun comes
 * once something of it is known.
 */
export function toAxisHours(hours: readonly UsageHour[], nowMs: number): AxisHour[] {
  const [first] = hours;
  if (!first) return [];
  const byTime = new Map(hours.map((hour) => [Date.parse(hour.at), hour]));
  const lastMs = Math.max(Date.parse(hours.at(-1)?.at ?? first.at), Math.floor(nowMs / HOUR) * HOUR - HOUR);
  const axis: AxisHour[] = [];
  for (let atMs = Date.parse(first.at); atMs <= lastMs; atMs += HOUR)
    axis.push({ at: new Date(atMs).toISOString(), used: byTime.get(atMs) ?? null });
  return axis;
}

/** A day of the reader, with the hours of it in which the server ran. */
interface UsageDay {
  /** As `dayOf` names it. */
  readonly day: string;
  readonly hours: number;
  readonly average: number;
  readonly highest: number;
}

/** One kind of usage by day, the newest first; days without any are left out. In: the name of the day of an hour. */
export function toUsageDays(hours: readonly UsageHour[], kind: UsageKind, dayOf: (at: string) => string): UsageDay[] {
  const days = Map.groupBy(hours, ({ at }) => dayOf(at));
  return [...days]
    .map(([day, list]) => ({
      day,
      hours: list.length,
      average: list.reduce((sum, { average }) => sum + average[kind], 0) / list.length,
      highest: Math.max(...list.map(({ highest }) => highest[kind])),
    }))
    .toReversed();
}

/** Least top of a scale of bytes: below it the quarters would be less than what is written. */
const LEAST_BYTES = 4096;
/** Ticks of a scale of bytes: quarters of a power of two, which are short in every unit. */
export function byteTicks(highest: number): number[] {
  let top = LEAST_BYTES;
  while (top < highest) top *= 2;
  return [0, 0.25, 0.5, 0.75, 1].map((part) => part * top);
}

/** Hours of an axis that is so short that times of the day say more than days. */
const SHORT_HOURS = 48;
/**
 * Indexes of an axis where a new day begins for the reader, or every hour of one that is short. In: the name of the day
 * of an hour.
 */
export function labelledHours(
  axis: readonly AxisHour[],
  dayOf: (at: string) => string,
): { isShort: boolean; at: number[] } {
  const isShort = axis.length <= SHORT_HOURS;
  const days = axis.map(({ at }) => dayOf(at));
  const all = axis.map((_, index) => index);
  return { isShort, at: isShort ? all : all.filter((index) => index > 0 && days[index] !== days[index - 1]) };
}

/** How often a server is measured. */
export const MEASURED_MS = 5 * MINUTE;
