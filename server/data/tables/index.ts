import { creditPackagesTable } from './credit-packages.ts';
import type { AreaName } from '#shared/resources/index.ts';
import { eggCategoriesTable } from './egg-categories.ts';
import { eggsTable } from './eggs.ts';
import { j4rServersTable } from './j4r-servers.ts';
import { locationsTable } from './locations.ts';
import type { TableMap } from './map.ts';
import { storeItemsTable } from './store-items.ts';
import { redeemCodesTable } from './redeem-codes.ts';

/** The table of every admin area. */
export const TABLES: Readonly<Record<AreaName, TableMap>> = {
  locations: locationsTable,
  eggCategories: eggCategoriesTable,
  eggs: eggsTable,
  redeemCodes: redeemCodesTable,
  j4rServers: j4rServersTable,
  storeItems: storeItemsTable,
  creditPackages: creditPackagesTable,
};
