import type { Location } from '../../catalog/ports.ts';
import type { NodeCapacity } from './ports.ts';

/** What a server takes of a node: MB, MB, ports. */
export interface Size {
  readonly memory: number;
  readonly disk: number;
  readonly ports: number;
}

/**
 * MB that may be given out on a node. `over`: percent above what is there, -1 for no limit (panel contract, section 4);
 * a node of size zero has no limit either, as Pelican counts.
 */
export function allocatable(size: number, over: number): number {
  return over < 0 || size <= 0 ? Infinity : Math.floor((size * (100 + over)) / 100);
}

interface Free {
  readonly memory: number;
  readonly disk: number;
  readonly ports: number;
}
/** What is left of a node: neither in the panel's sums nor promised. */
export function freeOf(node: NodeCapacity): Free {
  return {
    memory: allocatable(node.memory, node.memoryOverallocate) - node.memoryUsed - node.memoryReserved,
    disk: allocatable(node.disk, node.diskOverallocate) - node.diskUsed - node.diskReserved,
    ports: node.freeAllocations,
  };
}

/** How many servers of a size still fit on a node. */
export function countFits(node: NodeCapacity, size: Size): number {
  const free = freeOf(node);
  return Math.max(0, Math.floor(Math.min(free.memory / size.memory, free.disk / size.disk, free.ports / size.ports)));
}

/**
 * Nodes that a location's servers may be put on: of its panel, in its panel location or with its tag, open to automatic
 * placement, not in maintenance.
 */
export function eligibleNodes(
  location: Pick<Location, 'panel' | 'panelLocation'>,
  nodes: readonly NodeCapacity[],
): NodeCapacity[] {
  const { panel, panelLocation } = location;
  const there = (node: NodeCapacity) =>
    panelLocation === null ||
    node.location === panelLocation ||
    (node.location === null && node.tags.includes(panelLocation));
  return nodes.filter((node) => node.panel === panel && node.public && !node.maintenance && there(node));
}

/** Whether a change finds what it takes on top; what does not grow needs nothing. */
export function fitsMore(node: NodeCapacity, more: Size): boolean {
  const free = freeOf(node);
  return (['memory', 'disk', 'ports'] as const).every((kind) => more[kind] <= 0 || more[kind] <= free[kind]);
}

const share = (free: number, size: number, over: number) => (free === Infinity ? 1 : free / allocatable(size, over));
/** Free share of what is scarcer on a node, 0 to 1. */
function freeShare(node: NodeCapacity): number {
  const free = freeOf(node);
  return Math.min(
    share(free.memory, node.memory, node.memoryOverallocate),
    share(free.disk, node.disk, node.diskOverallocate),
  );
}

/**
 * The node a server goes to: of those where it fits the one with the largest free share (`spread`) or the smallest
 * (`pack`); where they are alike the one with less memory given out, then by id, so that the same facts give the same
 * place. Null where it fits nowhere.
 */
export function chooseNode(
  nodes: readonly NodeCapacity[],
  size: Size,
  placement: Location['placement'],
): NodeCapacity | null {
  const sign = placement === 'pack' ? 1 : -1;
  const given = (node: NodeCapacity) => node.memoryUsed + node.memoryReserved;
  const order = (a: NodeCapacity, b: NodeCapacity) =>
    sign * (freeShare(a) - freeShare(b)) || sign * (given(b) - given(a)) || (a.node < b.node ? -1 : 1);
  return nodes.filter((node) => countFits(node, size) > 0).sort(order)[0] ?? null;
}
