import { isoLeft, isoPoint, isoRight, isoTop } from '#client/lib/iso.ts';

/**
 * The map behind the login: heights of a square of tiles, seen from its front corner (bottom right of this table). High
 * ground is at the back and at the sides, so that nothing hides the spawn pad in the middle.
 */
const HEIGHTS = [
  '4443322223444',
  '4433221122334',
  '4332211112233',
  '3322111111122',
  '3221100001121',
  '2211000000111',
  '2210000000110',
  '3211000000010',
  '4321100000100',
  '4332110001100',
  '3443211010000',
  '3344321100000',
  '4433322110000',
] as const;

/** Towers with their lights: column, row, levels above the ground, which lights are on from the top. */
const TOWERS = [
  [3, 6, 6, '10110'],
  [6, 2, 4, '101'],
  [11, 4, 5, '1101'],
  [12, 8, 4, '101'],
] as const;

/** Gold lies on these tiles. */
const GOLD: ReadonlySet<string> = new Set(['4,9', '9,1', '9,11', '1,8']);

/** Middle of the pad, which is three tiles wide. */
const SPAWN = 6;

/** One painted thing: all faces of one kind that do not cover each other. */
interface Paint {
  readonly kind: string;
  readonly d: string;
}

function heightAt(column: number, row: number): number {
  return Number(HEIGHTS[row]?.[column] ?? '-1');
}

function isPad(column: number, row: number): boolean {
  return Math.abs(column - SPAWN) <= 1 && Math.abs(row - SPAWN) <= 1;
}

/** What a tile is made of; the letter is half of a class name in auth.css. */
function materialOf(column: number, row: number): string {
  if (column === SPAWN && row === SPAWN) return 'spot';
  if (isPad(column, row)) return 'pad';
  if (GOLD.has(`${column},${row}`)) return 'gold';
  return `h${heightAt(column, row)}`;
}

function levelAt(column: number, row: number): number {
  if (isPad(column, row)) return 1;
  return heightAt(column, row) + (GOLD.has(`${column},${row}`) ? 0.6 : 0);
}

type Layer = Map<string, string>;

function add(layer: Layer, kind: string, d: string): void {
  layer.set(kind, (layer.get(kind) ?? '') + d);
}

function addTile(layer: Layer, column: number, row: number): void {
  const level = levelAt(column, row);
  const stuff = materialOf(column, row);
  const at = isoPoint(column, row, level);
  const left = level - levelAt(column, row + 1);
  const right = level - levelAt(column + 1, row);
  if (left > 0) add(layer, `${stuff}-left`, isoLeft(at, left));
  if (right > 0) add(layer, `${stuff}-right`, isoRight(at, right));
  add(layer, `${stuff}-top`, isoTop(at));
}

function addTower(layer: Layer, tower: (typeof TOWERS)[number]): void {
  const [column, row, levels, lights] = tower;
  const at = isoPoint(column, row, levelAt(column, row) + levels);
  add(layer, 'tower-left', isoLeft(at, levels));
  add(layer, 'tower-right', isoRight(at, levels));
  add(layer, 'tower-top', isoTop(at));
  [...lights].forEach((light, index) => {
    add(layer, light === '1' ? 'light-on' : 'light-off', `M${at.x - 20} ${at.y + 10.5 + index * 15}l8 4`);
  });
}

/** Everything to paint, from the back to the front; tiles on one line across do not cover each other and share a path. */
function paintWorld(): readonly Paint[] {
  const size = HEIGHTS.length;
  const paints: Paint[] = [];
  for (let depth = 0; depth <= 2 * (size - 1); depth++) {
    const ground: Layer = new Map();
    const above: Layer = new Map();
    for (let column = Math.max(0, depth - size + 1); column <= Math.min(depth, size - 1); column++) {
      const row = depth - column;
      addTile(ground, column, row);
      const tower = TOWERS.find(([c, r]) => c === column && r === row);
      if (tower) addTower(above, tower);
    }
    for (const [kind, d] of [...ground, ...above]) paints.push({ kind, d });
  }
  return paints;
}

/** Painted once: it is the same for everybody. */
export const WORLD: readonly Paint[] = paintWorld();

/** Where the crystal hangs: above the middle of the pad. */
export const SPAWN_POINT = isoPoint(SPAWN, SPAWN, 1);
