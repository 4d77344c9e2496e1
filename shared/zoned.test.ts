import { describe, expect, test } from 'bun:test';
import { wallTimeToMs, startOfDay, wallTime } from './zoned.ts';

const at = (text: string): number => Date.parse(text);

describe('wall time', () => {
  test('wall time is what a clock in the zone shows', () => {
    expect(wallTime(at('2026-11-21T17:04:59Z'), 'Europe/Bucharest')).toBe('2026-11-21T19:04');
    expect(wallTime(at('2026-07-01T22:30:00Z'), 'Europe/Berlin')).toBe('2026-07-02T00:30');
    expect(wallTime(at('2026-01-01T00:00:00Z'), 'UTC')).toBe('2026-01-01T00:00');
    expect(wallTime(at('2026-01-01T00:00:00Z'), 'Asia/Kathmandu')).toBe('2026-01-01T05:45');
  });

  test('wall time goes back to the same moment, in every zone and season', () => {
    for (const zone of [
      'UTC',
      'Europe/Bucharest',
      'America/New_York',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Kiritimati',
    ]) {
      for (let month = 0; month < 12; month++) {
        const ms = Date.UTC(2026, month, 17, 13, 45);
        expect(wallTimeToMs(wallTime(ms, zone), zone)).toBe(ms);
      }
    }
  });

  test('T12 a skipped hour is the hour after, and an hour that comes twice is the first', () => {
    // Berlin: 29 March 2026, 02:00 to 03:00 is skipped; 25 October 2026, 02:00 to 03:00 comes twice.
    expect(wallTimeToMs('2026-03-29T02:30', 'Europe/Berlin')).toBe(at('2026-03-29T01:30:00Z'));
    expect(wallTimeToMs('2026-10-25T02:30', 'Europe/Berlin')).toBe(at('2026-10-25T00:30:00Z'));
    expect(wallTimeToMs('2026-10-25T03:30', 'Europe/Berlin')).toBe(at('2026-10-25T02:30:00Z'));
  });

  test('anything else is no time', () => {
    for (const text of [
      '',
      '2026-11-21',
      '2026-11-21 19:04',
      '2026-13-01T00:00',
      '2026-02-31T25:00',
      'now',
      '2026-11-21T19:04Z',
    ]) {
      expect(wallTimeToMs(text, 'UTC')).toBeNull();
    }
    expect(() => wallTime(0, 'Nowhere/Here')).toThrow(RangeError);
  });
});

test('T12 a day begins when the zone says so, also on days of 23 and 25 hours', () => {
  expect(startOfDay(at('2026-11-21T17:04:00Z'), 'Europe/Bucharest')).toBe(at('2026-11-20T22:00:00Z'));
  expect(startOfDay(at('2026-03-29T20:00:00Z'), 'Europe/Berlin')).toBe(at('2026-03-28T23:00:00Z'));
  expect(startOfDay(at('2026-10-25T20:00:00Z'), 'Europe/Berlin')).toBe(at('2026-10-24T22:00:00Z'));
  expect(startOfDay(at('2028-02-29T12:00:00Z'), 'UTC')).toBe(at('2028-02-29T00:00:00Z'));
});
