import type { Access } from '#shared/contract/endpoint.ts';
import type { Permission } from '#shared/permissions.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import type { AnyResource } from '#shared/resources/types.ts';

/** Areas whose endpoints, pages and permissions are typed by hand, one by one (access.ts, routes.test.ts). */
const BY_HAND: ReadonlySet<string> = new Set([
  '/api/admin/locations',
  '/api/admin/egg-categories',
  '/api/admin/eggs',
  '/api/admin/redeem-codes',
  '/api/admin/j4r-servers',
  '/api/admin/store-items',
  '/api/admin/credit-packages',
]);

/**
 * The plain areas, by the address of their endpoints: the only thing that is taken from their definitions. For what
 * each asks there is one rule, typed by hand: the area at `/api/admin/mail-templates` asks for
 * `admin.mail.templates.<operation>`. An area that shall ask for something else is typed by hand like the ones above.
 */
export const PLAIN_AREAS: readonly { readonly path: string; readonly hasSwitch: boolean }[] =
  Object.values<AnyResource>(RESOURCES)
    .filter(({ path }) => !BY_HAND.has(path))
    .map(({ path, bulk }) => ({ path, hasSwitch: bulk.switch !== undefined }));

const permission = (path: string, operation: 'list' | 'create' | 'edit' | 'delete') =>
  `${path.replace('/api/', '').replaceAll(/[/-]/g, '.')}.${operation}` as Permission;

/** What each plain area asks for, by method and address of its endpoints. */
export const PLAIN_ENDPOINTS: Readonly<Record<string, Access>> = Object.fromEntries(
  PLAIN_AREAS.flatMap(({ path, hasSwitch }) => [
    [`GET ${path}`, permission(path, 'list')],
    [`GET ${path}/export.csv`, permission(path, 'list')],
    [`GET ${path}/new`, permission(path, 'create')],
    [`POST ${path}`, permission(path, 'create')],
    [`GET ${path}/:id`, permission(path, 'edit')],
    [`PATCH ${path}/:id`, permission(path, 'edit')],
    ...(hasSwitch ? [[`POST ${path}/turn`, permission(path, 'edit')]] : []),
    [`GET ${path}/:id/dependants`, permission(path, 'delete')],
    [`DELETE ${path}/:id`, permission(path, 'delete')],
    [`POST ${path}/delete`, permission(path, 'delete')],
  ]),
) as Record<string, Access>;

/** What each of their pages asks for, by address. */
export const PLAIN_PAGES: Readonly<Record<string, string>> = Object.fromEntries(
  PLAIN_AREAS.flatMap(({ path }) => {
    const page = path.replace('/api/admin', '/mc-admin');
    return [
      [page, permission(path, 'list')],
      [`${page}/create`, permission(path, 'create')],
      [`${page}/:id/edit`, permission(path, 'edit')],
      [`${page}/:id/delete`, permission(path, 'delete')],
    ];
  }),
);

/** Their permissions, in the order of the catalogue. */
export const PLAIN_PERMISSIONS: readonly string[] = PLAIN_AREAS.flatMap(({ path }) =>
  (['create', 'edit', 'delete', 'list'] as const).map((operation) => permission(path, operation)),
);
