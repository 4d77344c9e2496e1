import { RESOURCES, type AreaName } from '#shared/resources/index.ts';
import { creditPackagesSql } from './credit-packages.ts';
import { departmentsSql } from './departments.ts';
import { eggCategoriesSql } from './egg-categories.ts';
import { eggsSql } from './eggs.ts';
import { j4rServersSql } from './j4r-servers.ts';
import { locationsSql } from './locations.ts';
import { mapTable, type AnySql, type NeedsSql, type TableMap, type TableSql } from './map.ts';
import { redeemCodesSql } from './redeem-codes.ts';
import { redirectLinksSql } from './redirect-links.ts';
import { ssoProvidersSql } from './sso-providers.ts';
import { storeItemsSql } from './store-items.ts';

type Areas = typeof RESOURCES;
/** SQL of the areas whose definition alone does not say everything. One that is missing does not compile. */
const SQL: { readonly [A in AreaName as NeedsSql<Areas[A]> extends true ? A : never]: TableSql<Areas[A]> } = {
  locations: locationsSql,
  departments: departmentsSql,
  eggCategories: eggCategoriesSql,
  eggs: eggsSql,
  redeemCodes: redeemCodesSql,
  j4rServers: j4rServersSql,
  storeItems: storeItemsSql,
  creditPackages: creditPackagesSql,
  ssoProviders: ssoProvidersSql,
  redirectLinks: redirectLinksSql,
};

/** The table of every admin area. */
export const TABLES = Object.fromEntries(
  Object.values(RESOURCES).map((definition) => [
    definition.area,
    mapTable(definition, (SQL as Readonly<Partial<Record<AreaName, AnySql>>>)[definition.area]),
  ]),
) as Readonly<Record<AreaName, TableMap>>;
