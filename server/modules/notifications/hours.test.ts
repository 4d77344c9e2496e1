import { expect, test } from 'bun:test';
import { endOfQuiet, nextHour } from './hours.ts';

const at = (text: string) => Date.parse(`${text}:00Z`);
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);

test.each([
  // Now (UTC), hour, zone, the next (UTC).
  ['2026-03-10T12:00', 13, 'UTC', '2026-03-10T13:00'],
  ['2026-03-10T12:00', 12, 'UTC', '2026-03-11T12:00'],
  ['2026-03-10T12:00', 8, 'Asia/Tokyo', '2026-03-10T23:00'],
  // Clocks go from 2 to 3 on 29 March, and from 3 to 2 on 25 October.
  ['2026-03-28T12:00', 2, 'Europe/Berlin', '2026-03-29T01:00'],
  ['2026-10-24T12:00', 2, 'Europe/Berlin', '2026-10-25T00:00'],
] as const)('the next %s %d:00 in %s is at %s', (now, hour, zone, next) => {
  expect(iso(nextHour(at(now), hour, zone))).toBe(next);
});

test.each([
  ['2026-03-10T23:30', { from: 22, until: 8 }, '2026-03-11T08:00'],
  ['2026-03-11T07:59', { from: 22, until: 8 }, '2026-03-11T08:00'],
  ['2026-03-11T08:00', { from: 22, until: 8 }, '2026-03-11T08:00'],
  ['2026-03-11T21:59', { from: 22, until: 8 }, '2026-03-11T21:59'],
  ['2026-03-11T13:00', { from: 12, until: 14 }, '2026-03-11T14:00'],
  ['2026-03-11T11:00', { from: 12, until: 14 }, '2026-03-11T11:00'],
  ['2026-03-11T11:00', null, '2026-03-11T11:00'],
] as const)('at %s the quiet hours %o let go at %s', (now, quiet, end) => {
  expect(iso(endOfQuiet(at(now), quiet, 'UTC'))).toBe(end);
});
