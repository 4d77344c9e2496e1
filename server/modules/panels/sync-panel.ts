import { DomainError } from '#shared/errors.ts';
import { enqueueSync, type PanelsDeps } from './deps.ts';
import { KEY_UNREADABLE } from './keys.ts';
import { offersOf } from './offers.ts';
import type { PanelRow, StoredSync } from './ports.ts';
import { readCatalogue, type Reading } from './sync.ts';

/** Has the catalogue read by a job. Throws NOT_FOUND, PANEL_DISABLED. */
export async function requestSync(deps: PanelsDeps, id: string): Promise<void> {
  await deps.uow.run(async (tx) => {
    const row = await tx.panels.lock(id);
    if (!row) throw new DomainError('NOT_FOUND');
    if (!row.enabled) throw new DomainError('PANEL_DISABLED');
    await tx.panels.saveNote(id, { syncAskedMs: deps.clock.now() });
    await enqueueSync(deps, tx, id);
  });
}

/** Has the catalogue of every panel in use read. */
export async function requestSyncOfAll(deps: PanelsDeps): Promise<void> {
  await deps.uow.run(async (tx) => {
    for (const row of await tx.panels.list()) if (row.enabled) await enqueueSync(deps, tx, row.id);
  });
}

/**
 * Reads the catalogue of a panel and writes down what it says. Out: how it went; null where the panel is gone, disabled
 * or another one by now.
 */
export async function syncPanel(deps: PanelsDeps, id: string): Promise<StoredSync | null> {
  const row = await deps.uow.read((tx) => tx.panels.find(id));
  if (!row) return null;
  const connection = row.enabled ? deps.registry.findConnection(row) : null;
  const began = deps.clock.now();
  const read = connection
    ? await readCatalogue(connection.catalogue)
    : ({ part: 'locations', fault: KEY_UNREADABLE } as const);
  const result: StoredSync =
    'locations' in read
      ? {
          state: read.failed.length > 0 ? 'partial' : 'ok',
          part: read.failed.length > 0 ? 'allocations' : null,
          fault: read.failed[0]?.fault ?? null,
          nodesFailed: read.failed.map(({ node }) => node.name),
        }
      : { state: 'failed', part: read.part, fault: read.fault, nodesFailed: [] };
  return saveReading(deps, row, began, result, 'locations' in read ? read : null);
}

/** Writes down what was read; null where the panel is gone, disabled or another one by now. */
async function saveReading(
  deps: PanelsDeps,
  row: PanelRow,
  began: number,
  result: StoredSync,
  reading: Reading | null,
): Promise<StoredSync | null> {
  const kept = await deps.uow.run(async (tx) => {
    const current = await tx.panels.lock(row.id);
    if (!current) return false;
    // Disabled, moved or given another key meanwhile: this was about something else.
    if (current.updatedMs !== row.updatedMs || !current.enabled) {
      await tx.panels.saveNote(row.id, { syncAskedMs: null });
      return false;
    }
    if (reading) {
      const offers = offersOf(deps.ids.hash, reading);
      for (const kind of ['location', 'nest', 'egg'] as const)
        await tx.panels.saveOffers(row.id, kind, offers[kind], began);
      await tx.capacity.saveNodes(row.id, reading.nodes, began);
    }
    await tx.panels.saveNote(row.id, { synced: result, syncedMs: deps.clock.now(), syncAskedMs: null });
    return true;
  });
  if (!kept) return null;
  // Each node's ports in a transaction of their own: a panel may have very many, and others want to write too.
  for (const [node, ports] of reading?.allocations ?? []) {
    await deps.uow.run(async (tx) => {
      if (await tx.capacity.lock(row.id)) await tx.capacity.saveAllocations(row.id, node, ports, began);
    });
  }
  if (result.state === 'failed')
    deps.log.warn('panels.sync_failed', { panel: row.id, part: result.part, fault: result.fault });
  return result;
}
