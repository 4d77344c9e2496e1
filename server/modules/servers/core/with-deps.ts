type Operation<D> = (deps: D, ...args: never[]) => unknown;
/** The same functions without their first parameter. */
type Bound<F> = {
  readonly [K in keyof F]: F[K] extends (deps: never, ...args: infer A) => infer R ? (...args: A) => R : never;
};

/**
 * The interface of a submodule: its functions, each of which takes what the submodule needs as its first parameter,
 * with that given. So functions stay at the top of their files, short, and callers see only what is offered.
 */
export function withDeps<D, F extends Readonly<Record<string, Operation<D>>>>(deps: D, functions: F): Bound<F> {
  const bound = Object.entries(functions).map(([name, operation]) => [
    name,
    (...args: never[]) => operation(deps, ...args),
  ]);
  return Object.fromEntries(bound) as Bound<F>;
}
