import { ROUTES, type RouteId } from './table.ts';

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type RouteParams<Id extends RouteId> = Record<ParamNames<(typeof ROUTES)[Id]['path']>, string>;
type Args<Id extends RouteId> = keyof RouteParams<Id> extends never ? [] : [params: RouteParams<Id>];

/** The address of a route, without a trailing `/*`. Missing or extra parameters do not compile; values are encoded. */
export function href<Id extends RouteId>(id: Id, ...args: Args<Id>): string {
  const params: Record<string, string> = args[0] ?? {};
  return ROUTES[id].path
    .replace(/\/\*$/, '')
    .replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
