const MB = 1024 * 1024;

/**
 * Most bytes of a request's body, by what it carries: commands and forms; a picture (behaviour 5.5); the attachments of
 * one message (behaviour 7.3: 5 × 5 MB). An endpoint or route names its own; nothing beyond it is read. Where a file is
 * bounded closer, its `upload.max` counts.
 */
export const CEILINGS = { command: MB, image: 8 * MB, attachments: 25 * MB } as const;
export type Ceiling = keyof typeof CEILINGS;

/** Most bytes that any request may have: what a proxy in front has to let in. */
export const LARGEST_BODY = Math.max(...Object.values(CEILINGS));

/**
 * What is said of an address where its bodies are bounded. `path`: a pattern with `:name` parts, and `/*` at its end
 * for whatever follows.
 */
interface Bounded {
  readonly path: string;
  /** Absent: `POST`, as a browser sends a form. */
  readonly method?: string;
  readonly ceiling?: Ceiling;
  readonly upload?: { readonly max: number };
}

/** Most bytes of a body to a declared address. */
export const ceilingOf = ({ ceiling = 'command', upload }: Pick<Bounded, 'ceiling' | 'upload'>): number =>
  Math.min(CEILINGS[ceiling], upload?.max ?? LARGEST_BODY);

/**
 * Looks ceilings up. In: every declared address. Out: the most bytes of a body to a method and path; what is not
 * declared carries commands.
 */
export function ceilings(declared: readonly Bounded[]): (method: string, path: string) => number {
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
