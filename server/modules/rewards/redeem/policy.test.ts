import { expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { countsAsTry, liveTries, refusalOf, TRY_WINDOW_MS } from './policy.ts';
import type { RedeemCode } from './ports.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const code = (change: Partial<RedeemCode> = {}): RedeemCode => ({
  id: 'c',
  code: 'WELCOME',
  credits: 50,
  usesTotal: 10,
  usesCount: 0,
  minAgeDays: 0,
  startsMs: null,
  endsMs: null,
  enabled: true,
  writers: [],
  ...change,
});

test('T3 a code that is unknown, disabled, not started, over or used up is refused', () => {
  expect(refusalOf(null, false, DAY, NOW)).toBe('CODE_UNKNOWN');
  expect(refusalOf(code({ enabled: false }), false, DAY, NOW)).toBe('CODE_DISABLED');
  expect(refusalOf(code({ startsMs: NOW + 1 }), false, DAY, NOW)).toBe('CODE_NOT_STARTED');
  expect(refusalOf(code({ endsMs: NOW }), false, DAY, NOW)).toBe('CODE_EXPIRED');
  expect(refusalOf(code({ usesCount: 10 }), false, DAY, NOW)).toBe('CODE_EXHAUSTED');
  expect(refusalOf(code({ startsMs: NOW, endsMs: NOW + 1, usesCount: 9 }), false, DAY, NOW)).toBeNull();
});

test('T22 a code with no uses has none, not any number', () => {
  expect(refusalOf(code({ usesTotal: 0 }), false, DAY, NOW)).toBe('CODE_EXHAUSTED');
});

test('the account has to be old enough', () => {
  expect(refusalOf(code({ minAgeDays: 3 }), false, 3 * DAY - 1, NOW)).toBe('ACCOUNT_TOO_YOUNG');
  expect(refusalOf(code({ minAgeDays: 3 }), false, 3 * DAY, NOW)).toBeNull();
});

test('a user who has the code learns nothing more of it', () => {
  const over = code({ enabled: false, endsMs: NOW - 1, usesCount: 10, minAgeDays: 100 });
  expect(refusalOf(over, true, 0, NOW)).toBe('CODE_ALREADY_USED');
});

test('a code that is not there any more is unknown, also to who redeemed it', () => {
  expect(refusalOf(null, true, 0, NOW)).toBe('CODE_UNKNOWN');
});

test('the first of several reasons is the answer: disabled, not started, over, used up, too young', () => {
  const wrong: [Partial<RedeemCode>, string][] = [
    [{ enabled: false }, 'CODE_DISABLED'],
    [{ startsMs: NOW + 1 }, 'CODE_NOT_STARTED'],
    [{ endsMs: NOW }, 'CODE_EXPIRED'],
    [{ usesCount: 10 }, 'CODE_EXHAUSTED'],
    [{ minAgeDays: 3 }, 'ACCOUNT_TOO_YOUNG'],
  ];
  const outcomes = wrong.map((_, first) =>
    refusalOf(code(Object.assign({}, ...wrong.slice(first).map(([change]) => change))), false, 0, NOW),
  );
  expect(outcomes).toEqual(wrong.map(([, reason]) => reason as never));
});

test('T3 every refusal that tells something of a code is a wrong try, and none that is about the user alone', () => {
  const all = [
    'CODE_UNKNOWN',
    'CODE_OWN',
    'CODE_DISABLED',
    'CODE_NOT_STARTED',
    'CODE_EXPIRED',
    'CODE_EXHAUSTED',
    'CODE_ALREADY_USED',
    'ACCOUNT_TOO_YOUNG',
    'DAILY_CAP_REACHED',
    'BUDGET_SPENT',
  ] as const;
  expect(all.filter(countsAsTry)).toEqual([
    'CODE_UNKNOWN',
    'CODE_OWN',
    'CODE_DISABLED',
    'CODE_NOT_STARTED',
    'CODE_EXPIRED',
    'CODE_EXHAUSTED',
  ]);
});

test('a first try counts from the moment it is made', () => {
  const one = { windowStartMs: NOW, count: 1 };
  expect([liveTries(one, NOW), liveTries(one, NOW + 1)]).toEqual([one, one]);
});

test('tries count for an hour', () => {
  const tries = { windowStartMs: NOW, count: 7 };
  expect(liveTries(tries, NOW + TRY_WINDOW_MS - 1)).toEqual(tries);
  expect(liveTries(tries, NOW + TRY_WINDOW_MS)).toEqual({ windowStartMs: NOW + TRY_WINDOW_MS, count: 0 });
  expect(liveTries(null, NOW)).toEqual({ windowStartMs: NOW, count: 0 });
  expect(liveTries({ windowStartMs: NOW - 1, count: 0 }, NOW)).toEqual({ windowStartMs: NOW, count: 0 });
});

test('T12 a clock set back does not lock anybody out for longer', () => {
  expect(liveTries({ windowStartMs: NOW + 5 * HOUR, count: 10 }, NOW)).toEqual({ windowStartMs: NOW, count: 0 });
});
