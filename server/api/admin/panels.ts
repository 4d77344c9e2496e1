import type { Handlers } from '#server/http/implement.types.ts';
import type { Panels } from '#server/modules/panels/index.ts';
import type { adminPanels, panelAccount } from '#shared/contract/panels.ts';
import { presentAccounts, presentBinding, presentCatalogue, presentCheck, presentPanel } from './present-panels.ts';

/**
 * Game panels, for staff. In: the panel driver of this installation (`embedded`: locations without a panel use the
 * embedded one).
 */
export function panelsHandlers({
  panels,
  driver,
}: {
  readonly panels: Panels;
  readonly driver: string;
}): Handlers<typeof adminPanels> {
  return {
    list: async () => ({ panels: (await panels.list()).map(presentPanel), driver }),
    create: (ctx, { body }) => panels.create(ctx, body),
    get: async (_, { params }) => ({ panel: presentPanel(await panels.get(params.id)) }),
    update: (ctx, { params, body }) => panels.update(ctx, params.id, body),
    test: async (ctx, { params }) => ({ checked: presentCheck(await panels.test(ctx, params.id)) }),
    async dependants(_, { params }) {
      const { panel, refused } = await panels.dependants(params.id);
      return { panel: presentPanel(panel), refused };
    },
    remove: (ctx, { params, body }) => panels.remove(ctx, params.id, body.name),
    sync: (ctx, { params }) => panels.requestSync(ctx, params.id),
    catalogue: async (_, { params }) => presentCatalogue(await panels.catalogue(params.id)),
    take: (ctx, { params, body }) => panels.importOffers(ctx, params.id, body),
    accounts: async (ctx, { params }) => presentAccounts(await panels.accounts(ctx, params.id)),
    bindAccounts: async (ctx, { params, body }) => presentBinding(await panels.bindAccounts(ctx, params.id, body)),
    turnOff: (ctx, { params, body }) => panels.turnOff(ctx, params.id, body),
  };
}

/** A player's own account in a panel. */
export function panelAccountHandlers({ panels }: { readonly panels: Panels }): Handlers<typeof panelAccount> {
  return {
    sendCode: async (ctx, { params }) => {
      await panels.sendAccountCode(ctx, params.id);
      return {};
    },
    prove: async (ctx, { params, body }) => {
      await panels.proveAccount(ctx, params.id, body.code);
      return {};
    },
  };
}
