import type { PatchRoutesOnNavigationFunction, RouteObject } from 'react-router';
import { learnStaffRoutes } from '#client/lib/known-routes.ts';
import { href } from '#shared/routes/href.ts';
import type { RouteId } from '#shared/routes/table.ts';
import { buildRoutes, screenRoutes, STAFF_PARENT, type RouterEnv } from './router.tsx';
import { PLAYER_PAGES, type Pages, type ScreenLoader } from './screens.ts';

/** The routes of a browser: those of players at once, those of staff with the first page of the admin area. */
export interface BrowserRoutes {
  /** The routes to begin with. In: the path of the page; one of staff brings the routes of staff along. */
  initial(path: string): Promise<RouteObject[]>;
  /** Adds the routes of staff before the router looks for a path among them. */
  readonly onNavigation: PatchRoutesOnNavigationFunction;
  /** Loads the routes of staff ahead. Rejects where they cannot be loaded. */
  prefetchStaff(): Promise<void>;
  /** The screen of a route; absent where its routes are not loaded. */
  screenOf(id: RouteId): ScreenLoader | undefined;
}

const isStaffPath = (path: string): boolean => `${path}/`.startsWith(`${href('admin.dashboard')}/`);

export function createBrowserRoutes(env: RouterEnv): BrowserRoutes {
  let staff: Pages | null = null;
  const load = async (): Promise<Pages> => {
    const { STAFF_PAGES } = await import('./staff-routes.ts');
    learnStaffRoutes(STAFF_PAGES.routes);
    return (staff = STAFF_PAGES);
  };
  return {
    initial: async (path) =>
      buildRoutes(env, isStaffPath(path) ? [PLAYER_PAGES, await env.chunk(load)] : [PLAYER_PAGES]),
    // What is there already is not added once more.
    onNavigation: async ({ path, patch }) => {
      if (isStaffPath(path)) patch(STAFF_PARENT, screenRoutes(env, await env.chunk(load), 'admin'));
    },
    prefetchStaff: async () => void (await load()),
    screenOf: (id) => staff?.screens[id] ?? PLAYER_PAGES.screens[id],
  };
}
