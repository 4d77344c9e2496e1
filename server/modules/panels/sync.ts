import type { SyncPart } from '#shared/panel-codes.ts';
import type { PanelAllocation, PanelAnswer, PanelCatalogue, PanelEgg, PanelNode } from '../servers/index.ts';
import type { LocationBody } from './offers.ts';
import type { Fault } from './ports.ts';

/** All that a panel's catalogue says; the ports of the nodes that gave theirs. */
export interface Reading {
  readonly locations: readonly (LocationBody & { readonly id: string })[];
  readonly nodes: readonly PanelNode[];
  readonly eggs: readonly PanelEgg[];
  readonly allocations: ReadonlyMap<string, readonly PanelAllocation[]>;
  /** Nodes whose ports could not be read, and why. */
  readonly failed: readonly { readonly node: PanelNode; readonly fault: Fault }[];
}

/**
 * Puts an answer that is none into what is kept of it. The cause: the refusal's reason, or what the connection last
 * failed of.
 */
export function faultOf(
  answer: Exclude<PanelAnswer<unknown>, { outcome: 'ok' }>,
  catalogue: PanelCatalogue | null,
): Fault {
  const cause =
    answer.outcome === 'refused'
      ? answer.reason
      : answer.outcome === 'unavailable' || answer.outcome === 'unknown'
        ? (catalogue?.health().lastFailure ?? null)
        : null;
  return { fault: answer.outcome, cause: cause === null ? null : cause.slice(0, CAUSE_MAX) };
}
const CAUSE_MAX = 200;

/**
 * Reads the whole catalogue of a panel. Half a list proves nothing: unless locations, nodes and eggs were all read,
 * nothing is returned but why. The ports of a node are a list of their own: one that cannot be read leaves those of the
 * others true.
 */
export async function readCatalogue(
  catalogue: PanelCatalogue,
): Promise<Reading | { readonly part: SyncPart; readonly fault: Fault }> {
  const locations = await catalogue.locations();
  if (locations.outcome !== 'ok') return { part: 'locations', fault: faultOf(locations, catalogue) };
  const nodes = await catalogue.nodes();
  if (nodes.outcome !== 'ok') return { part: 'nodes', fault: faultOf(nodes, catalogue) };
  const eggs = await catalogue.eggs();
  if (eggs.outcome !== 'ok') return { part: 'eggs', fault: faultOf(eggs, catalogue) };
  const allocations = new Map<string, readonly PanelAllocation[]>();
  const failed: { node: PanelNode; fault: Fault }[] = [];
  for (const node of nodes.value) {
    const ports = await catalogue.allocations(node.id);
    if (ports.outcome === 'ok') allocations.set(node.id, ports.value);
    else failed.push({ node, fault: faultOf(ports, catalogue) });
  }
  return { locations: locations.value, nodes: nodes.value, eggs: eggs.value, allocations, failed };
}
