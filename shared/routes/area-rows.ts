import type { AreaNav, Operation } from '../resources/types.ts';

/** Where the pages of an area are, under the area's own path. */
export const PAGES = {
  list: '',
  create: '/create',
  edit: '/:id/edit',
  delete: '/:id/delete',
} as const satisfies Record<Operation, string>;

export interface Row<Path extends string, G extends string> {
  readonly path: Path;
  readonly guard: G;
  readonly layout: 'admin';
  readonly title: string;
}

/** What of an area's definition its routes need. */
export interface AreaFacts {
  readonly area: string;
  readonly path: string;
  readonly permission: string;
  readonly nav: AreaNav;
  readonly operations: readonly Operation[];
}

/** The routes of an area, one for each of its operations: `admin.<area>.<operation>`. */
export function routesOf({ area, path, permission, nav, operations }: AreaFacts): Record<string, Row<string, string>> {
  const base = path.replace('/api/admin', '/mc-admin');
  return Object.fromEntries(
    operations.map((operation) => [
      `admin.${area}.${operation}`,
      {
        path: `${base}${PAGES[operation]}`,
        guard: `${permission}.${operation}`,
        layout: 'admin',
        title: `title.${area}.${operation}`,
        ...(operation === 'list' ? { nav } : {}),
      },
    ]),
  );
}
