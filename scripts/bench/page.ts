import { composeWeb } from '#server/compose/web.ts';
import type { ServerHandle } from '#server/http/app.ts';
import { compressResponse } from '#server/http/compress.ts';
import { memoryTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { href } from '#shared/routes/href.ts';
import { inFolder } from './folder.ts';
import type { Render } from './page-spy.ts';
import { boundFigure, ratioFigure, type Figure } from './report.ts';
import { alternatePair, processorSecondsOf, secondsOf } from './rounds.ts';
import { addPlayers, BROWSER, openWorld, type World } from './installation.ts';

const TURNS = 7;
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
const SERVERS = 20;

/** The socket of a visitor on this machine. */
const loopback: ServerHandle = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => undefined };

/** Pages a second of processor time. */
const rateOf = (call: (number: number) => Promise<unknown>) => async (): Promise<number> =>
  PAGES / (await processorSecondsOf(() => secondsOf(PAGES, CONCURRENCY, call)));

/** The dashboards of players of an installation, through the whole application. In: the number of the page. */
export async function openDashboard({ config, log, host }: World): Promise<(number: number) => Promise<Uint8Array>> {
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
  return async (number) => {
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
}

/** Bytes of a page as they go to a browser that takes zstd. */
async function compressedSize(page: Uint8Array): Promise<number> {
  const headers = { 'Content-Type': 'text/html' };
  const asked = new Request('http://127.0.0.1/', { headers: { 'Accept-Encoding': 'zstd' } });
  const answer = await compressResponse(asked, new Response(new Blob([page.slice()]).stream(), { headers }));
  if (answer.headers.get('Content-Encoding') !== 'zstd') throw new Error('the page was not compressed');
  return (await answer.bytes()).length;
}

/** Dashboards a second of two installations, in turns; in one of them something may have been set up before. */
export async function compareDashboards(turns: number, one: World, other: World): ReturnType<typeof alternatePair> {
  return alternatePair(turns, rateOf(await openDashboard(one)), rateOf(await openDashboard(other)));
}

/**
 * Figure a: dashboards a second through the whole application, beside React alone on the same tree: the very element
 * and options that the application gave to `renderToReadableStream` for one player, rendered again and again.
 */
export function pageFigures(captured: () => Parameters<Render>, render: Render): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const page = await openDashboard(world);
    const whole = await page(0);
    const [tree, options] = captured();
    const { signal: _, ...rest } = options ?? {};
    const alone = async (): Promise<Uint8Array> => new Response(await render(tree, rest)).bytes();
    const again = await alone();
    if (again.length !== whole.length || !new TextDecoder().decode(again).includes('player0000'))
      throw new Error('the two sides render different pages');
    const rates = await alternatePair(TURNS, rateOf(page), rateOf(alone));
    await world.close();
    return [
      ratioFigure('a.page.dashboard', rates.a, rates.b, 'requests/s', 0.75),
      boundFigure('a.page.size', whole.length / 1000, 'KB', 90),
      boundFigure('a.page.wire', (await compressedSize(whole)) / 1000, 'KB', 20),
    ];
  });
}
