import type { PanelDialect } from '#shared/panel-codes.ts';
import type { PanelsDeps } from './deps.ts';
import { createPanel } from './commands.ts';

/** The first panel of an installation that is set up by its environment; nothing where one of this address is there. */
export async function createFirstPanel(
  deps: PanelsDeps,
  first: {
    dialect: PanelDialect;
    url: string;
    key: string;
    clientKey: string | null;
  },
): Promise<void> {
  const known = await deps.uow.read((tx) => tx.panels.list());
  if (known.some(({ url }) => url === first.url)) return;
  const name = new URL(first.url).hostname.slice(0, 60);
  await createPanel(deps, null, {
    name: known.some((row) => row.name === name) ? first.url.slice(0, 60) : name,
    url: first.url,
    dialect: first.dialect,
    enabled: true,
    key: first.key,
    client_key: first.clientKey ?? '',
  });
  await deps.registry.load();
}
