import type { Permission } from '../permissions.ts';

type Verb = 'list' | 'create' | 'edit' | 'delete';
interface Nav {
  readonly group: 'hosting' | 'people' | 'economy' | 'content' | 'system';
  readonly order: number;
  readonly icon: string;
}
type Prefix = { [P in Permission]: P extends `${infer Start}.create` ? Start : never }[Permission];
type Row<Path extends string, G extends Permission> = {
  readonly path: Path;
  readonly guard: G;
  readonly layout: 'admin';
  readonly title: string;
  readonly texts: readonly ['admin', 'resources'];
};

/**
 * The four routes of an admin area that has list, create, edit and delete. In: name of the area, base path, permission
 * prefix (one for which all four permissions exist), place in the navigation.
 */
export function crudRoutes<const Name extends string, const Base extends string, const P extends Prefix>(
  name: Name,
  base: Base,
  prefix: P,
  nav: Nav,
) {
  const row = <V extends Verb, Path extends string>(verb: V, path: Path) =>
    ({
      path,
      guard: `${prefix}.${verb}` as `${P}.${V}` & Permission,
      layout: 'admin',
      title: `title.${name}.${verb}`,
      texts: ['admin', 'resources'],
    }) as const;
  const rows = {
    [`admin.${name}.list`]: { ...row('list', base), nav },
    [`admin.${name}.create`]: row('create', `${base}/create`),
    [`admin.${name}.edit`]: row('edit', `${base}/:id/edit`),
    [`admin.${name}.delete`]: row('delete', `${base}/:id/delete`),
  };
  return rows as {
    readonly [K in `admin.${Name}.list`]: Row<Base, `${P}.list` & Permission> & { readonly nav: Nav };
  } & { readonly [K in `admin.${Name}.create`]: Row<`${Base}/create`, `${P}.create` & Permission> } & {
    readonly [K in `admin.${Name}.edit`]: Row<`${Base}/:id/edit`, `${P}.edit` & Permission>;
  } & { readonly [K in `admin.${Name}.delete`]: Row<`${Base}/:id/delete`, `${P}.delete` & Permission> };
}
