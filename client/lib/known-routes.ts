import { createMatcher, type Match } from '#shared/routes/match.ts';
import { PLAYER_ROUTE_LIST } from '#shared/routes/players.ts';
import type { Route } from '#shared/routes/row.ts';
import type { RouteId } from '#shared/routes/table.ts';

let match = createMatcher<RouteId>(PLAYER_ROUTE_LIST);

/** Adds the routes of staff, once they are loaded (client/app/staff-routes.ts). Doing so again changes nothing. */
export function learnStaffRoutes(routes: readonly Route<RouteId>[]): void {
  match = createMatcher<RouteId>([...PLAYER_ROUTE_LIST, ...routes]);
}

/** The route of a path among those that this page knows: the server knows all, a browser those of staff once loaded. */
export function matchKnownRoute(pathname: string): Match | null {
  return match(pathname);
}
