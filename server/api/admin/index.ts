import { catalogHooks, eggHooks, locationHooks } from '#server/modules/catalog/index.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { CrudHooks } from '#server/modules/crud/index.ts';
import type { Sealer } from '#server/modules/kernel.ts';
import type { Overview } from '#server/modules/overview/index.ts';
import { ssoProviderHooks } from '#server/modules/sso/index.ts';
import type { ADMIN_AREAS } from '#shared/contract/admin.ts';
import { areaGroup } from '#shared/resources/area-group.ts';
import { RESOURCES, type AreaName } from '#shared/resources/index.ts';
import type { Resource } from '#shared/resources/types.ts';
import type { SettingValues } from '#shared/settings.ts';
import { codeBatchHandlers } from './code-batch.ts';
import { creditPackageHooks } from './credit-packages.ts';
import { crudHandlers, type CrudDeps } from './crud-handlers.ts';
import { j4rServerHooks } from './j4r-servers.ts';
import { overviewHandlers } from './overview.ts';
import { redeemCodeHooks } from './redeem-codes.ts';

type AdminDeps = CrudDeps & {
  readonly overview: Overview;
  readonly settings: { current(): SettingValues };
  readonly sealer: Sealer;
};
type AreaHandlers = { readonly [G in keyof typeof ADMIN_AREAS]: Handlers<(typeof ADMIN_AREAS)[G]> };

/** What the owners of areas add to the generic handlers. */
function hooksOf(deps: AdminDeps): Readonly<Partial<Record<AreaName, CrudHooks<never, never>>>> {
  return {
    locations: locationHooks,
    eggCategories: catalogHooks,
    eggs: eggHooks,
    creditPackages: creditPackageHooks(deps.settings),
    redeemCodes: redeemCodeHooks(deps),
    j4rServers: j4rServerHooks(deps),
    ssoProviders: ssoProviderHooks(deps),
  };
}

/** The handlers of every area: from its definition, and what its owner adds. */
function areaHandlers(deps: AdminDeps): AreaHandlers {
  const hooks = hooksOf(deps);
  // `Object.fromEntries` forgets which key has which value. Contract and handlers are both made of `RESOURCES`, so
  // every area has its group.
  return Object.fromEntries(
    Object.values<Resource<AreaName>>(RESOURCES).map((definition) => [
      areaGroup(definition.area),
      crudHandlers(definition, deps, hooks[definition.area] as CrudHooks | undefined),
    ]),
  ) as unknown as AreaHandlers;
}

/** The handlers of every admin group of the contract that the areas and their page need. */
export function adminHandlers(deps: AdminDeps) {
  return {
    ...areaHandlers(deps),
    adminOverview: overviewHandlers(deps),
    adminCodeBatch: codeBatchHandlers(deps),
  };
}
