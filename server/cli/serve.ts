import { dirname, join } from 'node:path';
import { composeWeb } from '#server/compose/web.ts';
import type { Config } from '#server/env.ts';
import {
  createMetricsResponder,
  createRequestMeter,
  renderMetrics,
  type RequestMeter,
} from '#server/health/metrics.ts';
import { createLogFiles } from '#server/logs/files.ts';
import { createLog } from '#server/http/log.ts';
import { remoteTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { SAMPLE_MS } from '#server/modules/health/index.ts';
import { isLoopbackName } from '#shared/loopback.ts';
import { nodeSocket } from '#server/node/place.ts';
import { dropRoot } from './drop-root.ts';
import { VERSION } from '#server/version.ts';
import type { CommandContext } from './run.ts';
import { openMachine } from './machine.ts';
import { openServed, type Served } from './served.ts';

/**
 * Seconds a keep-alive connection may idle: longer than the 60 s of the usual proxies, which would otherwise meet
 * closed ones.
 */
const IDLE_S = 75;
/** How long requests may take to end after SIGTERM. */
const DRAIN_MS = 10_000;

/**
 * `spawnpoint serve`: opens the database, brings it up to date, serves until SIGTERM or SIGINT, then drains. `--local`
 * binds to loopback only, lets loopback pass the access check and offers sample catalogue data; `--only api` serves no
 * pages; `--safe` serves pages without the host's own stylesheet, script, plugins and ads.
 */
export async function serve(config: Config, argv: readonly string[], context: CommandContext): Promise<number> {
  const local = argv.includes('--local');
  const onlyAt = argv.indexOf('--only');
  const only = onlyAt >= 0 ? argv[onlyAt + 1] : null;
  if (only !== null && only !== 'api') {
    console.error('--only takes: api');
    return 2;
  }
  const files = createLogFiles({ folder: join(config.dataDir, 'logs'), now: systemClock.now });
  const log = createLog(config.logLevel, systemClock.now, undefined, config.hostingApiUrl ? null : files);
  const host = local && !isLoopbackName(config.host) ? '127.0.0.1' : config.host;
  const own = { ...config, localUrl: `http://${host}:${config.port}` };
  const machine = config.hostingApiUrl ? { runtime: null, note: null } : await openMachine(config, local);
  const rights = dropRights(config, { local, hasNode: machine.runtime !== null });
  const backend = config.hostingApiUrl
    ? null
    : await openServed(own, { log, sample: local, machine: machine.runtime, ...context });
  // Not before it is sure that this is the installation's folder.
  files.begin();
  const meter = createRequestMeter();
  const metrics = metricsOf(config, backend, meter);
  const handle = await composeWeb({
    config: own,
    ...(backend ? { reach: backend.reach } : {}),
    transport: backend?.transport ?? remoteTransport(config.hostingApiUrl ?? ''),
    clock: systemClock,
    ids: systemIds,
    log,
    local,
    pages: only !== 'api',
    apiOnly: only === 'api',
    safe: argv.includes('--safe'),
    meter,
    // Beside everything that everybody may ask for only for those who know the token.
    ...(config.metricsToken === null ? {} : { metrics }),
  });
  const server = Bun.serve({
    hostname: host,
    port: config.port,
    idleTimeout: IDLE_S,
    // Each address has its own ceiling and says so in its own words; what nobody reads is not taken from the socket
    // either.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, own) => handle(request, own),
    error: () => new Response('error\n', { status: 500 }),
  });
  const metricsServer =
    config.metricsPort === null ? null : Bun.serve({ hostname: host, port: config.metricsPort, fetch: metrics });
  await backend?.start();
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  const setup = backend ? await backend.setupToken() : null;
  const reach = backend?.reach().appUrl ?? config.appUrl ?? own.localUrl;
  const base = reach === own.localUrl ? address : reach;
  const link = setup ? `Become the owner with this one-time link:\n  ${base}/auth/register?setup=${setup}\n` : '';
  // Before anybody hears that it is ready: who stops it then has it end in order.
  const stopped = untilSignal();
  // One write, so that whoever waits for the first line has the link as well.
  process.stdout.write(
    `${link}${[machine.note, rights].map((note) => (note === null ? '' : `${note}\n`)).join('')}Spawnpoint is ready: ${base}\n`,
  );

  await stopped;
  log.info('serve.draining');
  const force = setTimeout(() => void server.stop(true), DRAIN_MS);
  backend?.endStreams();
  await server.stop();
  await metricsServer?.stop(true);
  clearTimeout(force);
  await backend?.close();
  log.flush();
  await files.close();
  return 0;
}

/** Answers for the metrics of this process; those of the installation are there where it is served from here. */
function metricsOf(config: Config, served: Served | null, meter: RequestMeter): (request: Request) => Response {
  const startedMs = systemClock.now();
  return createMetricsResponder(config.metricsToken, () => {
    const backend = served?.host() ?? null;
    const report = backend?.services.health.last() ?? null;
    // Of several processes one takes the samples: the others look for themselves, for the next time they are asked.
    if (backend && systemClock.now() - (report?.atMs ?? 0) > 2 * SAMPLE_MS)
      void backend.services.health.check({ all: false });
    return renderMetrics({
      version: VERSION,
      startedMs,
      report,
      requests: meter.read(),
      loop: backend?.services.loopDelay.read() ?? { p99: 0, max: 0 },
    });
  });
}

/**
 * Under `--local` the node runs servers with root's rights and this process needs none: it goes on as another user.
 * Out: null, or what to say where it has more rights than it needs.
 */
function dropRights(config: Config, { local, hasNode }: { local: boolean; hasNode: boolean }): string | null {
  if (process.getuid?.() !== 0) return null;
  const advice = 'Let `spawnpoint node` run as root, and this as a user of its own.';
  if (!local || !hasNode) return `Serving runs as root and does not need to. ${advice}`;
  const socketFolder = dirname(nodeSocket(config.serversDir));
  const reason = dropRoot({ dataDir: config.dataDir, database: config.database, socketFolder });
  return `Serving goes on as root (${reason}). ${advice}`;
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
