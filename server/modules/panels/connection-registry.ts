import type { Bus, Log, Sealer } from '../kernel.ts';
import type { Panel, PanelCatalogue, PanelRegistry } from '../servers/index.ts';
import type { UnitOfWork } from '../tx.ts';
import { openKey } from './keys.ts';
import type { Connection, Connector, PanelRow } from './ports.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly bus: Bus;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly connector: Pick<Connector, 'connect'>;
  /** The panel inside the product; null where the installation has none. */
  readonly embedded: { readonly name: string; readonly panel: Panel } | null;
}
export interface ConnectionRegistry extends PanelRegistry {
  /** Reads the rows again; called at start, after every change, and now and then for the changes of other processes. */
  load(): Promise<void>;
  /** The connection of a row, made if need be, also of a disabled one; null where its key cannot be opened. */
  findConnection(row: PanelRow): Connection | null;
}

/** What makes a connection another one: until it changes, rate budget and circuit breaker are kept. */
const connectionVersion = (row: PanelRow): string =>
  JSON.stringify([row.dialect, row.url, row.publicUrl, row.keySealed, row.clientKeySealed]);

/**
 * The panels of this installation, one connection each, shared by everything in the process. A panel that was removed
 * or disabled has none, which says nothing about its servers.
 */
export function createConnectionRegistry({ uow, bus, log, sealer, connector, embedded }: Deps): ConnectionRegistry {
  let rows: ReadonlyMap<string, PanelRow> = new Map();
  const connections = new Map<string, { version: string; connection: Connection | null }>();
  let latestLoad = 0;

  async function load(): Promise<void> {
    latestLoad += 1;
    const own = latestLoad;
    const loaded = await uow.read((tx) => tx.panels.list());
    // A load that began later has seen more.
    if (own !== latestLoad) return;
    rows = new Map(loaded.map((row) => [row.id, row]));
    for (const id of connections.keys()) if (!rows.has(id)) connections.delete(id);
  }
  function findConnection(row: PanelRow): Connection | null {
    const version = connectionVersion(row);
    const current = connections.get(row.id);
    if (current?.version === version) return current.connection;
    const key = openKey(sealer, row, 'key');
    if (key === null) log.error('panels.key_unreadable', { panel: row.id });
    const { id, name, dialect, url, publicUrl } = row;
    const connection =
      key === null
        ? null
        : connector.connect({ id, name, dialect, url, publicUrl, key, clientKey: openKey(sealer, row, 'client_key') });
    connections.set(id, { version, connection });
    return connection;
  }
  function findConnectionInUse(id: string): Connection | null {
    const row = rows.get(id);
    return row?.enabled ? findConnection(row) : null;
  }
  bus.subscribe(
    'panels',
    () => void load().catch((error: unknown) => log.error('panels.load_failed', { error: String(error) })),
  );
  return {
    load,
    findConnection,
    find: (panel) => (panel === null ? (embedded?.panel ?? null) : (findConnectionInUse(panel)?.panel ?? null)),
    findCatalogue: (panel): PanelCatalogue | null => findConnectionInUse(panel)?.catalogue ?? null,
    list: () =>
      Promise.resolve([
        ...(embedded ? [{ id: null, name: embedded.name }] : []),
        ...[...rows.values()].filter((row) => row.enabled).map(({ id, name }) => ({ id, name })),
      ]),
  };
}
