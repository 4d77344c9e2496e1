import { expect, test } from 'bun:test';
import { snowflakeMs } from './snowflake.ts';

test('the age of a Discord account stands in its id', () => {
  // Worked examples of the manual.
  expect(snowflakeMs('175928847299117063')).toBe(Date.parse('2016-04-30T11:18:25.796Z'));
  expect(snowflakeMs('1186342400000000000')).toBe(Date.parse('2023-12-18T16:21:09.335Z'));
  expect(snowflakeMs('1570951397376000000')).toBe(Date.parse('2026-11-14T00:00:00Z'));
  for (const text of ['', '12', 'abc', '-175928847299117063', '17592884729911706x', '1e18'])
    expect(snowflakeMs(text)).toBeNull();
});
