import { expect, test } from 'bun:test';
import { HOUR } from '#shared/time.ts';
import { byteTicks, labelledHours, toAxisHours, toUsageDays } from './usage-hours.ts';

const START = Date.parse('2026-11-20T22:00:00.000Z');
const figures = (memory: number) => ({ memory, cpu: 1, disk: 1, received: 1, sent: 1 });
const hour = (at: number, average = 10, highest = 20) => ({
  at: new Date(START + at * HOUR).toISOString(),
  average: figures(average),
  highest: figures(highest),
});

test('hours in which a server did not run are gaps, up to the last hour that is over', () => {
  const axis = toAxisHours([hour(0), hour(2)], START + 4.5 * HOUR);
  expect(axis.map(({ used }) => used !== null)).toEqual([true, false, true, false]);
  expect(axis[1]?.at).toBe(new Date(START + HOUR).toISOString());
  // The hour that has begun is there as soon as something of it is known.
  expect(toAxisHours([hour(0), hour(1)], START + 1.1 * HOUR)).toHaveLength(2);
  expect(toAxisHours([], START)).toEqual([]);
});

test('days are those of the reader, the newest first', () => {
  const inBucharest = (at: string) => new Date(Date.parse(at) + 2 * HOUR).toISOString().slice(0, 10);
  expect(toUsageDays([hour(0, 10, 50), hour(1, 20, 30), hour(30, 7, 8)], 'memory', inBucharest)).toEqual([
    { day: '2026-11-22', hours: 1, average: 7, highest: 8 },
    { day: '2026-11-21', hours: 2, average: 15, highest: 50 },
  ]);
  expect(toUsageDays([hour(0), hour(1), hour(2)], 'memory', (at) => at.slice(0, 10)).map(({ hours }) => hours)).toEqual(
    [1, 2],
  );
});

test('a scale of bytes ends at a power of two that holds the highest', () => {
  expect(byteTicks(0)).toEqual([0, 1024, 2048, 3072, 4096]);
  expect(byteTicks(4096).at(-1)).toBe(4096);
  expect(byteTicks(4097).at(-1)).toBe(8192);
  expect(byteTicks(3e12).at(-1)).toBe(2 ** 42);
});

test('an axis of days names each midnight of the reader, one of two days every hour', () => {
  const dayOf = (at: string) => at.slice(0, 10);
  const long = toAxisHours([hour(0), hour(60)], START);
  expect(labelledHours(long, dayOf)).toEqual({ isShort: false, at: [2, 26, 50] });
  const short = toAxisHours([hour(0), hour(47)], START);
  const { isShort, at } = labelledHours(short, dayOf);
  expect([isShort, at.length]).toEqual([true, 48]);
});
