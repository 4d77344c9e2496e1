import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import { createRequestMeter } from '#server/health/metrics.ts';
import { socketTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import type { Reach } from '#server/reach.ts';
import { linkToParent } from '#server/workers/parent-link.ts';
import { openWebLink, type WebLink } from '#server/workers/web-link.ts';
import { DRAIN_MS, IDLE_S, openLog } from './serve-parts.ts';

/** How soon a change of the installation's address and proxies is known here. */
const EXCHANGE_MS = 1_000;
/** While it drains so long, answers ask browsers for a new connection, which another process takes. */
const NOTICE_MS = 1_000;
const AWAY_MS = 15_000;
const LOOK_MS = 50;

/**
 * A process of `serve --workers` that makes pages and sends files, and passes calls on to the hosting API. It knows no
 * database and no key. In: the words behind its command: `--local`, `--safe`, `--metrics` (they are asked for at the
 * address that everybody may ask), at last the socket's path. Out: the exit code.
 */
export async function serveWeb(argv: readonly string[]): Promise<number> {
  const parent = linkToParent();
  const socket = argv.at(-1);
  if (parent === null || socket === undefined) {
    console.error('serve-web is begun by serve --workers alone.');
    return 2;
  }
  const config = readConfig(process.env);
  const local = argv.includes('--local');
  const { log, files } = openLog(config, true);
  files.begin();
  const meter = createRequestMeter();
  const link = openWebLink(socket, meter);
  const streams = new AbortController();
  let reach = await firstExchange(link);
  const handle = await composeWeb({
    config,
    reach: () => reach,
    transport: socketTransport(socket, streams.signal),
    clock: systemClock,
    ids: systemIds,
    log,
    local,
    pages: true,
    safe: argv.includes('--safe'),
    meter,
    ...(argv.includes('--metrics') ? { metrics: link.metrics } : {}),
  });
  let draining = false;
  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    reusePort: true,
    idleTimeout: IDLE_S,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: async (request, own) => {
      const response = await handle(request, own);
      if (draining) response.headers.set('Connection', 'close');
      return response;
    },
    error: () => new Response('error\n', { status: 500 }),
  });
  // While the hosting API is away what was known stays.
  const sync = () =>
    link.exchange().then(
      (found) => void (reach = found),
      () => undefined,
    );
  const timer = setInterval(() => void sync(), EXCHANGE_MS);
  parent.ready('');

  await parent.stopped;
  log.info('serve.draining');
  draining = true;
  await Bun.sleep(NOTICE_MS);
  streams.abort();
  const force = setTimeout(() => void server.stop(true), DRAIN_MS);
  await server.stop();
  clearTimeout(force);
  clearInterval(timer);
  await sync();
  log.flush();
  await files.close();
  parent.close();
  return 0;
}

/** What the hosting API says at first: it may be coming up again. Rejects where it stays away. */
async function firstExchange(link: WebLink): Promise<Reach> {
  const end = performance.now() + AWAY_MS;
  for (;;) {
    try {
      return await link.exchange();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await Bun.sleep(LOOK_MS);
  }
}
