import type { Permission } from '../permissions.ts';
import { RESOURCES, type AreaName } from '../resources/index.ts';
import type { AreaNav, Operation } from '../resources/types.ts';
import { routesOf, type PAGES, type Row } from './area-rows.ts';

type Areas = typeof RESOURCES;
/** The path of an area's pages: that of its endpoints, under /mc-admin. */
type Base<A extends AreaName> = Areas[A]['path'] extends `/api/admin/${infer Rest}` ? `/mc-admin/${Rest}` : never;
type RouteOf<A extends AreaName, O extends Operation> = Row<
  `${Base<A>}${(typeof PAGES)[O]}`,
  `${Areas[A]['permission']}.${O}` & Permission
> &
  (O extends 'list' ? { readonly nav: AreaNav } : unknown);
/** The pages of every area: `admin.<area>.<operation>`, one for each of its operations. */
export type AreaRoutes = {
  readonly [
    K in { [A in AreaName]: `admin.${A}.${Areas[A]['operations'][number]}` }[AreaName]
  ]: K extends `admin.${infer A extends AreaName}.${infer O extends Operation}` ? RouteOf<A, O> : never;
};

/**
 * The routes of all areas, from their definitions. The client build replaces this module with the part of them that is
 * needed here (scripts/client-plugins.ts), so that the definitions are not part of every page.
 */
export const AREA_ROUTES = Object.assign({}, ...Object.values(RESOURCES).map(routesOf)) as AreaRoutes;
