import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay, permitted } from '../permit.ts';
import { testPanel } from './check.ts';
import type { PanelsDeps } from './deps.ts';
import { createFirstPanel } from './first.ts';
import { bindAccounts, matchAccounts } from './accounts.ts';
import { proveAccount, sendAccountCode, type ProveDeps } from './prove.ts';
import { createPanel, updatePanel, isUsed, deletePanel, type PanelInput, type PanelUpdate } from './commands.ts';
import { requestSync, requestSyncOfAll, syncPanel } from './sync-panel.ts';
import { createEggOfFile, readEggFile, type EggFileDeps } from './egg-file.ts';
import { importOffers, turnOffVanished } from './import-offers.ts';
import { listPanelDetails, readCatalogue, type PanelDetails } from './details.ts';

export type Panels = ReturnType<typeof createPanels>;

async function getPanel(deps: PanelsDeps, id: string): Promise<PanelDetails> {
  const [found] = await deps.uow.read((tx) => listPanelDetails(deps, tx, id));
  if (!found) throw new DomainError('NOT_FOUND');
  return found;
}

/**
 * Game panels over HTTP (behaviour 6.7): their rows and keys, connection test, reading of their catalogues, and what is
 * taken over from them.
 */
export function createPanels(deps: ProveDeps & EggFileDeps) {
  const { uow } = deps;
  return {
    list: () => uow.read((tx) => listPanelDetails(deps, tx)),
    get: (id: string) => getPanel(deps, id),
    create: async (ctx: SignedIn | null, input: PanelInput) => {
      if (ctx) assertMay(ctx, 'admin.panels.create');
      return createPanel(deps, ctx, input);
    },
    update: permitted('admin.panels.edit', (ctx: SignedIn, id: string, input: PanelUpdate) =>
      updatePanel(deps, ctx, id, input),
    ),
    test: (ctx: SignedIn | null, id: string) => testPanel(deps, ctx, id),
    /** What a panel is before it is removed, and whether that is refused. Throws NOT_FOUND. */
    dependants: async (id: string) => {
      const panel = await getPanel(deps, id);
      return { panel, refused: isUsed(panel.uses) };
    },
    remove: permitted('admin.panels.delete', (ctx: SignedIn, id: string, name: string) =>
      deletePanel(deps, ctx, id, name),
    ),
    requestSync: permitted('admin.panels.edit', (_: SignedIn, id: string) => requestSync(deps, id)),
    requestSyncOfAll: () => requestSyncOfAll(deps),
    sync: (id: string) => syncPanel(deps, id),
    /** What a panel offers. Throws NOT_FOUND. */
    catalogue: (id: string) =>
      uow.read(async (tx) => {
        const row = await tx.panels.find(id);
        if (!row) throw new DomainError('NOT_FOUND');
        return readCatalogue(deps, tx, row);
      }),
    importOffers: permitted(
      'admin.panels.edit',
      (ctx: SignedIn, id: string, input: Parameters<typeof importOffers>[3]) => importOffers(deps, ctx, id, input),
    ),
    turnOff: permitted('admin.panels.edit', (ctx: SignedIn, id: string, input: Parameters<typeof turnOffVanished>[3]) =>
      turnOffVanished(deps, ctx, id, input),
    ),
    /** What a file of an egg holds, and the categories that it can go to. Throws as readEggFile does. */
    readEggFile: permitted('admin.egg.create', async (_: SignedIn, content: string) => {
      const file = readEggFile(content, deps);
      const categories = await uow.read((tx) => tx.catalog.categories());
      return { file, categories: categories.map(({ id, name }) => ({ id, name })) };
    }),
    createEggOfFile: permitted(
      'admin.egg.create',
      (ctx: SignedIn, input: { readonly content: string; readonly category_id: string }) =>
        createEggOfFile(deps, ctx, input),
    ),
    addFirst: (first: Parameters<typeof createFirstPanel>[1]) => createFirstPanel(deps, first),
    accounts: permitted('admin.panels.edit', (_: SignedIn, id: string) => matchAccounts(deps, id)),
    bindAccounts: permitted(
      'admin.panels.edit',
      (ctx: SignedIn, id: string, input: Parameters<typeof bindAccounts>[3]) => bindAccounts(deps, ctx, id, input),
    ),
    sendAccountCode: (ctx: SignedIn, serverId: string) => sendAccountCode(deps, ctx, serverId),
    proveAccount: (ctx: SignedIn, serverId: string, code: string) => proveAccount(deps, ctx, serverId, code),
  };
}
