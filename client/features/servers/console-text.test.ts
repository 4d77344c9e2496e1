import { expect, test } from 'bun:test';
import { cutAt, plainText, toSpans } from './console-text.ts';

const ESC = '\u001B';

test('colours of a line become pieces, and unknown ones are plain', () => {
  expect(toSpans(`a${ESC}[1;31mb${ESC}[39mc${ESC}[0md${ESC}[38;5;31me${ESC}[94mf`)).toEqual([
    { text: 'a', look: null },
    { text: 'b', look: 'red bold' },
    { text: 'c', look: 'bold' },
    { text: 'd', look: null },
    { text: 'e', look: null },
    { text: 'f', look: 'blue' },
  ]);
  expect(toSpans('')).toEqual([]);
  expect(plainText(`${ESC}[1;31mred${ESC}[0m`)).toBe('red');
});

test('a search cuts a line at each place, whatever the case', () => {
  expect(cutAt('Nether and nether', 'NETHER')).toEqual(['', 'Nether', ' and ', 'nether', '']);
  expect(cutAt('nothing', 'x')).toEqual(['nothing']);
  expect(cutAt('nothing', '')).toEqual(['nothing']);
});
