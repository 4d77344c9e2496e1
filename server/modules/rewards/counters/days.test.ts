import { expect, test } from 'bun:test';
import { dayIn, HOUR } from '#shared/time.ts';
import { dayEnd, lastDays } from './days.ts';

test('a day ends at midnight of its zone', () => {
  expect(dayEnd(Date.parse('2026-03-10T13:00:00Z'), 'UTC')).toBe(Date.parse('2026-03-11T00:00:00Z'));
  expect(dayEnd(Date.parse('2026-03-10T23:59:59.999Z'), 'UTC')).toBe(Date.parse('2026-03-11T00:00:00Z'));
  expect(dayEnd(Date.parse('2026-03-11T00:00:00Z'), 'UTC')).toBe(Date.parse('2026-03-12T00:00:00Z'));
  expect(dayEnd(Date.parse('2026-01-10T22:30:00Z'), 'Europe/Bucharest')).toBe(Date.parse('2026-01-11T22:00:00Z'));
});

test('T12 a day with a change of clocks has 23 or 25 hours', () => {
  const spring = Date.parse('2026-03-28T23:00:00Z');
  const autumn = Date.parse('2026-10-24T22:00:00Z');
  expect(dayIn(spring, 'Europe/Berlin')).toBe('2026-03-29');
  expect(dayEnd(spring, 'Europe/Berlin') - spring).toBe(23 * HOUR);
  expect(dayIn(autumn, 'Europe/Berlin')).toBe('2026-10-25');
  expect(dayEnd(autumn, 'Europe/Berlin') - autumn).toBe(25 * HOUR);
});

test('T12 the kept answer is not used when the clock goes back', () => {
  const late = Date.parse('2026-05-02T10:00:00Z');
  const early = Date.parse('2026-05-01T10:00:00Z');
  expect(dayEnd(late, 'UTC')).toBe(Date.parse('2026-05-03T00:00:00Z'));
  expect(dayEnd(early, 'UTC')).toBe(Date.parse('2026-05-02T00:00:00Z'));
  expect(dayEnd(late, 'UTC')).toBe(Date.parse('2026-05-03T00:00:00Z'));
});

test('T12 the last days cross months, years and leap days', () => {
  expect(lastDays('2024-03-01', 3)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
  expect(lastDays('2027-01-02', 4)).toEqual(['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02']);
  expect(lastDays('2026-05-05', 1)).toEqual(['2026-05-05']);
});
