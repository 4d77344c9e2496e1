import { describe, expect, test } from 'bun:test';
import { daySpan, startOfDay } from './day-bounds.ts';

const at = (iso: string) => Date.parse(iso);

describe('days of a time zone', () => {
  test.each([
    ['2026-03-10', 'UTC', '2026-03-10T00:00:00Z'],
    ['2026-07-10', 'Europe/Bucharest', '2026-07-09T21:00:00Z'],
    ['2026-03-29', 'Europe/Bucharest', '2026-03-28T22:00:00Z'],
    ['2026-03-30', 'Europe/Bucharest', '2026-03-29T21:00:00Z'],
    ['2026-03-10', 'Pacific/Kiritimati', '2026-03-09T10:00:00Z'],
    ['2026-03-10', 'Asia/Kathmandu', '2026-03-09T18:15:00Z'],
    ['2026-03-10', 'Pacific/Pago_Pago', '2026-03-10T11:00:00Z'],
    // Clocks go from 23:59 on the 7th straight to 01:00 on the 8th.
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00Z'],
  ])('%s in %s begins at %s', (day, zone, iso) => {
    expect(new Date(startOfDay(day, zone)).toISOString()).toBe(new Date(at(iso)).toISOString());
  });

  test('a span holds its last day to the end', () => {
    expect(daySpan({ from: '2026-03-10', to: '2026-03-10' }, 'UTC')).toEqual({
      fromMs: at('2026-03-10T00:00:00Z'),
      toMs: at('2026-03-11T00:00:00Z') - 1,
    });
    expect(daySpan({}, 'UTC')).toEqual({});
    expect(daySpan({ to: '2024-02-29' }, 'UTC')).toEqual({ toMs: at('2024-03-01T00:00:00Z') - 1 });
  });

  test.each([
    { from: '2026-02-29' },
    { to: '2026-13-01' },
    { from: '2026-04-31' },
    { from: '2026-03-11', to: '2026-03-10' },
  ])('the day %p is refused', (query) => {
    expect(() => daySpan(query, 'UTC')).toThrow('VALIDATION_FAILED');
  });
});
