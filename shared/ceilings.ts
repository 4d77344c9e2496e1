const MB = 1024 * 1024;

/**
 * Maximum bytes of a request's body, by what it carries: commands and forms; a picture (behaviour 5.5); the attachments
 * of one message (behaviour 7.3: 5 × 5 MB); a part of a backup that is uploaded. Endpoints and routes declare theirs;
 * nothing beyond it is read. A stricter `upload.max` takes precedence.
 */
export const CEILINGS = {
  command: MB,
  image: 8 * MB,
  imageForm: 8 * MB + 64 * 1024,
  attachments: 25 * MB,
  backupPart: 8 * MB,
} as const;
export type Ceiling = keyof typeof CEILINGS;

/** Maximum bytes of any request: what a proxy in front has to allow. */
export const LARGEST_BODY = Math.max(...Object.values(CEILINGS));

/** An address with a bound on its bodies. `path`: a pattern with `:name` parts, and `/*` at its end for any rest. */
interface BoundedAddress {
  readonly path: string;
  /** Absent: `POST`, as a browser sends a form. */
  readonly method?: string;
  readonly ceiling?: Ceiling;
  readonly upload?: { readonly max: number };
}

/** Maximum bytes of a body for a declared address. */
export const ceilingOf = ({ ceiling = 'command', upload }: Pick<BoundedAddress, 'ceiling' | 'upload'>): number =>
  Math.min(CEILINGS[ceiling], upload?.max ?? LARGEST_BODY);

/**
 * Makes a lookup of ceilings. In: every declared address. Out: a function from method and path to the maximum bytes of
 * a body; undeclared addresses count as commands.
 */
export function ceilings(declared: readonly BoundedAddress[]): (method: string, path: string) => number {
  const special = declared
    .filter((each) => ceilingOf(each) !== CEILINGS.command)
    .map((each) => ({
      method: each.method ?? 'POST',
      path: new RegExp(`^${each.path.replace(/\/\*$/, '(/.*)?').replaceAll(/:\w+/g, '[^/]+')}$`),
      most: ceilingOf(each),
    }));
  return (method, path) =>
    special.find((each) => each.method === method && each.path.test(path))?.most ?? CEILINGS.command;
}
