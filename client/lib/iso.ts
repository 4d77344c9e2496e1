/** A tile of the isometric grid is twice as wide as it is high; these are half of its width and of its height. */
const HALF_W = 26;
const HALF_H = 13;
/** Height of one level. */
const LEVEL = 15;

/** A point on the drawing. */
interface IsoPoint {
  readonly x: number;
  readonly y: number;
}

/** Where the middle of a tile's top lies: `column` runs to the lower right, `row` to the lower left, `level` upwards. */
export function isoPoint(column: number, row: number, level: number): IsoPoint {
  return { x: (column - row) * HALF_W, y: (column + row) * HALF_H - level * LEVEL };
}

/** Path of the top of a tile; `size` 1 covers the whole tile. */
export function isoTop({ x, y }: IsoPoint, size = 1): string {
  const w = HALF_W * size;
  const h = HALF_H * size;
  return `M${n(x)} ${n(y - h)}l${n(w)} ${n(h)}l${n(-w)} ${n(h)}l${n(-w)} ${n(-h)}z`;
}

/** Path of the side that faces the lower left, `levels` high. */
export function isoLeft({ x, y }: IsoPoint, levels: number, size = 1): string {
  const w = HALF_W * size;
  return `M${n(x - w)} ${n(y)}l${n(w)} ${n(HALF_H * size)}v${n(levels * LEVEL)}l${n(-w)} ${n(-HALF_H * size)}z`;
}

/** Path of the side that faces the lower right, `levels` high. */
export function isoRight({ x, y }: IsoPoint, levels: number, size = 1): string {
  const w = HALF_W * size;
  return `M${n(x + w)} ${n(y)}l${n(-w)} ${n(HALF_H * size)}v${n(levels * LEVEL)}l${n(w)} ${n(-HALF_H * size)}z`;
}

/** Two decimals keep the markup short; minus zero would differ between server and browser. */
function n(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}
