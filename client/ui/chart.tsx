import { scaleBand, scaleLinear, scalePoint } from 'd3-scale';
import { area, line, stack, stackOffsetDiverging } from 'd3-shape';
import { useState, type PointerEvent, type ReactNode } from 'react';
import { scaleMax, type AxisText } from './axis.ts';

/** Height of a chart in px. Its width is measured in per cent, so text and lines keep their size at every width. */
const HEIGHT = 260;
const TOP = 20;
const BOTTOM = 26;
/** Maximum number of labelled days below a chart. */
const MAX_DAY_LABELS = 7;

interface Axis {
  readonly days: readonly string[];
  readonly text: AxisText;
  /** Accessible name of the chart. */
  readonly label: string;
  /** Accessible name of the control that steps through the days. */
  readonly stepLabel: string;
  /** A day's figures as text, by index. */
  readonly read: (index: number) => string;
}
/** A value by day; null: there is none, and the line has a gap. */
type Values = readonly (number | null)[];
interface Series {
  readonly key: string;
  /** Its colour (`data-n`). */
  readonly n: number;
  readonly minted: readonly number[];
  readonly burnt: readonly number[];
}

/** Bars by day: minted above the line, burnt below it, one colour per account. An outlier is cut off and marked. */
export function FlowChart({ series, ...axis }: Axis & { series: readonly Series[] }): ReactNode {
  const { days, text } = axis;
  const keys = series.flatMap(({ key }) => [`${key}+`, `${key}-`]);
  const rows = days.map((_, index) =>
    Object.fromEntries(
      series.flatMap(({ key, minted, burnt }) => [
        [`${key}+`, minted[index] ?? 0],
        [`${key}-`, -(burnt[index] ?? 0)],
      ]),
    ),
  );
  const stacked = stack<Record<string, number>>().keys(keys).offset(stackOffsetDiverging)(rows);
  const sums = (side: 'minted' | 'burnt') =>
    days.map((_, index) => series.reduce((all, each) => all + (each[side][index] ?? 0), 0));
  const [up, down] = [sums('minted'), sums('burnt')];
  const x = scaleBand()
    .domain([...days])
    .range([0, 100])
    .padding(0.25);
  const y = scaleLinear()
    .domain([-scaleMax(down), Math.max(1, scaleMax(up))])
    .nice(5)
    .range([HEIGHT - BOTTOM, TOP]);
  const [low = 0, high = 0] = y.domain();
  const cut = (n: number): number => y(Math.min(high, Math.max(low, n)));
  const band = (index: number) => ({ x: percent(x(days[index] ?? '') ?? 0), width: percent(x.bandwidth()) });
  return (
    <Frame {...axis} y={y} ticks={wholeTicks(y)} middleOf={(day) => (x(day) ?? 0) + x.bandwidth() / 2} step={x.step()}>
      {stacked.map((layer, place) => (
        <g key={layer.key} className="sp-chart__bars" data-n={series[Math.floor(place / 2)]?.n}>
          {layer.map(([from, to], index) =>
            to > from && from < high && to > low ? (
              <rect
                key={days[index]}
                {...band(index)}
                y={round(cut(to))}
                height={round(Math.max(0.5, cut(from) - cut(to)))}
              />
            ) : null,
          )}
        </g>
      ))}
      <line className="sp-chart__zero" x1="0" x2="100%" y1={round(y(0))} y2={round(y(0))} />
      {days.map((day, index) => {
        const middle = percent((x(day) ?? 0) + x.bandwidth() / 2);
        return (
          <g key={day} className="sp-chart__over">
            {(up[index] ?? 0) > high && (
              <CutOffBar
                at={band(index)}
                middle={middle}
                y={TOP + 8}
                textY={TOP - 6}
                text={text.number(up[index] ?? 0)}
              />
            )}
            {(down[index] ?? 0) > -low && (
              <CutOffBar
                at={band(index)}
                middle={middle}
                y={HEIGHT - BOTTOM - 14}
                textY={HEIGHT - BOTTOM - 20}
                text={text.number(-(down[index] ?? 0))}
              />
            )}
          </g>
        );
      })}
    </Frame>
  );
}

/** The mark of a cut-off bar: a gap through it, and its value. */
function CutOffBar(props: {
  at: { x: string; width: string };
  middle: string;
  y: number;
  textY: number;
  text: string;
}): ReactNode {
  const { at, middle, y, textY, text } = props;
  return (
    <>
      <svg {...at} y={y} height="6" viewBox="0 0 12 6" preserveAspectRatio="none">
        <path className="sp-chart__gap" d="M0 4 3 1 6 4 9 1 12 4" />
      </svg>
      <text x={middle} y={textY} textAnchor="middle">
        {text}
      </text>
    </>
  );
}

/**
 * One line over the days (or shorter times), with the area below it filled, and a thin one for the highest values of
 * each where there are any. `ticks`: the values at the side, from one end of the scale to the other. `labelled`: the
 * days below it, by index.
 */
