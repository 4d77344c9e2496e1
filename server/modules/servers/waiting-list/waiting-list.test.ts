import { expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { estimateRoomMs } from './waiting-list.ts';

test('an estimate is honest: nothing is said where too little is known, or it would take too long', () => {
  expect([estimateRoomMs(1, 0), estimateRoomMs(1, 1)]).toEqual([null, null]);
  expect(estimateRoomMs(1, 2)).toBe(7 * DAY);
  expect(estimateRoomMs(3, 14)).toBe(3 * DAY);
  expect(estimateRoomMs(1, 100_000)).toBe(HOUR);
  expect(estimateRoomMs(100, 2)).toBeNull();
});
