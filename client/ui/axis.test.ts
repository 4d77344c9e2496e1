import { expect, test } from 'bun:test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { axisText, scaleMax } from './axis.ts';

test('Screen 9 great numbers are short at the side of a chart, in every language', () => {
  for (const locale of LOCALES) {
    const text = axisText(locale);
    for (const n of [0, 7, 12_500, 900_000_000, -450_000_000, 1_250_000_000])
      expect(text.number(n).length, `${locale}: ${text.number(n)}`).toBeLessThanOrEqual(11);
    expect(text.number(-450_000_000)).toMatch(/^\u2212450/);
    expect(text.day('2026-11-16')).toContain('16');
    expect(text.day('2026-11-16')).not.toContain('2026');
  }
  expect(axisText('de').number(900_000_000)).toMatch(/^900\sMio\.$/);
});

test('Screen 9 one day that towers over all others does not set the scale, and steady or few days do', () => {
  expect(scaleMax([20, 900_000, 25, 22, 0, 24])).toBeCloseTo(31.25);
  // Two of ten may tower, more of them are how it is.
  expect(scaleMax([1, 2, 1, 2, 1, 2, 1, 2, 800, 900])).toBe(2.5);
  expect(scaleMax([1, 2, 1, 2, 1, 2, 1, 700, 800, 900])).toBe(900);
  expect(scaleMax([10, 20, 30, 40])).toBe(40);
  expect(scaleMax([1, 1000])).toBe(1000);
  expect(scaleMax([])).toBe(0);
  expect(scaleMax([0, 0, 5])).toBe(5);
});
