import { scaleBand, scaleLinear, scalePoint } from 'd3-scale';
import { area, line, stack, stackOffsetDiverging } from 'd3-shape';
import type { ReactNode } from 'react';

/** The drawing's own size; it is scaled to its place, and scrolls sideways where that is narrower than its letters bear. */
const WIDTH = 900;
const HEIGHT = 280;
const LEFT = 64;
const RIGHT = 36;
const TOP = 10;
const BOTTOM = 24;
/** Most days that are named below a drawing. */
const NAMED = 7;

interface Axis {
  readonly days: readonly string[];
  /** A day in words. */
  readonly dayText: (day: string) => string;
  readonly numberText: (n: number) => string;
  /** What the drawing shows, read out in its place. */
  readonly label: string;
}
export interface Series {
  readonly key: string;
  /** Its colour (`data-n`). */
  readonly n: number;
  readonly minted: readonly number[];
  readonly burnt: readonly number[];
}

/** Bars by day: what was minted above the line, what was burnt below it, one colour an account. */
export function FlowChart({ series, ...axis }: Axis & { series: readonly Series[] }): ReactNode {
  const { days } = axis;
  const keys = series.flatMap(({ key }) => [`${key}+`, `${key}-`]);
  const rows = days.map((_, index) =>
    Object.fromEntries(series.flatMap(({ key, minted, burnt }) => [[`${key}+`, minted[index] ?? 0], [`${key}-`, -(burnt[index] ?? 0)]])),
  );
  const stacked = stack<Record<string, number>>().keys(keys).offset(stackOffsetDiverging)(rows);
  const ends = stacked.flatMap((layer) => layer.flatMap(([low, high]) => [low, high]));
  const x = scaleBand().domain([...days]).range([LEFT, WIDTH - RIGHT]).padding(0.25);
  const y = scaleLinear().domain([Math.min(0, ...ends), Math.max(1, ...ends)]).nice(5).range([HEIGHT - BOTTOM, TOP]);
  return (
    <Frame {...axis} y={y} middleOf={(day) => (x(day) ?? 0) + x.bandwidth() / 2}>
      {stacked.map((layer, place) => (
        <g key={layer.key} className="sp-chart__bars" data-n={series[Math.floor(place / 2)]?.n}>
          {layer.map(([low, high], index) =>
            high > low ? (
              <rect key={days[index]} x={round(x(days[index] ?? '') ?? 0)} y={round(y(high))} width={round(x.bandwidth())} height={round(Math.max(0.5, y(low) - y(high)))} />
            ) : null,
          )}
        </g>
      ))}
      <line className="sp-chart__zero" x1={LEFT} x2={WIDTH - RIGHT} y1={round(y(0))} y2={round(y(0))} />
    </Frame>
  );
}

/** One line over the days, with the room below it filled. */
export function LineChart({ values, ...axis }: Axis & { values: readonly number[] }): ReactNode {
  const { days } = axis;
  const x = scalePoint().domain([...days]).range([LEFT + 6, WIDTH - RIGHT - 6]);
  const y = scaleLinear().domain([0, Math.max(1, ...values)]).nice(5).range([HEIGHT - BOTTOM, TOP]);
  const points = values.map((value, index): [number, number] => [round(x(days[index] ?? '') ?? 0), round(y(value))]);
  return (
    <Frame {...axis} y={y} middleOf={(day) => x(day) ?? 0}>
      <path className="sp-chart__area" d={area<[number, number]>().y0(round(y(0)))(points) ?? ''} />
      <path className="sp-chart__line" d={line<[number, number]>()(points) ?? ''} />
      {points.length === 1 && <circle className="sp-chart__dot" cx={points[0]?.[0]} cy={points[0]?.[1]} r="3" />}
    </Frame>
  );
}

interface Scale {
  (n: number): number;
  ticks(count: number): number[];
}

/** The lines and names around a drawing. */
function Frame(props: Axis & { y: Scale; middleOf: (day: string) => number; children: ReactNode }): ReactNode {
  const { days, dayText, numberText, label, y, middleOf, children } = props;
  const every = Math.ceil(days.length / NAMED);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls sideways must be reachable by keyboard
    <section className="sp-chart" aria-label={label} tabIndex={0}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {y.ticks(5).filter(Number.isInteger).map((tick) => (
          <g key={tick} className="sp-chart__tick">
            <line x1={LEFT} x2={WIDTH - RIGHT} y1={round(y(tick))} y2={round(y(tick))} />
            <text x={LEFT - 6} y={round(y(tick) + 4)} textAnchor="end">
              {numberText(tick)}
            </text>
          </g>
        ))}
        {children}
        {days.map((day, index) =>
          (days.length - 1 - index) % every === 0 ? (
            <text key={day} className="sp-chart__day" x={round(middleOf(day))} y={HEIGHT - 6} textAnchor="middle">
              {dayText(day)}
            </text>
          ) : null,
        )}
      </svg>
    </section>
  );
}

/** To a tenth: the same text on the server and in the browser, and short. */
function round(n: number): number {
  return Math.round(n * 10) / 10;
}
