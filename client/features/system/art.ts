import { isoLeft, isoPoint, isoRight, isoTop } from '#client/lib/iso.ts';

/** What a cube is made of, as part of a class name in system.css. `outline` is a cube that is missing. */
export type Material = 'floor' | 'wall' | 'dark' | 'accent' | 'danger' | 'warning' | 'outline';

/** A cube: column, row, how many cubes above the floor, what it is made of. */
type Cube = readonly [column: number, row: number, above: number, stuff: Material];

/** Height of a cube in levels of the grid, and of a floor slab. */
const CUBE = 2;
const SLAB = 0.6;

/** Side of the floor. */
const SIDE = 5;

/** A wall of four by four with a gate in it, which is filled with something. */
function gate(filling: Material): Cube[] {
  const cubes: Cube[] = [];
  for (let column = 0; column < 4; column++) {
    for (let above = 0; above < 4; above++) {
      const opening = (column === 1 || column === 2) && above < 3;
      if (!opening) cubes.push([column, 1, above, above === 3 ? 'wall' : 'dark']);
      else if (above < 2) cubes.push([column, 1, above, filling]);
    }
  }
  return cubes;
}

/** The pictures of the system pages. */
export const SCENES = {
  /** The gate is walled up. */
  blocked: [...gate('danger'), [1, 3, 0, 'danger']],
  /** The gate is there, but not for everybody. */
  forbidden: [...gate('outline'), [1, 3, 0, 'warning']],
  /** The block was moved. */
  missing: [
    [1, 1, 0, 'dark'],
    [1, 1, 1, 'wall'],
    [2, 2, 0, 'outline'],
    [4, 1, 0, 'accent'],
    [0, 3, 0, 'dark'],
  ],
  /** The way leads off the floor. */
  leaving: [
    [0, 1, 0, 'dark'],
    [0, 1, 1, 'wall'],
    [2, 2, 0, 'accent'],
    [3, 2, 0, 'outline'],
    [4, 2, 0, 'outline'],
    [0, 3, 0, 'dark'],
  ],
  /** A block fell out of the pile. */
  broken: [
    [1, 1, 0, 'dark'],
    [2, 1, 0, 'dark'],
    [1, 2, 0, 'dark'],
    [2, 2, 0, 'dark'],
    [1, 1, 1, 'wall'],
    [2, 2, 1, 'outline'],
    [4, 2, 0, 'danger'],
    [1, 1, 3, 'danger'],
  ],
} as const satisfies Record<string, readonly Cube[]>;
export type SceneName = keyof typeof SCENES;

/** A path of a scene and what it shows. */
export interface Face {
  readonly kind: string;
  readonly d: string;
}

/** The faces of a scene from the back to the front, its floor included. */
export function facesOf(name: SceneName): readonly Face[] {
  const faces: Face[] = [];
  for (let depth = 0; depth <= 2 * (SIDE - 1); depth++) {
    for (let column = Math.max(0, depth - SIDE + 1); column <= Math.min(depth, SIDE - 1); column++) {
      faces.push(...cubeFaces(column, depth - column, 0, SLAB, 'floor'));
    }
  }
  const scene: readonly Cube[] = SCENES[name];
  const ordered = scene.toSorted((a, b) => a[0] + a[1] - (b[0] + b[1]) || a[2] - b[2]);
  for (const [column, row, above, stuff] of ordered)
    faces.push(...cubeFaces(column, row, (above + 1) * CUBE, CUBE, stuff));
  return faces;
}

function cubeFaces(column: number, row: number, top: number, height: number, stuff: Material): Face[] {
  const at = isoPoint(column, row, top);
  return [
    { kind: `${stuff}-left`, d: isoLeft(at, height) },
    { kind: `${stuff}-right`, d: isoRight(at, height) },
    { kind: `${stuff}-top`, d: isoTop(at) },
  ];
}
