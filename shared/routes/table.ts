import { PLAYER_ROUTE_LIST, PLAYER_ROUTES } from './players.ts';
import type { Route } from './row.ts';
import { STAFF_ROUTE_LIST, STAFF_ROUTES } from './staff.ts';

/**
 * Every route that exists, declared once: paths, guards, layouts, titles, navigation (specification, section 2). Pages
 * of players import `players.ts` alone.
 */
export const ROUTES = { ...PLAYER_ROUTES, ...STAFF_ROUTES };

export type RouteId = keyof typeof ROUTES;

/** All routes as a list of id and row. */
export const ROUTE_LIST: readonly Route<RouteId>[] = [...PLAYER_ROUTE_LIST, ...STAFF_ROUTE_LIST];
