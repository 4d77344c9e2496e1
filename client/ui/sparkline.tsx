import type { ReactNode } from 'react';

/** The points of a line in a box of 100 by 32, first value left; a flat line lies in the middle. */
export function sparkPoints(values: readonly number[]): readonly (readonly [number, number])[] {
  const all = values.filter(Number.isFinite);
  const low = Math.min(...all);
  const span = Math.max(...all) - low;
  const step = all.length > 1 ? 100 / (all.length - 1) : 0;
  return all.map((value, index) => [round(index * step), span === 0 ? 16 : round(30 - ((value - low) / span) * 28)]);
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}

/** A small line without axes. Without a label it is decoration beside the number it belongs to. */
export function Sparkline(props: {
  values: readonly number[];
  tone?: 'quiet' | 'credit' | 'accent';
  label?: string;
}): ReactNode {
  const points = sparkPoints(props.values);
  if (points.length < 2) return null;
  const line = points.map(([x, y]) => `${x} ${y}`).join(' ');
  return (
    <svg
      className="sp-spark"
      data-tone={props.tone}
      viewBox="0 0 100 32"
      preserveAspectRatio="none"
      {...(props.label ? { role: 'img', 'aria-label': props.label } : { 'aria-hidden': true })}
    >
      <polygon className="sp-spark__area" points={`0 32 ${line} 100 32`} />
      <polyline className="sp-spark__line" points={line} />
    </svg>
  );
}
