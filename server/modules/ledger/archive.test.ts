import { expect, test } from 'bun:test';
import { keptSince } from './archive.ts';

test('whole months stay in the tables, that of the oldest day that has to stay with them, and never fewer than 90 days', () => {
  const now = Date.UTC(2026, 10, 29, 23);
  expect(keptSince(now, 400)).toBe(Date.UTC(2025, 9, 1));
  // The 31st of August to the hour: the month begins at its first moment.
  expect(keptSince(now, 90)).toBe(Date.UTC(2026, 7, 1));
  for (const days of [1, 89]) expect(keptSince(now, days)).toBe(keptSince(now, 90));
  expect(keptSince(Date.UTC(2026, 10, 30), 90)).toBe(Date.UTC(2026, 8, 1));
});
