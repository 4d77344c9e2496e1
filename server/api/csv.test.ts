import { expect, test } from 'bun:test';
import { toCsv } from './csv.ts';

test('the writer quotes what needs quotes', () => {
  expect(
    toCsv([
      ['a', 'b'],
      ['plain', 'with "quotes", commas\nand lines'],
    ]),
  ).toBe('a,b\r\nplain,"with ""quotes"", commas\nand lines"\r\n');
});

test('T29 a text that looks like a formula is made text, and a negative amount stays a number', () => {
  expect(toCsv([['=HYPERLINK("http://evil.example")', '+1', '-1', '@SUM(A1)', '\t=1', '  =1', -5, null]])).toBe(
    `"'=HYPERLINK(""http://evil.example"")","'+1","'-1","'@SUM(A1)","'\t=1","'  =1",-5,\r\n`,
  );
});
