import type { Permission } from '../permissions.ts';
import { RESOURCES, type AreaName } from '../resources/index.ts';
import type { AnyResource, AreaNav, Operation } from '../resources/types.ts';

const PAGES = { list: '', create: '/create', edit: '/:id/edit', delete: '/:id/delete' } as const satisfies Record<
  Operation,
  string
>;

interface Row<Path extends string, G extends string> {
  readonly path: Path;
  readonly guard: G;
  readonly layout: 'admin';
  readonly title: string;
  readonly texts: readonly ['admin', 'resources', `areas/${string}`];
}
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

function routesOf({ area, path, permission, nav, operations }: AnyResource): Record<string, Row<string, string>> {
  const base = path.replace('/api/admin', '/mc-admin');
  return Object.fromEntries(
    operations.map((operation) => [
      `admin.${area}.${operation}`,
      {
        path: `${base}${PAGES[operation]}`,
        guard: `${permission}.${operation}`,
        layout: 'admin',
        title: `title.${area}.${operation}`,
        texts: ['admin', 'resources', `areas/${area}`],
        ...(operation === 'list' ? { nav } : {}),
      },
    ]),
  );
}

/**
 * The routes of all areas, from their definitions. The client build replaces this module with the finished table
 * (scripts/client-plugins.ts), so that the definitions are not part of every page.
 */
export const AREA_ROUTES = Object.assign({}, ...Object.values(RESOURCES).map(routesOf)) as AreaRoutes;
