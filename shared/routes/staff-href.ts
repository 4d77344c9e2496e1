import { fillPath, type PathArgs } from './path.ts';
import { ROUTES, type RouteId } from './table.ts';

/** The address of any route, as `href.ts` gives it. Whatever imports it brings the routes of staff along. */
export function href<Id extends RouteId>(id: Id, ...args: PathArgs<(typeof ROUTES)[Id]['path']>): string {
  return fillPath(ROUTES[id].path, args[0]);
}
