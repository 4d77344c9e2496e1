import type { BuildsDeps } from './deps.ts';
import { SECOND } from '#shared/time.ts';
import type { Capacity } from '../capacity/index.ts';
import { type WaitCause } from '../outages/index.ts';
import type { NodeReading, ServerRow } from '../core/ports.ts';

/**
 * How old what is known of a panel's nodes may be when a server is placed there: all that are built meanwhile share a
 * reading.
 */
const FRESH_MS = 30 * SECOND;

/**
 * What a node is to a server that is about to be made there: `open`, in maintenance or gone (`shut`), or a reason to
 * wait.
 */
type NodeState = 'open' | 'shut' | WaitCause;
/** Looks at the node of a server that is about to be made. `known`: what was known of it when the attempt began. */
export type NodeReader = (server: ServerRow, known: NodeReading) => Promise<NodeState>;

/**
 * Finds out whether nodes take servers just now: maintenance begins when staff of the panel say so, not with our next
 * hourly reading. In this process those who ask at the same time share one call.
 */
export function createNodeReader(deps: BuildsDeps): NodeReader {
  const reading = new Map<string, ReturnType<Capacity['refresh']>>();

  function isFresh({ readMs }: NodeReading): boolean {
    const now = deps.clock.now();
    return readMs !== null && now >= readMs && now - readMs < FRESH_MS;
  }
  /** Reads the nodes again. Out: why it could not be done, or null. */
  async function refresh(panel: string): Promise<WaitCause | null> {
    const running = reading.get(panel) ?? deps.capacity.refresh(panel, null).finally(() => reading.delete(panel));
    reading.set(panel, running);
    const no = await running;
    // A key without the right to see nodes cannot tell: what is known has to do.
    return no && no.outcome !== 'refused' ? deps.outages.causeOf(panel, no) : null;
  }
  return async ({ panel, panelNode }, known) => {
    if (panel === null || panelNode === null) return 'open';
    const readNode = () => deps.uow.read((tx) => tx.capacity.readNode(panel, panelNode));
    // Another build may have had it read meanwhile.
    let node = isFresh(known) ? known : await readNode();
    if (!isFresh(node)) {
      const wait = await refresh(panel);
      if (wait) return wait;
      node = await readNode();
    }
    return node.isOpen ? 'open' : 'shut';
  };
}