export function LineChart({
  values,
  highest = [],
  ticks,
  ...axis
}: Axis & {
  values: Values;
  highest?: Values;
  ticks?: readonly number[];
  labelled?: readonly number[];
  tone?: 'accent';
}): ReactNode {
  const { days } = axis;
  const known = [...values, ...highest].filter((value) => value !== null);
  const x = scalePoint()
    .domain([...days])
    .range([0, 100])
    .padding(0.5);
  const range = [HEIGHT - BOTTOM, TOP];
  const y = ticks
    ? scaleLinear([ticks[0] ?? 0, ticks.at(-1) ?? 1], range)
    : scaleLinear([Math.min(0, ...known), Math.max(1, ...known)], range).nice(5);
  const pointsOf = (list: Values) =>
    list.map((value, index): Point => [round(x(days[index] ?? '') ?? 0), value === null ? null : round(y(value))]);
  const points = pointsOf(values);
  const drawn = { area: area<Point>().y0(round(y(0))), line: line<Point>() };
  for (const each of [drawn.area, drawn.line]) each.defined(isKnown);
  return (
    <Frame
      {...axis}
      y={y}
      ticks={ticks ?? wholeTicks(y)}
      middleOf={(day) => x(day) ?? 0}
      step={x.step()}
      dots={points.map((point) => point[1])}
    >
      <svg width="100%" height={HEIGHT} viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none">
        <path className="sp-chart__area" d={drawn.area(points) ?? ''} />
        {highest.length > 0 && <path className="sp-chart__line" data-high d={drawn.line(pointsOf(highest)) ?? ''} />}
        <path className="sp-chart__line" d={drawn.line(points) ?? ''} />
      </svg>
      {points.filter(isAlone).map(([at, height]) => (
        <circle key={at} className="sp-chart__dot" cx={percent(at)} cy={height ?? 0} r="3" />
      ))}
    </Frame>
  );
}

/** Where a value stands; null: there is none. */
type Point = [x: number, y: number | null];
const isKnown = (point: Point): point is [number, number] => point[1] !== null;
/** Whether a value is known and those beside it are not: no line goes through it. */
const isAlone = (point: Point, at: number, all: readonly Point[]): boolean =>
  isKnown(point) && [all[at - 1], all[at + 1]].every((beside) => beside === undefined || !isKnown(beside));

interface Scale {
  (n: number): number;
  ticks(count: number): number[];
}
const wholeTicks = (y: Scale): number[] => y.ticks(5).filter(Number.isInteger);
interface FrameProps extends Axis {
  y: Scale;
  ticks: readonly number[];
  /** The days below it, by index; absent: as many as there is room for, the newest among them. */
  labelled?: readonly number[];
  tone?: 'accent';
  /** Where a day is, in per cent. */
  middleOf: (day: string) => number;
  /** From one day to the next, in per cent. */
  step: number;
  /** Where the line is on each day, in px from the top. */
  dots?: Values;
  children: ReactNode;
}

/** The axes of a chart, and the figures of the day that is pointed at or stepped to; the newest at first. */
function Frame(props: FrameProps): ReactNode {
  const { days, text, label, stepLabel, read, y, ticks, labelled, tone, middleOf, step, dots, children } = props;
  const last = Math.max(0, days.length - 1);
  const [pointed, point] = useState<number | null>(null);
  const at = Math.min(pointed ?? last, last);
  const middle = middleOf(days[at] ?? '');
  const labels = labelled ?? spread(days.map((_, index) => index));
  const dot = dots?.[at];
  const follow = (event: PointerEvent<HTMLElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (width > 0) point(Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * days.length))));
  };
  return (
    <div className="sp-chart" data-tone={tone}>
      <p className="sp-chart__read">{days.length > 0 && read(at)}</p>
      <svg className="sp-chart__side" width="100%" height={HEIGHT} aria-hidden="true">
        {ticks.map((tick) => (
          <text key={tick} x="100%" y={round(y(tick) + 4)} textAnchor="end">
            {text.number(tick)}
          </text>
        ))}
      </svg>
      <div className="sp-chart__plot">
        <svg width="100%" height={HEIGHT} role="img" aria-label={label}>
          {pointed !== null && (
            <rect
              className="sp-chart__at"
              x={percent(middle - step / 2)}
              width={percent(step)}
              y={TOP}
              height={HEIGHT - TOP - BOTTOM}
            />
          )}
          {ticks.map((tick) => (
            <line key={tick} className="sp-chart__tick" x1="0" x2="100%" y1={round(y(tick))} y2={round(y(tick))} />
          ))}
          {children}
          {pointed !== null && typeof dot === 'number' && (
            <circle className="sp-chart__dot" cx={percent(middle)} cy={dot} r="4" />
          )}
          {labels.map((index, place) => (
            <text
              key={days[index]}
              className="sp-chart__day"
              data-between={(labels.length - 1 - place) % 2 === 1 || undefined}
              x={percent(middleOf(days[index] ?? ''))}
              y={HEIGHT - 6}
              textAnchor="middle"
            >
              {text.day(days[index] ?? '')}
            </text>
          ))}
        </svg>
        {/* A native range input for stepping: arrow keys, Home and End, and its announcements. */}
        <input
          type="range"
          className="sp-chart__step"
          aria-label={stepLabel}
          aria-valuetext={read(at)}
          min={0}
          max={last}
          step={1}
          value={at}
          onChange={(event) => point(Number(event.target.value))}
          onPointerMove={follow}
          onPointerDown={follow}
          onPointerLeave={() => point(null)}
          onFocus={() => point(at)}
          onBlur={() => point(null)}
        />
      </div>
    </div>
  );
}

/** As many of the indexes as there is room for labels, the last among them. */
export function spread(indexes: readonly number[]): number[] {
  const every = Math.ceil(indexes.length / MAX_DAY_LABELS);
  return indexes.filter((_, place) => (indexes.length - 1 - place) % every === 0);
}

/** To a tenth: the same text on the server and in the browser, and short. */
function round(n: number): number {
  return Math.round(n * 10) / 10;
}

/** To a hundredth of a per cent. */
function percent(n: number): string {
  return `${Math.round(n * 100) / 100}%`;
}
