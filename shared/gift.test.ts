import { expect, test } from 'bun:test';
import { giftPrice } from './gift.ts';

test.each([
  [1, 10, 1],
  [9, 10, 1],
  [10, 10, 1],
  [11, 10, 2],
  [125, 10, 13],
  [999, 10, 100],
  [1000, 10, 100],
  [7, 1, 1],
  [100, 1, 1],
  [101, 1, 2],
  [1, 0, 0],
  [1, 100, 1],
  [1_000_000_000, 33, 330_000_000],
])('T9 the fee of a gift of %d at %d percent is %d: rounded up, on top', (amount, percent, fee) => {
  expect(giftPrice(amount, percent)).toEqual({ amount, fee, total: amount + fee });
});
