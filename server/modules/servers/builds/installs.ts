import type { BuildsDeps } from './deps.ts';
import { SECOND } from '#shared/time.ts';
import type { PanelAnswer, PanelServer } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

/** How long one page of a panel's list serves all who ask how their installation gets on. */
const PAGE_MS = 5 * SECOND;

/** Reads a server that is being installed, by its panel's id. */
export type InstallReader = (server: ServerRow, panelId: string) => Promise<PanelAnswer<PanelServer>>;

/**
 * Reads how installations get on, in this process: one page of the panel's list, the newest first, serves all of a
 * panel at once, so that a crowd costs no more calls than one server. A server that is not on it is asked for by
 * itself; so are those of the embedded panel, where it costs nothing.
 */
export function createInstallReader(deps: BuildsDeps): InstallReader {
  const pages = new Map<
    string,
    { readonly begunMs: number; readonly page: Promise<PanelAnswer<readonly PanelServer[]>> }
  >();

  /** The newest servers, as read not before a moment. */
  function newest(panel: string, sinceMs: number): Promise<PanelAnswer<readonly PanelServer[]>> {
    const now = deps.clock.now();
    const kept = pages.get(panel);
    if (kept && kept.begunMs >= sinceMs && now >= kept.begunMs && now - kept.begunMs < PAGE_MS) return kept.page;
    const page = deps.callPanel(panel, 'newest', (it) => it.newestServers());
    pages.set(panel, { begunMs: now, page });
    return page;
  }
  return async (server, panelId) => {
    const { panel, panelSeenMs } = server;
    if (panel !== null) {
      const page = await newest(panel, panelSeenMs ?? 0);
      // A page may not come where a single server does: some panels ask the machines for the state of all that are on
      // it.
      const found = page.outcome === 'ok' ? page.value.find((each) => each.panelId === panelId) : undefined;
      if (found) return { outcome: 'ok', value: found };
    }
    return deps.callPanel(panel, 'read', (it) => it.readServer(panelId));
  };
}
