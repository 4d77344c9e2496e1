import { expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { estimateWaitMs } from './waiting-list.ts';

test('an estimate is honest: nothing is said where too little is known, or it would take too long', () => {
  expect([estimateWaitMs(1, 0), estimateWaitMs(1, 1)]).toEqual([null, null]);
  expect(estimateWaitMs(1, 2)).toBe(7 * DAY);
  expect(estimateWaitMs(3, 14)).toBe(3 * DAY);
  expect(estimateWaitMs(1, 100_000)).toBe(HOUR);
  expect(estimateWaitMs(100, 2)).toBeNull();
});
