type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
/** The parameters of a path's pattern, by name; none where it has none. */
export type PathArgs<Path extends string> = [ParamNames<Path>] extends [never]
  ? []
  : [params: Record<ParamNames<Path>, string>];

/** A path with its parameters, each encoded, and without a trailing `/*`. */
export function fillPath(pattern: string, params: Readonly<Record<string, string>> = {}): string {
  return pattern
    .replace(/\/\*$/, '')
    .replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
