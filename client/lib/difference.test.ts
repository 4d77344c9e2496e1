import { expect, test } from 'bun:test';
import { differenceOfLines } from './difference.ts';

/** A difference in short: `-` was taken away, `+` is new. */
const shortOf = (before: string, after: string): string[] =>
  differenceOfLines(before.split(''), after.split('')).map(
    ({ change, text }) => (change === 'removed' ? '-' : '+') + text,
  );

test('the difference of two texts names the lines that went and those that came, in their order', () => {
  expect(shortOf('abc', 'abc')).toEqual([]);
  expect(shortOf('', 'ab')).toEqual(['+a', '+b']);
  expect(shortOf('ab', '')).toEqual(['-a', '-b']);
  expect(shortOf('abcd', 'axcd')).toEqual(['-b', '+x']);
  expect(shortOf('abcde', 'acdxe')).toEqual(['-b', '+x']);
  // The same line twice is not counted for both ends.
  expect(shortOf('aa', 'aaa')).toEqual(['+a']);
  expect(shortOf('aaa', 'aa')).toEqual(['-a']);
});

test('texts that differ in thousands of lines are shown as a whole instead of being compared line by line', () => {
  const lines = (word: string) => Array.from({ length: 2000 }, (_, n) => `${word} ${n}`);
  const found = differenceOfLines(
    ['first', ...lines('old'), 'same', 'last'],
    ['first', ...lines('new'), 'same', 'last'],
  );
  expect(found).toHaveLength(4000);
  expect(found[0]).toEqual({ change: 'removed', text: 'old 0' });
  expect(found.at(-1)).toEqual({ change: 'added', text: 'new 1999' });
});
