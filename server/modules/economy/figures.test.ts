import { describe, expect, test } from 'bun:test';
import { endsOf, flowsOf, forecastOf, netOf, velocityOf } from './figures.ts';

const DAYS = ['2026-03-08', '2026-03-09', '2026-03-10'] as const;
const sums = [
  { day: '2026-03-07', account: 'system:store', minted: 0, burnt: 999, moved: 0 },
  { day: '2026-03-08', account: 'system:reward.afk', minted: 100, burnt: 0, moved: 0 },
  { day: '2026-03-10', account: 'system:reward.afk', minted: 60, burnt: 0, moved: 0 },
  { day: '2026-03-10', account: 'system:store', minted: 5, burnt: 40, moved: 0 },
  { day: '2026-03-10', account: 'users', minted: 0, burnt: 0, moved: 30 },
];

describe('figures of the economy', () => {
  test('flows stand by day, the largest account first; days outside and what went between users are left out', () => {
    expect(flowsOf(DAYS, sums)).toEqual([
      { account: 'reward.afk', minted: [100, 0, 60], burnt: [0, 0, 0] },
      { account: 'store', minted: [0, 0, 5], burnt: [0, 0, 40] },
    ]);
  });

  test('accounts are sorted by what they gave and took together, and those alike by name', () => {
    const sum = (account: string, minted: number, burnt: number) => ({
      day: '2026-03-09',
      account: `system:${account}`,
      minted,
      burnt,
      moved: 0,
    });
    const all = [sum('b', 5, 5), sum('a', 10, 0), sum('big', 2, 90), sum('c', 0, 10), sum('small', 8, 1)];
    const names = (list: typeof all) => flowsOf(DAYS, list).map(({ account }) => account);
    expect(names(all)).toEqual(['big', 'a', 'b', 'c', 'small']);
    expect(names(all.toReversed())).toEqual(names(all));
  });

  test('circulation is counted back from now by what each day added', () => {
    const net = netOf(DAYS, flowsOf(DAYS, sums));
    expect(net).toEqual([100, 0, 25]);
    expect(endsOf(1125, net)).toEqual([1100, 1100, 1125]);
  });

  test('velocity is what left wallets by the mean circulation, and none without credits', () => {
    expect(velocityOf(110, [1000, 1200])).toBe(0.1);
    expect(velocityOf(5, [1, 1])).toBe(5);
    expect(velocityOf(0, [0, 0])).toBeNull();
    expect(velocityOf(5, [])).toBeNull();
  });

  test('a forecast goes on as the last full days did, today left out', () => {
    expect(forecastOf(1000, [10, 20, 999], [true, true, true])).toEqual({ perDay: 15, later: 1450, basis: 2 });
    // Days before anything moved do not dilute it; quiet days after that do.
    expect(forecastOf(1000, [0, 0, 30, 0, 5], [false, false, true, false, true])).toEqual({
      perDay: 15,
      later: 1450,
      basis: 2,
    });
    // Never more than fourteen days back, never below zero.
    expect(
      forecastOf(
        1000,
        [9000, ...Array.from({ length: 14 }, () => 2), 0],
        Array.from({ length: 16 }, () => true),
      ),
    ).toEqual({ perDay: 2, later: 1060, basis: 14 });
    expect(forecastOf(100, [-50, 0], [true, true])).toEqual({ perDay: -50, later: 0, basis: 1 });
    expect(forecastOf(100, [100], [true])).toBeNull();
    expect(forecastOf(0, [0, 0], [false, false])).toBeNull();
  });
});
