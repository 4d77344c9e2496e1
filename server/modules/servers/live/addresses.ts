import type { ServerRow } from '../core/ports.ts';
import type { PanelRegistry } from '../panel/index.ts';

/**
 * Addresses of a server's ports, the primary first: those that are known of its node, or that its panel wrote down. In:
 * the known ones, read by whoever asks, in a transaction of theirs.
 */
export async function addressesOf(panels: PanelRegistry, row: ServerRow, known: string[]): Promise<string[]> {
  if (known.length > 0 || row.panelId === null) return known;
  const ports = (await panels.find(row.panel)?.addresses?.(row.panelId)) ?? [];
  // The panel hears of the chosen one a moment later.
  const [primary] = ports.filter((address) => row.primaryPort !== null && address.endsWith(`:${row.primaryPort}`));
  return primary === undefined ? ports : [primary, ...ports.filter((address) => address !== primary)];
}
