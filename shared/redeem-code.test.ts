import { expect, test } from 'bun:test';
import { normaliseCode } from './redeem-code.ts';

test('a code is compared without case and separators', () => {
  for (const typed of [
    'WELCOME2026',
    'welcome2026',
    ' Wel-come_20 26 ',
    'WEL–COME—2026',
    'wel\u00a0come\t2026',
    'ｗｅｌｃｏｍｅ2026',
  ]) {
    expect(normaliseCode(typed)).toBe('WELCOME2026');
  }
});

test('separators alone leave nothing', () => {
  expect(normaliseCode(' -_ – ')).toBe('');
});

test('normalising twice changes nothing', () => {
  for (const typed of ['straße', 'ŉ-1', 'ﬁrst code', 'ǰ', 'İstanbul', 'a_b-c d']) {
    expect(normaliseCode(normaliseCode(typed))).toBe(normaliseCode(typed));
  }
});

test('other signs stay, so that different codes stay different', () => {
  expect(normaliseCode('a.b')).toBe('A.B');
  expect(normaliseCode('a+b')).not.toBe(normaliseCode('ab'));
});
