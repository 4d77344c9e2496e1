import { join } from 'node:path';
import { endpointUrl } from '#shared/contract/client.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { inFolder } from './folder.ts';
import { load } from './load.ts';
import { joinPanel, startPanel } from './panel-world.ts';
import { freePort, startServer } from './processes.ts';
import { ratioFigure, type Figure } from './report.ts';
import { alternatePair } from './rounds.ts';
import { addPlayers, BROWSER, openWorld } from './installation.ts';

const TURNS = 5;
const REQUESTS = 1500;
const CONNECTIONS = 32;
const SERVERS = 4;
/** So many players that none comes near the limit of 600 calls a minute. */
const PLAYERS = Math.ceil((2 * REQUESTS * (TURNS + 1)) / 500);
const ROOT = join(import.meta.dir, '../..');
const PATH = endpointUrl(CONTRACT.dashboard.get);

/**
 * Figure i.dashboard: answers of the dashboard a second while the panel of all its servers hangs, beside the same while
 * the panel is quick.
 */
export function dashboardFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const fake = await startPanel(10);
    const world = await openWorld(folder);
    const cookies = await addPlayers(world.host, PLAYERS, SERVERS);
    const panel = await joinPanel(world.host, fake.ready);
    // Wishes that the panel has not heard of yet: there is always something that is asked of it.
    await world.host.database.write(({ raw }) =>
      raw.run('UPDATE servers SET panel = ?, panel_node = ?, revision = 2, updated_ms = 0', [
        panel,
        String(fake.ready.node),
      ]),
    );
    await world.close();
    const port = await freePort();
    const server = await startServer(
      [process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local'],
      { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'error' },
      port,
      '/healthz',
    );
    const check = (text: string) => {
      if (!text.startsWith('HTTP/1.1 200') || !text.includes('"success":true'))
        throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
    };
    const rate = () =>
      load({
        port,
        path: PATH,
        cookies,
        headers: { 'User-Agent': BROWSER, Accept: 'application/json' },
        requests: REQUESTS,
        connections: CONNECTIONS,
        check,
      });
    const during = (state: 'hang' | 'answer') => async () => {
      await fake.order(state);
      return rate();
    };
    try {
      const rates = await alternatePair(TURNS, during('hang'), during('answer'));
      return [ratioFigure('i.dashboard', rates.a, rates.b, 'requests/s', 0.8)];
    } finally {
      await fake.order('answer');
      await Promise.all([server.stop(), fake.stop()]);
    }
  });
}
