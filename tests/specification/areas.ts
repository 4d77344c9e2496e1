import type { Permission } from '#shared/permissions.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import type { AnyResource } from '#shared/resources/types.ts';

/**
 * Staff, areas with create, edit, delete and list whose permissions the specification names (section 6): locations,
 * nests (egg categories), eggs, join for rewards, redeem codes; and ours that are about money: store items and credit
 * packages. Path below `/api/admin/` → what its four permissions begin with.
 */
export const AREAS: Readonly<Record<string, string>> = {
  locations: 'admin.locations',
  'egg-categories': 'admin.nests',
  eggs: 'admin.egg',
  'redeem-codes': 'admin.redeem.codes',
  'j4r-servers': 'admin.j4r.servers',
  'credit-packages': 'admin.credit.packages',
  'store-items': 'admin.store.items',
};

/**
 * The plain areas: the address of their endpoints below `/api/admin/`, which is all that is taken from their
 * definitions, and whether they have a switch. For what each asks there is one rule, typed by hand: the area at
 * `mail-templates` asks for `admin.mail.templates.<operation>`. One that shall ask for something else gets a line
 * above.
 */
export const PLAIN_AREAS: readonly {
  readonly area: string;
  readonly permission: string;
  readonly hasSwitch: boolean;
}[] = Object.values<AnyResource>(RESOURCES)
  .map(({ path, bulk }) => ({ area: path.replace('/api/admin/', ''), hasSwitch: bulk.switch !== undefined }))
  .filter(({ area }) => !Object.hasOwn(AREAS, area))
  .map(({ area, hasSwitch }) => ({ area, hasSwitch, permission: `admin.${area.replaceAll('-', '.')}` }));

/** What the pages of plain areas ask for, by address. */
export const PLAIN_PAGES: Readonly<Record<string, string>> = Object.fromEntries(
  PLAIN_AREAS.flatMap(({ area, permission }) => [
    [`/mc-admin/${area}`, `${permission}.list`],
    [`/mc-admin/${area}/create`, `${permission}.create`],
    [`/mc-admin/${area}/:id/edit`, `${permission}.edit`],
    [`/mc-admin/${area}/:id/delete`, `${permission}.delete`],
  ]),
);

/** Their permissions, in the order of the catalogue. */
export const PLAIN_PERMISSIONS: readonly string[] = PLAIN_AREAS.flatMap(({ permission }) =>
  (['create', 'edit', 'delete', 'list'] as const).map((operation) => `${permission}.${operation}` as Permission),
);
