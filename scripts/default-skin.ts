import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'fast-png';

/**
 * `bun scripts/default-skin.ts`: draws client/skin.png, the skin of everybody who has not chosen one. Our own drawing;
 * the same each time.
 */
type Colour = readonly [number, number, number];
const SIZE = 64;
const data = new Uint8Array(SIZE * SIZE * 4);

const HAIR: Colour = [92, 58, 38];
const FACE: Colour = [222, 174, 138];
const SHIRT: Colour = [22, 128, 100];
const SLEEVE: Colour = [128, 203, 176];
const TROUSERS: Colour = [70, 92, 148];
const SHOES: Colour = [52, 56, 66];

/** A grain that depends on the place alone, so that cloth does not look like plastic. */
const grain = (x: number, y: number): number => 0.94 + (((x * 7 + y * 13 + ((x * y) % 5)) % 7) / 7) * 0.12;

function dot(x: number, y: number, [r, g, b]: Colour, plain = false): void {
  const shade = plain ? 1 : grain(x, y);
  data.set([...[r, g, b].map((value) => Math.min(255, Math.round(value * shade))), 255], (y * SIZE + x) * 4);
}

/** The six sides of a box as they lie on the picture. In: corner, width, height, depth, and the colour by side and row. */
function box(
  x: number,
  y: number,
  size: readonly [number, number, number],
  colour: (side: 'top' | 'bottom' | 'around', row: number, column: number) => Colour,
): void {
  const [w, h, d] = size;
  for (let row = 0; row < d; row += 1) {
    for (let column = 0; column < w; column += 1) {
      dot(x + d + column, y + row, colour('top', row, column));
      dot(x + d + w + column, y + row, colour('bottom', row, column));
    }
  }
  for (let row = 0; row < h; row += 1)
    for (let column = 0; column < 2 * (w + d); column += 1) dot(x + column, y + d + row, colour('around', row, column));
}

/** Head: right side, face, left side, back, eight columns each. */
box(0, 0, [8, 8, 8], (side, row, column) => {
  if (side === 'top') return HAIR;
  if (side === 'bottom') return FACE;
  const face = column >= 8 && column < 16;
  if (face) return row < 2 || (row === 2 && (column === 8 || column === 15)) ? HAIR : FACE;
  return column >= 24 || row < 4 || (row === 4 && column % 3 === 0) ? HAIR : FACE;
});
for (const [x, white] of [
  [9, true],
  [10, false],
  [13, false],
  [14, true],
] as const)
  dot(x, 12, white ? [245, 245, 245] : [40, 66, 118], true);
for (const x of [11, 12]) dot(x, 14, [176, 112, 92], true);

box(16, 16, [8, 12, 4], (side, row) => (side === 'bottom' || row > 10 ? TROUSERS : SHIRT));
for (const x of [23, 24]) dot(x, 20, FACE);
for (const [x, y] of [
  [40, 16],
  [32, 48],
] as const)
  box(x, y, [4, 12, 4], (side, row) =>
    side === 'bottom' ? FACE : side === 'top' ? SHIRT : row < 3 ? SHIRT : row < 5 ? SLEEVE : FACE,
  );
for (const [x, y] of [
  [0, 16],
  [16, 48],
] as const)
  box(x, y, [4, 12, 4], (side, row) => (side === 'bottom' || row > 9 ? SHOES : TROUSERS));

writeFileSync(
  join(import.meta.dir, '../client/skin.png'),
  encode({ width: SIZE, height: SIZE, channels: 4, depth: 8, data }, { zlib: { level: 9 } }),
);
