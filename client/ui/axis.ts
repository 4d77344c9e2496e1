import { LOCALE_INFO, type Locale } from '#shared/i18n/locales.ts';

/** Short formats for the axes of a chart. */
export interface AxisText {
  /** `900M`, `12.5K`: in the way of the language. */
  readonly number: (n: number) => string;
  /** A day (`YYYY-MM-DD`), or that of a moment in ISO 8601, without its year: `16 Nov`. */
  readonly day: (day: string) => string;
}

/** The short formats of a language, for days as they are, and moments in a zone. */
export function axisText(locale: Locale, timeZone = 'UTC'): AxisText {
  const { bcp47 } = LOCALE_INFO[locale];
  const numbers = new Intl.NumberFormat(bcp47, { notation: 'compact', maximumFractionDigits: 1 });
  const days = new Intl.DateTimeFormat(bcp47, { day: 'numeric', month: 'short', timeZone });
  return {
    number: (n) => numbers.format(n).replace('-', '\u2212'),
    day: (day) => days.format(Date.parse(day.length === 10 ? `${day}T12:00:00Z` : day)),
  };
}

/** A value this many times the next one counts as an outlier. */
const OUTLIER_FACTOR = 4;

/**
 * The maximum of a scale for these values (none below 0): the greatest, or, if a few are outliers, a little above the
 * greatest of the others. A few means at most a fifth, and one if there are fewer than five. Values above it are drawn
 * cut off.
 */
export function scaleMax(values: readonly number[]): number {
  const sorted = values.filter((value) => value > 0).toSorted((a, b) => b - a);
  const few = Math.max(1, Math.floor(sorted.length / 5));
  for (let cut = 1; cut <= few; cut += 1) {
    const [above = 0, below = 0] = [sorted[cut - 1], sorted[cut]];
    if (sorted.length - cut >= 2 && above > OUTLIER_FACTOR * below) return below * 1.25;
  }
  return sorted[0] ?? 0;
}
