import type { ReactNode } from 'react';

/** Colours of a bar; `quiet` is the normal state. */
export type BarTone = 'quiet' | 'warning' | 'danger' | 'accent' | 'credit' | 'positive';

/** `part / whole`, clamped to 0…1; NaN becomes 0. */
export function share(part: number, whole: number): number {
  if (!(whole > 0) || !(part > 0)) return 0;
  return Math.min(1, part / whole);
}

/**
 * A thin bar, drawn as SVG so that its width needs no style attribute. `value` and `added` are shares from 0 to 1.
 * Decoration: the caller shows the numbers as text.
 */
export function Bar(props: { value: number; added?: number; tone?: BarTone; addedTone?: BarTone }): ReactNode {
  const { value, added = 0, tone = 'quiet', addedTone = 'accent' } = props;
  const first = share(value, 1) * 100;
  const second = Math.min(100 - first, share(added, 1) * 100);
  return (
    <svg className="sp-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect className="sp-bar__fill" data-tone={tone} width={round(first)} height="4" />
      {second > 0 && (
        <rect className="sp-bar__fill" data-tone={addedTone} x={round(first)} width={round(second)} height="4" />
      )}
    </svg>
  );
}

/** A bar of countable pieces: `used` of them filled, then `added`. */
export function Pips(props: { used: number; added?: number; total: number; tone?: BarTone }): ReactNode {
  const { used, added = 0, total, tone = 'quiet' } = props;
  return (
    <span className="sp-pips" aria-hidden="true">
      {Array.from({ length: Math.max(0, total) }, (_, index) => (
        <i key={index} data-tone={index < used ? tone : index < used + added ? 'accent' : undefined} />
      ))}
    </span>
  );
}

/** Two decimals are finer than any screen; they keep the markup short. */
function round(n: number): number {
  return Math.round(n * 100) / 100;
}
