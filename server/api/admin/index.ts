import { categoryHooks, eggHooks, locationHooks } from '#server/modules/catalog/index.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { CrudHooks } from '#server/modules/crud/index.ts';
import type { Sealer } from '#server/modules/kernel.ts';
import type { Overview } from '#server/modules/overview/index.ts';
import { REDIRECT_LINKS_TOPIC } from '#server/modules/redirect-links/index.ts';
import type { SetupGuide } from '#server/modules/setup-guide/index.ts';
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
  readonly setupGuide: SetupGuide;
  readonly settings: { current(): SettingValues };
  readonly sealer: Sealer;
};
type AreaHandlers = { readonly [G in keyof typeof ADMIN_AREAS]: Handlers<(typeof ADMIN_AREAS)[G]> };

/** What modules add to the generic handlers of their areas. */
function areaHooks(deps: AdminDeps): Readonly<Partial<Record<AreaName, CrudHooks<never, never>>>> {
  return {
    locations: locationHooks,
    eggCategories: categoryHooks,
    eggs: eggHooks,
    creditPackages: creditPackageHooks(deps.settings),
    redeemCodes: redeemCodeHooks(deps),
    j4rServers: j4rServerHooks(deps),
    ssoProviders: ssoProviderHooks(deps),
    redirectLinks: { topics: [REDIRECT_LINKS_TOPIC] },
  };
}

/** The handlers of every area, made from its definition and its hooks. */
function areaHandlers(deps: AdminDeps): AreaHandlers {
  const hooks = areaHooks(deps);
  // `Object.fromEntries` loses the type of each key. Contract and handlers are both made from `RESOURCES`, so that every
  // area has its group.
  return Object.fromEntries(
    Object.values<Resource<AreaName>>(RESOURCES).map((definition) => [
      areaGroup(definition.area),
      crudHandlers(definition, deps, hooks[definition.area] as CrudHooks | undefined),
    ]),
  ) as unknown as AreaHandlers;
}

/** The handlers of the areas, of the admin dashboard and of redeem code batches. */
export function adminHandlers(deps: AdminDeps) {
  return {
    ...areaHandlers(deps),
    adminOverview: overviewHandlers(deps),
    adminCodeBatch: codeBatchHandlers(deps),
  };
}
