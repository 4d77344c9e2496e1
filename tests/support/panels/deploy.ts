import { display, type PanelError } from './errors.ts';
import type { AllocationRow, NodeRow } from './rows.ts';
import type { PanelState } from './state.ts';

export const noViableNode = (): PanelError =>
  display(
    'NoViableNodeException',
    'No nodes satisfying the requirements specified for automatic deployment could be found.',
  );
const noViableAllocation = () =>
  display(
    'NoViableAllocationException',
    'No allocations satisfying the requirements for automatic deployment were found.',
  );
export interface Need {
  readonly memory: number;
  readonly disk: number;
  readonly cpu: number;
}

/**
 * Public nodes with room for it. An over-allocation of -1 counts as -1 % with Pterodactyl (4); with Pelican it and 0
 * are "no check" (8).
 */
export function viableNodes(
  state: PanelState,
  need: Need,
  where: { locations?: readonly number[]; tags?: readonly string[] },
): NodeRow[] {
  const pelican = state.dialect === 'pelican';
  const { locations = [], tags = [] } = where;
  return [...state.nodes.values()].filter((node) => {
    if (!node.public) return false;
    if (locations.length > 0 && !locations.includes(node.locationId ?? 0)) return false;
    if (tags.length > 0 && !tags.some((tag) => node.tags.includes(tag))) return false;
    const servers = state.serversOfNode(node.id);
    const fits = (read: keyof Need, size: number, over: number) => {
      if (pelican && (size === 0 || over < 0)) return true;
      return servers.reduce((total, server) => total + server[read], need[read]) <= size * (1 + over / 100);
    };
    return (
      fits('memory', node.memory, node.memoryOverallocate) &&
      fits('disk', node.disk, node.diskOverallocate) &&
      (!pelican || fits('cpu', node.cpu, node.cpuOverallocate))
    );
  });
}

/** Ports that a list of ports and ranges names; null for any. More than 1000 in a range are refused (5). */
function wantedPorts(ranges: readonly string[]): ((port: number) => boolean) | null {
  if (ranges.length === 0) return null;
  const spans = ranges.map((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    if (to - from > 1000)
      throw display('DisplayException', 'Adding more than 1000 ports in a single range at once is not supported.');
    return [from, to] as const;
  });
  return (port) => spans.some(([from, to]) => port >= from && port <= to);
}

/** A random free allocation on a random one of the nodes (5). `dedicated`: of an address none of whose ports is in use. */
export function pickAllocation(
  state: PanelState,
  nodes: readonly NodeRow[],
  ranges: readonly string[],
  dedicated: boolean,
): AllocationRow {
  const wanted = wantedPorts(ranges);
  const free = nodes.flatMap((node) => {
    const all = state.allocationsOfNode(node.id);
    const used = new Set(all.filter((each) => each.serverId !== null).map((each) => each.ip));
    return all.filter(
      (each) => each.serverId === null && (wanted === null || wanted(each.port)) && !(dedicated && used.has(each.ip)),
    );
  });
  if (free.length === 0) throw noViableAllocation();
  return state.random.pick(free);
}
