import { expect, test } from 'bun:test';
import { MOST_UNITS, onSale, unitsLeft } from './policy.ts';
import type { StoreItem } from './ports.ts';

const item = (change: Partial<StoreItem> = {}): StoreItem => ({
  id: 'i',
  kind: 'memory',
  quantity: 1024,
  price: 150,
  limitTotal: 16_384,
  position: 1,
  visible: true,
  vipOnly: false,
  ...change,
});

test('units fit until the limit, and never past it', () => {
  expect(unitsLeft(item(), 1024)).toBe(15);
  expect(unitsLeft(item(), 15_360)).toBe(1);
  expect(unitsLeft(item(), 15_361)).toBe(0);
  expect(unitsLeft(item(), 16_384)).toBe(0);
});

test('one who has more than the store sells buys nothing, and gets no negative count', () => {
  expect(unitsLeft(item(), 32_768)).toBe(0);
});

test('T22 a limit of zero means none is sold', () => {
  expect(unitsLeft(item({ limitTotal: 0 }), 0)).toBe(0);
});

test('one purchase has a bound of its own', () => {
  expect(unitsLeft(item({ quantity: 1, limitTotal: 1_000_000 }), 0)).toBe(MOST_UNITS);
  expect(MOST_UNITS).toBe(1000);
});

test('T4 hidden items and rows with a zero are not sold', () => {
  expect([onSale(item()), onSale(item({ quantity: 1, price: 1 }))]).toEqual([true, true]);
  expect(onSale(null)).toBe(false);
  for (const change of [{ visible: false }, { quantity: 0 }, { price: 0 }, { quantity: -1 }, { price: -5 }])
    expect(onSale(item(change))).toBe(false);
});
