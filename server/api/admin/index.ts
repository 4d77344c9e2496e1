import { catalogHooks, eggHooks, locationHooks } from '#server/modules/catalog/index.ts';
import type { Overview } from '#server/modules/overview/index.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import type { SettingValues } from '#shared/settings.ts';
import { codeBatchHandlers } from './code-batch.ts';
import { creditPackageHooks } from './credit-packages.ts';
import { crudHandlers, type CrudDeps } from './crud-handlers.ts';
import { j4rServerHooks } from './j4r-servers.ts';
import { overviewHandlers } from './overview.ts';
import { permissionsHandlers } from './permissions.ts';
import { redeemCodeHooks } from './redeem-codes.ts';

/** The handlers of every admin group of the contract. An area is one line: its definition, and what its owner adds. */
export function adminHandlers(
  deps: CrudDeps & { readonly overview: Overview; readonly settings: { current(): SettingValues } },
) {
  return {
    adminOverview: overviewHandlers(deps),
    adminLocations: crudHandlers(RESOURCES.locations, deps, locationHooks),
    adminEggCategories: crudHandlers(RESOURCES.eggCategories, deps, catalogHooks),
    adminEggs: crudHandlers(RESOURCES.eggs, deps, eggHooks),
    adminPermissions: permissionsHandlers(),
    adminCreditPackages: crudHandlers(RESOURCES.creditPackages, deps, creditPackageHooks(deps.settings)),
    adminRedeemCodes: crudHandlers(RESOURCES.redeemCodes, deps, redeemCodeHooks(deps)),
    adminJ4rServers: crudHandlers(RESOURCES.j4rServers, deps, j4rServerHooks(deps)),
    adminCodeBatch: codeBatchHandlers(deps),
    adminStoreItems: crudHandlers(RESOURCES.storeItems, deps),
  };
}
