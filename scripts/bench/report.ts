/** One figure of the benchmark. `ratio` is value / baseline of the same run; `holds` compares with the goal. */
export interface Figure {
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  readonly baseline: number | null;
  readonly ratio: number | null;
  /** The goal in words: `ratio >= 0.75`, `value <= 145`. Null: no goal, for information. */
  readonly goal: string | null;
  readonly holds: boolean | null;
}

/** A figure that is compared with a baseline of the same run. */
export function ratioFigure(id: string, value: number, baseline: number, unit: string, least: number): Figure {
  const ratio = value / baseline;
  return {
    id,
    value: round(value),
    unit,
    baseline: round(baseline),
    ratio: round(ratio),
    goal: `ratio >= ${least}`,
    holds: ratio >= least,
  };
}

/**
 * A figure that may grow with the size of things, but not by more than a factor: `baseline` is the same at the smaller
 * size.
 */
export function growthFigure(id: string, value: number, baseline: number, unit: string, most: number): Figure {
  const ratio = value / baseline;
  return {
    id,
    value: round(value),
    unit,
    baseline: round(baseline),
    ratio: round(ratio),
    goal: `ratio <= ${most}`,
    holds: ratio <= most,
  };
}

/** A figure with an upper bound. */
export function boundFigure(id: string, value: number, unit: string, most: number): Figure {
  return { id, value: round(value), unit, baseline: null, ratio: null, goal: `value <= ${most}`, holds: value <= most };
}

/** A figure for information. */
export function plainFigure(id: string, value: number, unit: string): Figure {
  return { id, value: round(value), unit, baseline: null, ratio: null, goal: null, holds: null };
}

function round(value: number): number {
  const places = Math.abs(value) >= 1000 ? 1 : Math.abs(value) >= 10 ? 10 : 1000;
  return Math.round(value * places) / places;
}

/** Median of some numbers; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? (sorted[middle] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** The figures as lines for people: name, value, baseline, share, goal. */
export function table(figures: readonly Figure[]): string[] {
  const rows = [
    ['figure', 'value', 'baseline', 'share', 'goal', ''],
    ...figures.map(({ id, value, unit, baseline, ratio, goal, holds }) => [
      id,
      `${value} ${unit}`,
      baseline === null ? '' : String(baseline),
      ratio === null ? '' : ratio.toFixed(2),
      goal ?? '',
      holds === null ? '' : holds ? 'holds' : 'DOES NOT HOLD',
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** One line that names the goals that do not hold. */
export function verdict(figures: readonly Figure[]): string {
  const failing = figures.filter(({ holds }) => holds === false).map(({ id, goal }) => `${id} (${goal})`);
  return failing.length === 0 ? 'All goals hold.' : `Goals that do not hold: ${failing.join(', ')}`;
}
