import type { Panel, PanelAnswer, PanelCatalogue } from '#server/modules/servers/panel/ports.ts';
import { pelican } from '../pelican/index.ts';
import { pterodactyl } from '../pterodactyl/index.ts';
import type { Priority } from './bucket.ts';
import { checkPanel } from './check.ts';
import { createClient, rootOf, type HttpPanelDeps, type PanelAddress, type PanelClient, type Reply } from './client.ts';
import type { Dialect } from './dialect.ts';
import { liveCalls } from './live.ts';
import { allPages } from './pages.ts';
import { accountCalls } from './accounts.ts';
import { serverCalls } from './servers.ts';
import { readAllocations, readNodes } from './shapes.ts';
import { userCalls } from './users.ts';

/** A row of a panel, its keys in clear. */
interface HttpPanelRow extends PanelAddress {
  readonly dialect: 'pterodactyl' | 'pelican';
  /** Where people open the panel, for their links; absent or null: at `url`. */
  readonly publicUrl?: string | null;
}
export interface HttpPanel {
  /** For what somebody waits for. Lists are in the background here too. */
  readonly panel: Panel;
  /** The same panel for what nobody waits for (reconciliation): leaves a part of the panel's rate limit to the others. */
  readonly background: Panel;
  readonly catalogue: PanelCatalogue;
}
const DIALECTS: Readonly<Record<HttpPanelRow['dialect'], Dialect>> = { pterodactyl, pelican };

function panelOf(client: PanelClient, dialect: Dialect, row: HttpPanelRow, priority: Priority): Panel {
  const root = rootOf(row.publicUrl ?? row.url);
  const servers = serverCalls({ client, dialect, priority });
  return {
    driver: dialect.name,
    // Only experience tells.
    typicalInstallMs: () => null,
    ...userCalls({ client, dialect, priority }),
    ...servers,
    listServers: serverCalls({ client, dialect, priority: 'background' }).listServers,
    ...liveCalls(client, row.clientKey !== null),
    links: (identifier) => ({
      server: `${root}/server/${encodeURIComponent(identifier)}`,
      password: `${root}${dialect.passwordPath}`,
    }),
  };
}

function catalogueOf(client: PanelClient, dialect: Dialect, row: HttpPanelRow): PanelCatalogue {
  const nodes = () =>
    allPages(client, { right: 'nodes', path: '/nodes?sort=id&per_page=200', read: readNodes, ref: ({ id }) => id });
  return {
    check: () => checkPanel(client, dialect, row.clientKey !== null),
    locations: () => dialect.locations(client, nodes),
    nodes,
    async allocations(node) {
      if (!/^\d{1,15}$/.test(node)) return { outcome: 'refused', reason: 'id' };
      return allPages(client, {
        right: 'allocations',
        path: `/nodes/${node}/allocations?per_page=5000`,
        read: readAllocations(node),
        ref: ({ id }) => id,
      });
    },
    eggs: () => dialect.eggs(client),
    ...accountCalls(client, dialect),
    health: () => client.health(),
  };
}

/**
 * A panel over HTTP (behaviour 6.7), of either dialect. Its two panels and its catalogue share one client: one budget
 * with all adapters of the same address, one circuit breaker. Nothing is asked until it is used, and nothing needs to
 * be closed.
 */
export function createHttpPanel(deps: HttpPanelDeps, row: HttpPanelRow): HttpPanel {
  const dialect = DIALECTS[row.dialect];
  const client = createClient(deps, row, dialect.limits);
  return {
    panel: panelOf(client, dialect, row, 'interactive'),
    background: panelOf(client, dialect, row, 'background'),
    catalogue: catalogueOf(client, dialect, row),
  };
}

/** The panel has no such route: it is another program, or of the other kind. */
function hasNoRoute({ errors }: Reply<null>): boolean {
  return (
    errors?.some(({ code, detail }) => code === 'NotFoundHttpException' && detail.startsWith('The route ')) ?? false
  );
}
/** A key that is let in without the right for this one call is a key of this panel. */
function known<T>({ answer, verdict }: Reply<null>, value: T): PanelAnswer<T> {
  return answer.outcome === 'ok' || verdict.reason?.startsWith('right:')
    ? { outcome: 'ok', value }
    : answer.outcome === 'refused'
      ? answer
      : { outcome: 'unavailable' };
}

/**
 * Which of the two stands at an address: only Pterodactyl has locations, only Pelican has eggs without nests (panel
 * contract, section 8). `refused` with reason `key`, `key_owner`, `key_address`: a panel that does not take the key.
 * `unavailable`: none answered there; `failure` is its code as in PanelHealth (`not_json`, `not_api`, `redirect`,
 * `tls`, `dns`, `refused`, `timeout`, …).
 */
export async function detectDialect(
  deps: HttpPanelDeps,
  { url, key }: { readonly url: string; readonly key: string },
): Promise<{ readonly answer: PanelAnswer<HttpPanelRow['dialect']>; readonly failure: string | null }> {
  const client = createClient(deps, { id: 'detection', url, key, clientKey: null }, pterodactyl.limits);
  const ask = (right: 'locations' | 'eggs') =>
    client.call<null>({
      kind: 'read',
      api: 'application',
      right,
      method: 'GET',
      path: `/${right}?per_page=1`,
      probing: true,
      read: () => null,
    });
  const locations = await ask('locations');
  if (!hasNoRoute(locations)) return { answer: known(locations, 'pterodactyl'), failure: locations.verdict.failure };
  const eggs = await ask('eggs');
  return {
    answer: hasNoRoute(eggs) ? { outcome: 'unavailable' } : known(eggs, 'pelican'),
    failure: eggs.verdict.failure,
  };
}
