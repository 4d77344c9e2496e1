import type { CapacityDeps } from './deps.ts';
import { RESERVED_MS, release } from './reserve.ts';
import type { Reservation } from './ports.ts';
import { lockServer } from '../core/index.ts';
import { PanelCallFailed, type PanelFailure } from '../panel/index.ts';
import type { PanelAnswer, PanelCatalogue } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

/** Reservations checked in one go. */
const BATCH = 100;

async function callCatalogue<T>(
  deps: CapacityDeps,
  panel: string,
  work: (catalogue: PanelCatalogue) => Promise<PanelAnswer<T>>,
): Promise<PanelAnswer<T>> {
  const catalogue = deps.panels.findCatalogue(panel);
  if (!catalogue) return { outcome: 'unavailable' };
  try {
    return await work(catalogue);
  } catch (error) {
    deps.log.error('servers.panel_threw', { panel, call: 'catalogue', error: String(error) });
    return { outcome: 'unknown' };
  }
}

/**
 * Reads what is given out on a panel's nodes again, and with `node` its ports. The moment at which a reading begins is
 * kept with it: what was confirmed before is in its sums. Out: null, or the panel's answer where it did not tell.
 */
export async function refreshNodes(
  deps: CapacityDeps,
  panel: string,
  node: string | null,
): Promise<PanelFailure | null> {
  const begun = deps.clock.now();
  const nodes = await callCatalogue(deps, panel, (catalogue) => catalogue.nodes());
  if (nodes.outcome !== 'ok') return nodes;
  const ports = node === null ? null : await callCatalogue(deps, panel, (catalogue) => catalogue.allocations(node));
  await deps.uow.run(async (tx) => {
    if (!(await tx.capacity.lock(panel))) return;
    await tx.capacity.saveNodes(panel, nodes.value, begun);
    if (node !== null && ports?.outcome === 'ok') await tx.capacity.saveAllocations(panel, node, ports.value, begun);
  });
  return null;
}

/** The same. Throws PanelCallFailed where the panel does not answer. */
export async function refreshNodesOrThrow(deps: CapacityDeps, panel: string, node: string | null): Promise<void> {
  const no = await refreshNodes(deps, panel, node);
  if (no) throw new PanelCallFailed(no.outcome);
}

/** The server for which something was reserved is being made, or is there: the reservation goes on. */
function isBeingBuilt(server: ServerRow | null): boolean {
  return server?.state === 'queued' || server?.state === 'installing';
}

/**
 * What became of a reservation whose time is over. While its server waits or is built it goes on; what is over for us
 * is looked up at the panel first, and only a clear "not there" frees it. A panel that does not answer proves nothing:
 * it is checked again later.
 */
async function resolveExpired(deps: CapacityDeps, { serverId, panel }: Reservation): Promise<void> {
  const server = await deps.uow.read((tx) => tx.servers.find(serverId));
  const extend = () => deps.uow.run((tx) => tx.capacity.extendReservation(serverId, deps.clock.now() + RESERVED_MS));
  // A server of another panel by now: it failed here, and was tried again elsewhere.
  if (server && server.panel === panel && isBeingBuilt(server)) return extend();
  const found = await deps.callPanel(panel, 'find', (it) => it.findServerByExternalId(serverId));
  if (found.outcome !== 'ok' && found.outcome !== 'not_found') return extend();
  await deps.uow.run(async (tx) => {
    const now = await lockServer(tx, serverId);
    if (isBeingBuilt(now) || (await tx.capacity.findReservation(serverId))?.confirmedMs !== null) return;
    // A change that the panel does not have yet: what it takes is not in the sums, whatever they say.
    if (
      now &&
      now.panel === panel &&
      now.syncedRevision < now.revision &&
      (now.state === 'active' || now.state === 'suspended')
    ) {
      return tx.capacity.extendReservation(serverId, deps.clock.now() + RESERVED_MS);
    }
    if (found.outcome === 'ok') {
      await tx.capacity.confirmReservation(serverId, deps.clock.now());
      // The job of the change that is open, or the reconciler, does the rest.
      if (now) await deps.jobs.enqueueSync(tx, now);
      return;
    }
    if (now?.state === 'active' || now?.state === 'suspended')
      return tx.capacity.extendReservation(serverId, deps.clock.now() + RESERVED_MS);
    await release(deps, tx, { id: serverId, panel }, false);
  });
}

/** Checks reservations whose time is over. Out: how many. */
export async function sweepReservations(deps: CapacityDeps): Promise<number> {
  const over = await deps.uow.read((tx) => tx.capacity.listExpiredReservations(deps.clock.now(), BATCH));
  for (const reservation of over) await resolveExpired(deps, reservation);
  return over.length;
}
