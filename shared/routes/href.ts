import { fillPath, type PathArgs } from './path.ts';
import { PLAYER_ROUTES, type PlayerRouteId } from './players.ts';

/**
 * The address of a route of guests and players, without a trailing `/*`. Missing or extra parameters do not compile;
 * values are encoded. Pages of staff take `staff-href.ts`, which knows all.
 */
export function href<Id extends PlayerRouteId>(id: Id, ...args: PathArgs<(typeof PLAYER_ROUTES)[Id]['path']>): string {
  return fillPath(PLAYER_ROUTES[id].path, args[0]);
}
