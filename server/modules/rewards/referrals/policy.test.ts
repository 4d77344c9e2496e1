import { expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { checksOf, codeFrom, monthStart, normaliseReferral, pauseOf, publicReason, qualifies } from './policy.ts';

// Shows behaviour 4.4 where it needs no database.

const TERMS = { minAgeMs: DAY, afkMinutes: 30, verification: true };
const NEWCOMER = { verified: true, ageMs: DAY, activity: { server: false, afkMinutes: 30 } };

test('a newcomer qualifies from the day, the minute and the confirmation on that the settings name, and not before', () => {
  expect(checksOf(TERMS, NEWCOMER)).toEqual({ verified: true, age: true, active: true });
  expect(checksOf(TERMS, { ...NEWCOMER, ageMs: DAY - 1 })).toEqual({ verified: true, age: false, active: true });
  const idle = { server: false, afkMinutes: 29 };
  expect(checksOf(TERMS, { ...NEWCOMER, activity: idle })).toEqual({ verified: true, age: true, active: false });
  expect(checksOf(TERMS, { ...NEWCOMER, activity: { ...idle, server: true } }).active).toBe(true);
  expect(checksOf(TERMS, { ...NEWCOMER, verified: false }).verified).toBe(false);
  expect(checksOf({ ...TERMS, verification: false }, { ...NEWCOMER, verified: false }).verified).toBe(true);
});

test('a newcomer qualifies by all three conditions together', () => {
  const all = { verified: true, age: true, active: true };
  expect(qualifies(all)).toBe(true);
  for (const one of ['verified', 'age', 'active'] as const) expect(qualifies({ ...all, [one]: false })).toBe(false);
});

test('a pending referral is looked at hourly for a week, then daily', () => {
  expect([pauseOf(0), pauseOf(7 * DAY - 1), pauseOf(7 * DAY), pauseOf(30 * DAY)]).toEqual([HOUR, HOUR, DAY, DAY]);
});

test('a month begins at midnight of its first day in the zone of the installation', () => {
  const first = Date.parse('2026-03-01T00:00:00Z');
  expect([monthStart(first, 'UTC'), monthStart(first - 1, 'UTC')]).toEqual([first, Date.parse('2026-02-01T00:00:00Z')]);
  expect(monthStart(Date.parse('2026-03-31T22:30:00Z'), 'Europe/Berlin')).toBe(Date.parse('2026-03-31T22:00:00Z'));
  expect(monthStart(Date.parse('2026-03-31T21:30:00Z'), 'Europe/Berlin')).toBe(Date.parse('2026-02-28T23:00:00Z'));
});

test('a code is eight signs that are not taken for each other, two digits of the hash each', () => {
  expect(codeFrom('0001021e1f20ff80')).toBe('234z2396');
  expect(codeFrom(`${'0'.repeat(16)}ffff`)).toBe('22222222');
});

test('a code is the same in capitals, with blanks and with any dash, and nothing is no code', () => {
  for (const typed of ['ab2cd3ef', 'AB2C-D3EF', ' ab2c d3ef ', 'ab2c\u2014d3ef', 'ab2c\u200bd3ef', 'ａｂ２ｃｄ３ｅｆ'])
    expect(normaliseReferral(typed)).toBe('ab2cd3ef');
  expect(normaliseReferral(' - ')).toBe('');
});

test('T19 the two accounts do not learn which of their signs they share', () => {
  for (const reason of ['shared_address', 'shared_device', 'shared_identity'] as const)
    expect(publicReason(reason)).toBe('shared');
  expect([publicReason('circular'), publicReason('monthly_max'), publicReason(null)]).toEqual([
    'circular',
    'monthly_max',
    null,
  ]);
});
