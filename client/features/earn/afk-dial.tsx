import { useId } from 'react';
import type { ReactNode } from 'react';
import { slabStates } from '#client/ui/slab-stack.tsx';

/** One tile a second of the running minute. */
const TILES = 60;
const SIDE = TILES / 4;
/** Half a step along the track, in drawing units: a tile is twice as wide as it is high. */
const STEP_X = 17;
const STEP_Y = 8.5;
/** Half of a tile; a little less than a step, to leave gaps. */
const TILE_X = 15;
const TILE_Y = 7.5;
/** How high a tile stands: still to come, passed, the running second. */
const HEIGHTS = { off: 3.75, corner: 3.75, on: 9.4, now: 15.3 } as const;
type TileKind = keyof typeof HEIGHTS;

/** The middle of the floor, and the slabs on it. */
const FLOOR_Y = 136;
const SLAB_X = 85;
const SLAB_Y = 42.5;
/** Height of the whole stack, however many slabs it has; a slab is three quarters of its share. */
const STACK = 91.2;
/** More slabs than this would be too thin to tell apart. */
const MAX_SLABS = 12;
const MINUTES_A_SLAB = 60;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The ground position under a tile's centre, clockwise from the far corner. */
function groundOf(index: number): Point {
  const along = index % SIDE;
  const far = SIDE - along;
  switch (Math.floor(index / SIDE)) {
    case 0:
      return { x: STEP_X * along, y: STEP_Y * (1 + along) };
    case 1:
      return { x: STEP_X * far, y: STEP_Y * (1 + SIDE + along) };
    case 2:
      return { x: -STEP_X * along, y: STEP_Y * (1 + SIDE + far) };
    default:
      return { x: -STEP_X * far, y: STEP_Y * (1 + far) };
  }
}

/** Two decimals keep the markup short; adding zero normalises minus zero. */
function n(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}

/** Left, right and top face of a box whose ground middle is at (0, y), with half sizes and a height. */
function faces(
  y: number,
  halfX: number,
  halfY: number,
  height: number,
): readonly (readonly ['left' | 'right' | 'top', string])[] {
  const top = y - height;
  return [
    ['left', `M${-halfX} ${n(top)} 0 ${n(top + halfY)} 0 ${n(y + halfY)} ${-halfX} ${n(y)}z`],
    ['right', `M0 ${n(top + halfY)} ${halfX} ${n(top)} ${halfX} ${n(y)} 0 ${n(y + halfY)}z`],
    ['top', `M0 ${n(top - halfY)} ${halfX} ${n(top)} 0 ${n(top + halfY)} ${-halfX} ${n(top)}z`],
  ];
}

/** Tiles from back to front, so that nearer ones cover farther ones; the first half lies behind the floor. */
const ORDER = Array.from({ length: TILES }, (_, index) => ({ index, ...groundOf(index) })).sort(
  (a, b) => a.y - b.y || a.x - b.x,
);
const TILES_BEHIND_FLOOR = ORDER.filter((tile) => tile.y <= FLOOR_Y);
const TILES_BEFORE_FLOOR = ORDER.filter((tile) => tile.y > FLOOR_Y);

/** How the day's cap is stacked: an hour per slab if the slabs stay distinguishable, otherwise equal parts. */
export function slabPlan(cap: number, perMinute: number): { slabs: number; each: number; hours: boolean } {
  const hour = MINUTES_A_SLAB * Math.max(1, perMinute);
  if (cap <= 0) return { slabs: 8, each: hour, hours: true };
  const slabs = Math.ceil(cap / hour);
  if (slabs <= MAX_SLABS) return { slabs, each: hour, hours: true };
  return { slabs: MAX_SLABS, each: Math.ceil(cap / MAX_SLABS), hours: false };
}

interface DialProps {
  /** Seconds of the running minute that have passed, 0 to 60. */
  seconds: number;
  /** The clock runs: the current second is highlighted. */
  running: boolean;
  earnedToday: number;
  cap: number;
  perMinute: number;
  /** The same as text. */
  label: string;
}

/** The AFK clock as a picture: sixty tiles are the seconds of a minute, the slabs inside are today's credits. */
export function AfkDial({ seconds, running, earnedToday, cap, perMinute, label }: DialProps): ReactNode {
  const id = useId();
  const passed = Math.min(TILES, Math.max(0, Math.floor(seconds)));
  const kindOf = (index: number): TileKind => {
    if (running && index === passed) return 'now';
    if (index < passed) return 'on';
    return index % SIDE === 0 ? 'corner' : 'off';
  };
  const tile = ({ index, x, y }: (typeof ORDER)[number]): ReactNode => (
    <use key={index} href={`#${id}-${kindOf(index)}`} x={n(x)} y={n(y)} />
  );
  const now = running && passed < TILES ? groundOf(passed) : null;
  return (
    <svg className="sp-afk-dial" viewBox="-274 -22 548 300" role="img" aria-label={label}>
      <defs>
        {(Object.keys(HEIGHTS) as TileKind[]).map((kind) => (
          <g id={`${id}-${kind}`} className="sp-afk-dial__tile" data-kind={kind} key={kind}>
            {faces(0, TILE_X, TILE_Y, HEIGHTS[kind]).map(([face, d]) => (
              <path className={`sp-face-${face}`} d={d} key={face} />
            ))}
          </g>
        ))}
      </defs>
      {TILES_BEHIND_FLOOR.map(tile)}
      <Floor />
      <Stack earnedToday={earnedToday} cap={cap} perMinute={perMinute} />
      {TILES_BEFORE_FLOOR.map(tile)}
      {now && (
        <g className="sp-afk-dial__crystal" transform={`translate(${n(now.x)} ${n(now.y - 33)})`}>
          <path d="M0-21.4-10.5-3.5 0 7.5z" opacity=".78" />
          <path d="M0-21.4 10.5-3.5 0 7.5z" />
        </g>
      )}
    </svg>
  );
}

const LINES = Array.from({ length: 7 }, (_, index) => index);

function Floor(): ReactNode {
  return (
    <>
      <path className="sp-afk-dial__floor" d="M0 27.2 217.6 136 0 244.8-217.6 136z" />
      <path
        className="sp-afk-dial__grid"
        d={LINES.map((line) => {
          const x = 34 * line;
          const y = 34 + 17 * line;
          return `M${x} ${y}L${x - 204} ${y + 102}M${n(-x)} ${y}L${204 - x} ${y + 102}`;
        }).join('')}
      />
    </>
  );
}

function Stack({ earnedToday, cap, perMinute }: Pick<DialProps, 'earnedToday' | 'cap' | 'perMinute'>): ReactNode {
  const { slabs, each } = slabPlan(cap, perMinute);
  const share = STACK / slabs;
  return slabStates(earnedToday, slabs * each, slabs).map((state, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- a slab is its place in the stack
    <g className="sp-slab" data-state={state} key={index}>
      {faces(FLOOR_Y - index * share, SLAB_X, SLAB_Y, share * 0.75).map(([face, d]) => (
        <path className={`sp-face-${face}`} d={d} key={face} />
      ))}
    </g>
  ));
}
