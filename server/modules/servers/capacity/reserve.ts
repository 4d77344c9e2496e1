import type { CapacityDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { HOUR } from '#shared/time.ts';
import type { Location } from '../../catalog/ports.ts';
import type { Tx } from '../../tx.ts';
import type { ServerAllocation, NodeCapacity } from './ports.ts';
import { chooseNode, countFits, fitsMore, eligibleNodes, type Size } from './policy.ts';
import type { PanelPlacement, PanelServer, ServerResources } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

/** How long a reservation stands before it is checked what became of it. */
export const RESERVED_MS = HOUR;

/** Why nothing can be put at a location; null where something of the size fits. */
type CapacityRefusal = 'LOCATION_UNAVAILABLE' | 'LOCATION_FULL' | 'EGG_UNAVAILABLE';
export interface FreeCapacity {
  /** So many more servers of the size fit now: "sold out", "3 left". */
  readonly left: number;
  readonly reason: CapacityRefusal | null;
}
/** Capacity as read at one moment, for questions about many places at once. */
interface CapacitySnapshot {
  readonly nodes: readonly NodeCapacity[];
  readonly bound: ReadonlySet<string>;
  /** Slots taken, by location. */
  readonly uses: ReadonlyMap<string, number>;
  /** Whether a panel takes orders now. */
  readonly open: (panel: string | null) => boolean;
}
const binding = (eggId: string, panel: string) => `${eggId} ${panel}`;

/** Reads all capacity, with three queries however much there is. */
export async function loadCapacity(deps: Pick<CapacityDeps, 'panels'>, tx: Tx): Promise<CapacitySnapshot> {
  return {
    nodes: await tx.capacity.nodes(null),
    bound: new Set((await tx.panelLinks.bindings()).map(({ eggId, panel }) => binding(eggId, panel))),
    uses: await tx.catalog.locationUses(),
    open: (panel) => deps.panels.find(panel) !== null,
  };
}

/**
 * How many more servers of a size fit at a location for an egg (null: any), VIP aside. A location without a panel has
 * its slots; one with a panel has its slots and what is free on the panel's nodes.
 */
export function freeCapacity(
  snapshot: CapacitySnapshot,
  location: Location,
  eggId: string | null,
  size: Size,
): FreeCapacity {
  const { panel } = location;
  if (!location.online || !snapshot.open(panel)) return { left: 0, reason: 'LOCATION_UNAVAILABLE' };
  if (panel !== null && eggId !== null && !snapshot.bound.has(binding(eggId, panel)))
    return { left: 0, reason: 'EGG_UNAVAILABLE' };
  const slots = Math.max(0, location.slots - (snapshot.uses.get(location.id) ?? 0));
  const fits =
    panel === null
      ? slots
      : eligibleNodes(location, snapshot.nodes).reduce((sum, node) => sum + countFits(node, size), 0);
  const left = Math.min(slots, fits);
  return { left, reason: left > 0 ? null : 'LOCATION_FULL' };
}

/**
 * Takes ports of a node for a server until it has so many. Throws LOCATION_FULL where there are not enough; the
 * transaction is undone.
 */
async function assignAllocations(
  tx: Tx,
  place: { panel: string; node: string; serverId: string },
  wanted: number,
  has: number,
): Promise<readonly ServerAllocation[]> {
  const ports =
    wanted > has
      ? await tx.capacity.assignAllocations(place, wanted - has)
      : await tx.capacity.allocationsOf(place.serverId);
  if (ports.length < wanted) throw new DomainError('LOCATION_FULL');
  return ports;
}

/**
 * Reserves a place for a server that is to come, in the transaction that makes its row: node, ports, memory and disk.
 * Null at a location of the embedded panel, which places by itself. Throws LOCATION_UNAVAILABLE, EGG_UNAVAILABLE,
 * LOCATION_FULL.
 */
export async function reserve(
  deps: CapacityDeps,
  tx: Tx,
  location: Location,
  request: { serverId: string; eggId: string; resources: ServerResources },
): Promise<{ node: string } | null> {
  const { panel } = location;
  if (deps.panels.find(panel) === null) throw new DomainError('LOCATION_UNAVAILABLE');
  if (panel === null) return null;
  if (!(await tx.capacity.lock(panel))) throw new DomainError('LOCATION_UNAVAILABLE');
  if ((await tx.panelLinks.findOfferedEgg(request.eggId, panel)) === null) throw new DomainError('EGG_UNAVAILABLE');
  const { serverId, resources } = request;
  const nodes = eligibleNodes(location, await tx.capacity.nodes(panel));
  const away = new Set(
    (await tx.outages.list()).filter((outage) => outage.panel === panel && outage.node !== '').map(({ node }) => node),
  );
  // A node that is away just now is the last choice.
  const chosen =
    chooseNode(
      nodes.filter(({ node }) => !away.has(node)),
      resources,
      location.placement,
    ) ?? chooseNode(nodes, resources, location.placement);
  if (!chosen) throw new DomainError('LOCATION_FULL');
  const now = deps.clock.now();
  await assignAllocations(tx, { panel, node: chosen.node, serverId }, resources.ports, 0);
  const { memory, disk } = resources;
  await tx.capacity.saveReservation({
    serverId,
    panel,
    node: chosen.node,
    memory,
    disk,
    confirmedMs: null,
    untilMs: now + RESERVED_MS,
    createdMs: now,
  });
  return { node: chosen.node };
}

/**
 * Reserves what a change takes on top, on the node where the server stands, and takes its new ports; ports that are
 * given up go when the panel has let them go. Nothing happens at the embedded panel. Throws LOCATION_UNAVAILABLE,
 * LOCATION_FULL.
 */
export async function reserveChange(
  deps: CapacityDeps,
  tx: Tx,
  server: ServerRow,
  wanted: ServerResources,
): Promise<void> {
  const { panel, panelNode: node, resources: has, id: serverId } = server;
  if (panel === null || node === null) return;
  const more = { memory: wanted.memory - has.memory, disk: wanted.disk - has.disk, ports: wanted.ports - has.ports };
  const grows = more.memory > 0 || more.disk > 0 || more.ports > 0;
  if (!(await tx.capacity.lock(panel))) {
    if (grows) throw new DomainError('LOCATION_UNAVAILABLE');
    return;
  }
  if (grows) {
    const current = (await tx.capacity.nodes(panel)).find((each) => each.node === node);
    if (!current || !fitsMore(current, more)) throw new DomainError('LOCATION_FULL');
  }
  const open = await tx.capacity.outstanding(serverId);
  const now = deps.clock.now();
  const memory = Math.max(0, open.memory + more.memory);
  const disk = Math.max(0, open.disk + more.disk);
  await tx.capacity.saveReservation({
    serverId,
    panel,
    node,
    memory,
    disk,
    confirmedMs: null,
    untilMs: now + RESERVED_MS,
    createdMs: now,
  });
  await assignAllocations(
    tx,
    { panel, node, serverId },
    wanted.ports,
    (await tx.capacity.allocationsOf(serverId)).length,
  );
}

/**
 * Place of a server for the panel's creation call; null at the embedded panel. Throws where its ports are lost here,
 * which can only be a fault of ours.
 */
export async function findPlacement(tx: Tx, server: ServerRow): Promise<PanelPlacement | null> {
  if (server.panel === null || server.panelNode === null) return null;
  const [first, ...rest] = await tx.capacity.allocationsOf(server.id);
  if (!first) throw new Error(`a server without ports: ${server.id}`);
  return { node: server.panelNode, allocation: first.allocation, additional: rest.map((each) => each.allocation) };
}

/**
 * Gives a server that is not made yet other ports, and another node where that one is full or shut. `taken`: what it
 * had is somebody else's at the panel. Throws LOCATION_FULL, LOCATION_UNAVAILABLE; the old ones are kept then.
 */
export async function relocate(
  deps: CapacityDeps,
  tx: Tx,
  server: ServerRow,
  location: Location,
  taken: boolean,
): Promise<{ node: string }> {
  if (server.panel === null || !(await tx.capacity.lock(server.panel))) throw new DomainError('LOCATION_UNAVAILABLE');
  const old = await tx.capacity.allocationsOf(server.id);
  // They count as assigned until the panel is read again, so that nobody gets them meanwhile.
  await tx.capacity.releaseAllocations(
    server.id,
    old.map((each) => each.allocation),
    taken ? true : null,
  );
  await tx.capacity.deleteReservation(server.id);
  const place = await reserve(
    deps,
    tx,
    { ...location, panel: server.panel },
    { serverId: server.id, eggId: server.eggId, resources: server.resources },
  );
  if (!place) throw new DomainError('LOCATION_UNAVAILABLE');
  await deps.jobs.enqueueCapacity(tx, server.panel, server.panelNode);
  return place;
}

/**
 * The panel has the server: its reservation counts until the next reading of the panel's sums, and its ports here are
 * those it really has.
 */
export async function confirm(deps: CapacityDeps, tx: Tx, server: ServerRow, made: PanelServer): Promise<void> {
  const { panel, id: serverId } = server;
  if (panel === null) return;
  await tx.capacity.confirmReservation(serverId, deps.clock.now());
  if (made.allocations === null) await tx.capacity.markAssigned(serverId);
  else
    await tx.capacity.replaceAllocations(
      { panel, serverId },
      made.allocations.map((each) => each.id),
    );
}

/** Frees everything that a server has. `gone`: the panel had it and has let it go, so its sums are read again. */
export async function release(
  deps: CapacityDeps,
  tx: Tx,
  server: { id: string; panel: string | null },
  gone: boolean,
): Promise<void> {
  if (server.panel === null) return;
  const ports = await tx.capacity.allocationsOf(server.id);
  await tx.capacity.releaseAllocations(
    server.id,
    ports.map((each) => each.allocation),
    gone ? false : null,
  );
  await tx.capacity.deleteReservation(server.id);
  if (gone) await deps.jobs.enqueueCapacity(tx, server.panel);
}
