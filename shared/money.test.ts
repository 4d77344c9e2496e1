import { expect, test } from 'bun:test';
import {
  creditsFor,
  formatDecimal,
  minorDigits,
  formatMoney,
  parseDecimal,
  proportionalCredits,
  includedTax,
} from './money.ts';

test('minor units are those of the currency', () => {
  expect(['EUR', 'RON', 'JPY', 'KWD', 'ISK', 'TND'].map(minorDigits)).toEqual([2, 2, 0, 3, 0, 3]);
  expect(formatDecimal({ minor: 5, currency: 'EUR' })).toBe('0.05');
  expect(formatDecimal({ minor: 500, currency: 'JPY' })).toBe('500');
  expect(formatDecimal({ minor: 1, currency: 'KWD' })).toBe('0.001');
  expect(() => formatDecimal({ minor: 0.5, currency: 'EUR' })).toThrow(RangeError);
});

test('T11 decimal text is read as whole minor units, never as a float', () => {
  const cases: [string, string, number | null][] = [
    ['5', 'EUR', 500],
    ['5.0', 'EUR', 500],
    ['5.00', 'EUR', 500],
    ['5.000', 'EUR', 500],
    ['5.001', 'EUR', null],
    ['0.29', 'EUR', 29],
    ['1.15', 'EUR', 115],
    ['500', 'JPY', 500],
    ['500.00', 'JPY', 500],
    ['500.5', 'JPY', null],
    ['1.234', 'KWD', 1234],
    ['-5', 'EUR', null],
    ['1e3', 'EUR', null],
    ['0x10', 'EUR', null],
    ['5,00', 'EUR', null],
    ['', 'EUR', null],
    [' 5', 'EUR', null],
    ['99999999999', 'EUR', null],
  ];
  for (const [text, currency, minor] of cases)
    expect({ text, currency, minor: parseDecimal(text, currency) }).toEqual({ text, currency, minor });
});

test('T11 the tax within a price is rounded half up and never exceeds the price', () => {
  expect([
    includedTax(11_900, 1900),
    includedTax(500, 1900),
    includedTax(1, 1900),
    includedTax(500, 0),
    includedTax(1_000_000_000, 10_000),
  ]).toEqual([1900, 80, 0, 0, 500_000_000]);
  expect(includedTax(3, 2000)).toBe(1);
});

test('credits for money are rounded down; the part a refund takes is rounded up, at most all of them', () => {
  expect([
    creditsFor({ minor: 999, currency: 'EUR' }, 100),
    creditsFor({ minor: 100, currency: 'JPY' }, 3),
    creditsFor({ minor: 1999, currency: 'KWD' }, 1),
  ]).toEqual([999, 300, 1]);
  expect([
    proportionalCredits(1000, 1, 3),
    proportionalCredits(1000, 2, 3),
    proportionalCredits(1000, 3, 3),
    proportionalCredits(1000, 9, 3),
    proportionalCredits(1000, 0, 3),
    proportionalCredits(10, 1, 0),
  ]).toEqual([334, 667, 1000, 1000, 0, 0]);
  expect(proportionalCredits(999_999_999_999, 999_999_999, 1_000_000_000)).toBe(999_999_998_999 + 1);
});

test('money is written as the language writes it', () => {
  const said = (minor: number, currency: string, tag: string) =>
    formatMoney({ minor, currency }, tag).replaceAll(/\s/g, ' ');
  expect(said(123_456, 'EUR', 'en-GB')).toBe('€1,234.56');
  expect(said(123_456, 'EUR', 'de-DE')).toBe('1.234,56 €');
  expect(said(500, 'JPY', 'en-GB')).toBe('JP¥500');
  expect(said(1234, 'KWD', 'en-GB')).toBe('KWD 1.234');
  expect(said(1999, 'RON', 'ro-RO')).toBe('19,99 RON');
});
