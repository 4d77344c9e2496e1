import { composeWeb } from '#server/compose/web.ts';
import type { ServerHandle } from '#server/http/app.ts';
import { memoryTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { href } from '#shared/routes/href.ts';
import { inFolder } from './folder.ts';
import type { Render } from './page-spy.ts';
import { ratioFigure, type Figure } from './report.ts';
import { alternatePair, processorSecondsOf, secondsOf } from './rounds.ts';
import { addPlayers, BROWSER, openWorld } from './installation.ts';

const TURNS = 9;
/**
 * Pages a turn, and how many are under way at once: React yields between chunks, and one alone would leave the core
 * idle.
 */
const PAGES = 300;
const CONCURRENCY = 16;
/**
 * So many players that none reaches the rate limit: a page asks the API at most five times, a player may ask 600 times
 * a minute.
 */
const PLAYERS = Math.ceil((PAGES * (TURNS + 1) * 5) / 600) + 1;
const SERVERS = 4;

/** The socket of a visitor on this machine. */
const loopback: ServerHandle = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => undefined };

/**
 * Figure a: dashboards a second through the whole application, beside React alone on the same tree: the very element
 * and options that the application gave to `renderToReadableStream` for one player, rendered again and again.
 */
export function pageFigures(captured: () => Parameters<Render>, render: Render): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const { config, log, host } = world;
    const cookies = await addPlayers(host, PLAYERS, SERVERS);
    const handle = await composeWeb({
      config,
      transport: memoryTransport(host.api, host.ready),
      clock: systemClock,
      ids: systemIds,
      log,
      local: true,
      pages: true,
    });
    const page = async (number: number): Promise<Uint8Array> => {
      const headers = {
        cookie: cookies[number % cookies.length] ?? '',
        'user-agent': BROWSER,
        'accept-language': 'en',
        accept: 'text/html',
      };
      const response = await handle(new Request(`${config.appUrl}${href('dashboard')}`, { headers }), loopback);
      if (response.status !== 200) throw new Error(`the dashboard answered ${response.status}`);
      return response.bytes();
    };
    const whole = await page(0);
    const [tree, options] = captured();
    const { signal: _, ...rest } = options ?? {};
    const alone = async (): Promise<Uint8Array> => new Response(await render(tree, rest)).bytes();
    const again = await alone();
    if (again.length !== whole.length || !new TextDecoder().decode(again).includes('player0000'))
      throw new Error('the two sides render different pages');
    const rate = (call: (number: number) => Promise<unknown>) => async () =>
      PAGES / (await processorSecondsOf(() => secondsOf(PAGES, CONCURRENCY, call)));
    const rates = await alternatePair(TURNS, rate(page), rate(alone));
    await world.close();
    return [ratioFigure('a.page.dashboard', rates.a, rates.b, 'requests/s', 0.75)];
  });
}
