import type { Tx } from '../../tx.ts';
import type { PanelServer } from '../panel/ports.ts';
import { SERVER_KINDS } from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';

/** What we want of a server at its panel, besides its row. */
export interface DesiredServer {
  readonly server: ServerRow;
  /** The owner's account there; null where it is not known, then it is not compared. */
  readonly account: string | null;
  /** Ids of its ports as kept here, the default first; null where the panel gives them by itself. */
  readonly allocations: readonly string[] | null;
}
export type Difference = 'details' | 'build' | 'startup' | 'reinstall' | 'suspend' | 'unsuspend';

/** Reads what we want of servers that are all at one panel, in two questions however many they are. Out: by id. */
export async function loadDesired(
  tx: Tx,
  panel: string | null,
  servers: readonly ServerRow[],
): Promise<ReadonlyMap<string, DesiredServer>> {
  if (panel === null)
    return new Map(servers.map((server) => [server.id, { server, account: null, allocations: null }]));
  const accounts = await tx.panelLinks.accountIds(panel, [...new Set(servers.map((server) => server.userId))]);
  const ports = await tx.capacity.allocationIds(servers.map((server) => server.id));
  return new Map(
    servers.map((server) => [
      server.id,
      { server, account: accounts.get(server.userId) ?? null, allocations: ports.get(server.id) ?? [] },
    ]),
  );
}

/**
 * Ports to give and to take at the panel, and how many are still to be found. The panel's default port stays whatever
 * we have (it cannot be taken without a new one); of the others come those we have first, and what the panel gave
 * besides goes only where the server has all of its ports without. Nothing where the panel was not asked for ports or
 * gives them by itself.
 */
export function allocationChanges(
  { server, allocations }: DesiredServer,
  found: Pick<PanelServer, 'allocations'>,
): { addAllocations: string[]; removeAllocations: string[]; short: number } {
  if (allocations === null || found.allocations === null)
    return { addAllocations: [], removeAllocations: [], short: 0 };
  const has = found.allocations.map((allocation) => allocation.id);
  const order = [...new Set([...has.slice(0, 1), ...allocations, ...has])];
  const keep = new Set(order.slice(0, server.resources.ports));
  return {
    addAllocations: [...keep].filter((id) => !has.includes(id)),
    removeAllocations: has.filter((id) => !keep.has(id)),
    short: server.resources.ports - keep.size,
  };
}

/**
 * Whether we have other ports for a server than the panel, which nothing at the panel corrects: one that was taken over
 * may stand on a port that was promised to another of ours just then.
 */
export function allocationsDiffer({ allocations }: DesiredServer, found: Pick<PanelServer, 'allocations'>): boolean {
  if (allocations === null || found.allocations === null) return false;
  const has = new Set(found.allocations.map((allocation) => allocation.id));
  return has.size !== allocations.length || allocations.some((id) => !has.has(id));
}

function detailsDiffer({ server, account }: DesiredServer, found: PanelServer): boolean {
  const owner = account !== null && found.userId !== null && found.userId !== account;
  return (
    owner || server.name !== found.name || server.description !== found.description || server.id !== found.externalId
  );
}
/** Whether another port than the primary one of its panel was chosen; one that it lost meanwhile is not asked for. */
function primaryPortDiffers({ primaryPort }: ServerRow, { allocations }: PanelServer): boolean {
  return primaryPort !== null && (allocations ?? []).slice(1).some(({ id }) => id === String(primaryPort));
}
function buildDiffers(wanted: DesiredServer, found: PanelServer): boolean {
  const { addAllocations, removeAllocations } = allocationChanges(wanted, found);
  return (
    addAllocations.length + removeAllocations.length > 0 ||
    primaryPortDiffers(wanted.server, found) ||
    // A late answer to an older change may leave it behind, with the right ports.
    (found.portLimit ?? wanted.server.resources.ports) !== wanted.server.resources.ports ||
    SERVER_KINDS.some((kind) => wanted.server.resources[kind] !== found.resources[kind])
  );
}

/**
 * What differs between what we want and what the panel has, in words of the panel's calls, in the order in which they
 * are made: a reinstall lifts a suspension (panel contract, section 5), so suspending comes last.
 */
export function differences(wanted: DesiredServer, found: PanelServer): Difference[] {
  const { server } = wanted;
  const list: Difference[] = [];
  if (detailsDiffer(wanted, found)) list.push('details');
  if (buildDiffers(wanted, found)) list.push('build');
  if (server.startupRevision > server.syncedRevision) list.push('startup');
  if (server.reinstallMs !== null) list.push('reinstall');
  if (server.desired === 'suspended' && (!found.suspended || server.reinstallMs !== null)) list.push('suspend');
  if (server.desired === 'running' && found.suspended && server.reinstallMs === null) list.push('unsuspend');
  return list;
}
