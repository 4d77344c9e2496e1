import { DomainError } from '#shared/errors.ts';
import type { PanelDialect } from '#shared/panel-codes.ts';
import type { PanelCheckView, PanelView } from '#shared/contract/panels.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay, permitted } from '../permit.ts';
import { wakeSync } from './deps.ts';
import { openKey } from './keys.ts';
import { offersOf } from './offers.ts';
import type { PanelRow, StoredCheck, StoredSync } from './ports.ts';
import { bindPeople, matchPeople } from './people.ts';
import { proveAccount, sendAccountCode, type ProveDeps } from './prove.ts';
import { addPanel, askPanel, editPanel, isUsed, removePanel, type PanelInput, type PanelUpdate } from './rows.ts';
import { readCatalogue, type Reading } from './sync.ts';
import { takeOffers, turnOffVanished } from './takeover.ts';
import { catalogueView, checkView, panelViews } from './views.ts';

export type Panels = ReturnType<typeof createPanels>;

const UNREADABLE = { fault: 'refused', cause: 'key_unreadable' } as const;

/**
 * Game panels over HTTP (behaviour 6.7): their rows and keys, connection test, reading of their catalogues, and what is
 * taken over from them.
 */
export function createPanels(deps: ProveDeps) {
  const { uow, clock, connections } = deps;

  const existing = async (id: string): Promise<PanelRow> => {
    const row = await uow.read((tx) => tx.panels.find(id));
    if (!row) throw new DomainError('NOT_FOUND');
    return row;
  };

  async function get(id: string): Promise<PanelView> {
    const [view] = await uow.read((tx) => panelViews(deps, tx, id));
    if (!view) throw new DomainError('NOT_FOUND');
    return view;
  }

  /**
   * Asks a panel what its keys may do, also a disabled one, and keeps the answer. In: who asks; null for the command
   * line. Throws FORBIDDEN, NOT_FOUND.
   */
  async function test(ctx: SignedIn | null, id: string): Promise<PanelCheckView> {
    if (ctx) assertMay(ctx, 'admin.panels.edit');
    const row = await existing(id);
    const [connection, key] = [connections.to(row), openKey(deps.sealer, row, 'key')];
    const { name, dialect, url, publicUrl } = row;
    const checked: StoredCheck =
      connection && key !== null
        ? await askPanel(
            deps,
            { id, name, dialect, url, publicUrl, key, clientKey: openKey(deps.sealer, row, 'client_key') },
            connection.catalogue,
          )
        : UNREADABLE;
    const now = clock.now();
    await uow.run(async (tx) => {
      const current = await tx.panels.lock(id);
      // Somebody gave it another address or key meanwhile: the answer is about what was.
      if (!current || current.updatedMs !== row.updatedMs) return;
      await tx.panels.note(id, {
        checked,
        checkedMs: now,
        ...('found' in checked ? { dialect: checked.found.dialect } : {}),
      });
      tx.touch('panels');
    });
    return checkView(checked, now);
  }

  /** Has the catalogue read by a job. Throws NOT_FOUND, PANEL_DISABLED. */
  async function askSync(id: string): Promise<void> {
    await uow.run(async (tx) => {
      const row = await tx.panels.lock(id);
      if (!row) throw new DomainError('NOT_FOUND');
      if (!row.enabled) throw new DomainError('PANEL_DISABLED');
      await tx.panels.note(id, { syncAskedMs: clock.now() });
      await wakeSync(deps, tx, id);
    });
  }

  /** Has the catalogue of every panel in use read. */
  async function askAll(): Promise<void> {
    await uow.run(async (tx) => {
      for (const row of await tx.panels.all()) if (row.enabled) await wakeSync(deps, tx, row.id);
    });
  }

  /**
   * Reads the catalogue of a panel and writes down what it says. Out: how it went; null where the panel is gone,
   * disabled or another one by now.
   */
  async function sync(id: string): Promise<StoredSync | null> {
    const row = await uow.read((tx) => tx.panels.find(id));
    if (!row) return null;
    const connection = row.enabled ? connections.to(row) : null;
    const began = clock.now();
    const read = connection
      ? await readCatalogue(connection.catalogue)
      : ({ part: 'locations', fault: UNREADABLE } as const);
    const result: StoredSync =
      'locations' in read
        ? {
            state: read.failed.length > 0 ? 'partial' : 'ok',
            part: read.failed.length > 0 ? 'allocations' : null,
            fault: read.failed[0]?.fault ?? null,
            nodesFailed: read.failed.map(({ node }) => node.name),
          }
        : { state: 'failed', part: read.part, fault: read.fault, nodesFailed: [] };
    return conclude(row, began, result, 'locations' in read ? read : null);
  }

  async function conclude(
    row: PanelRow,
    began: number,
    result: StoredSync,
    reading: Reading | null,
  ): Promise<StoredSync | null> {
    const kept = await uow.run(async (tx) => {
      const current = await tx.panels.lock(row.id);
      if (!current) return false;
      // Disabled, moved or given another key meanwhile: this was about something else.
      if (current.updatedMs !== row.updatedMs || !current.enabled) {
        await tx.panels.note(row.id, { syncAskedMs: null });
        return false;
      }
      if (reading) {
        const offers = offersOf(deps.ids.hash, reading);
        for (const kind of ['location', 'nest', 'egg'] as const)
          await tx.panels.seenOffers(row.id, kind, offers[kind], began);
        await tx.capacity.saveNodes(row.id, reading.nodes, began);
      }
      await tx.panels.note(row.id, { synced: result, syncedMs: clock.now(), syncAskedMs: null });
      return true;
    });
    if (!kept) return null;
    // Each node's ports in a transaction of their own: a panel may have very many, and others want to write too.
    for (const [node, ports] of reading?.allocations ?? []) {
      await uow.run(async (tx) => {
        if (await tx.capacity.lock(row.id)) await tx.capacity.saveAllocations(row.id, node, ports, began);
      });
    }
    if (result.state === 'failed')
      deps.log.warn('panels.sync_failed', { panel: row.id, part: result.part, fault: result.fault });
    return result;
  }

  /** The first panel of an installation that is set up by its environment; nothing where one of this address is there. */
  async function addFirst(first: {
    dialect: PanelDialect;
    url: string;
    key: string;
    clientKey: string | null;
  }): Promise<void> {
    const known = await uow.read((tx) => tx.panels.all());
    if (known.some(({ url }) => url === first.url)) return;
    const name = new URL(first.url).hostname.slice(0, 60);
    await addPanel(deps, null, {
      name: known.some((row) => row.name === name) ? first.url.slice(0, 60) : name,
      url: first.url,
      dialect: first.dialect,
      enabled: true,
      key: first.key,
      client_key: first.clientKey ?? '',
    });
    await connections.load();
  }

  return {
    list: () => uow.read((tx) => panelViews(deps, tx)),
    get,
    create: async (ctx: SignedIn | null, input: PanelInput) => {
      if (ctx) assertMay(ctx, 'admin.panels.create');
      return addPanel(deps, ctx, input);
    },
    update: permitted('admin.panels.edit', (ctx: SignedIn, id: string, input: PanelUpdate) =>
      editPanel(deps, ctx, id, input),
    ),
    test,
    /** What a panel is before it is removed, and whether that is refused. Throws NOT_FOUND. */
    dependants: async (id: string) => {
      const panel = await get(id);
      return { panel, refused: isUsed(panel.uses) };
    },
    remove: permitted('admin.panels.delete', (ctx: SignedIn, id: string, name: string) =>
      removePanel(deps, ctx, id, name),
    ),
    askSync: permitted('admin.panels.edit', (_: SignedIn, id: string) => askSync(id)),
    askAll,
    sync,
    /** What a panel offers. Throws NOT_FOUND. */
    catalogue: (id: string) =>
      uow.read(async (tx) => {
        const row = await tx.panels.find(id);
        if (!row) throw new DomainError('NOT_FOUND');
        return catalogueView(deps, tx, row);
      }),
    take: permitted('admin.panels.edit', (ctx: SignedIn, id: string, input: Parameters<typeof takeOffers>[3]) =>
      takeOffers(deps, ctx, id, input),
    ),
    turnOff: permitted('admin.panels.edit', (ctx: SignedIn, id: string, input: Parameters<typeof turnOffVanished>[3]) =>
      turnOffVanished(deps, ctx, id, input),
    ),
    addFirst,
    accounts: permitted('admin.panels.edit', (_: SignedIn, id: string) => matchPeople(deps, id)),
    bindAccounts: permitted('admin.panels.edit', (ctx: SignedIn, id: string, input: Parameters<typeof bindPeople>[3]) =>
      bindPeople(deps, ctx, id, input),
    ),
    sendAccountCode: (ctx: SignedIn, serverId: string) => sendAccountCode(deps, ctx, serverId),
    proveAccount: (ctx: SignedIn, serverId: string, code: string) => proveAccount(deps, ctx, serverId, code),
  };
}
