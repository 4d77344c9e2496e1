import { composeWeb } from '#server/compose/web.ts';
import type { Config } from '#server/env.ts';
import { createRequestMeter } from '#server/health/metrics.ts';
import { remoteTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import type { CommandContext } from './run.ts';
import { openMachine } from './machine.ts';
import { openServed } from './served.ts';
import { DRAIN_MS, dropRights, hostOf, IDLE_S, openLog, readyLines, servedMetrics } from './serve-parts.ts';
import { readServeWords } from './serve-words.ts';
import { superviseWorkers } from './serve-workers.ts';

/**
 * `spawnpoint serve`: opens the database, brings it up to date, serves until SIGTERM or SIGINT, then drains. `--local`
 * binds to loopback only, lets loopback pass the access check and offers sample catalogue data; `--only api` serves no
 * pages; `--safe` serves pages without the host's own stylesheet, script, plugins and ads; `--workers N` makes pages in
 * N processes beside one for the hosting API (decision 120).
 */
export async function serve(config: Config, argv: readonly string[], context: CommandContext): Promise<number> {
  const words = readServeWords(argv, { platform: process.platform, hostingApiUrl: config.hostingApiUrl });
  if ('fault' in words) {
    console.error(words.fault);
    return 2;
  }
  const { local, apiOnly, safe, workers } = words;
  if (workers !== null) return superviseWorkers(config, { local, safe, workers }, context);
  const { log, files } = openLog(config, config.hostingApiUrl === null);
  const host = hostOf(config, local);
  const own = { ...config, localUrl: `http://${host}:${config.port}` };
  const machine = config.hostingApiUrl ? { runtime: null, note: null } : await openMachine(config, local);
  const rights = dropRights(config, { local, hasNode: machine.runtime !== null });
  const backend = config.hostingApiUrl
    ? null
    : await openServed(own, { log, sample: local, machine: machine.runtime, ...context });
  // Not before it is sure that this is the installation's folder.
  files.begin();
  const meter = createRequestMeter();
  const metrics = servedMetrics(config, backend, meter);
  const handle = await composeWeb({
    config: own,
    ...(backend ? { reach: backend.reach } : {}),
    transport: backend?.transport ?? remoteTransport(config.hostingApiUrl ?? ''),
    clock: systemClock,
    ids: systemIds,
    log,
    local,
    pages: !apiOnly,
    apiOnly,
    safe,
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
  const lines = await readyLines({ config, localUrl: own.localUrl, host, port: server.port ?? config.port }, backend, [
    machine.note,
    rights,
  ]);
  // Before anybody hears that it is ready: who stops it then has it end in order.
  const stopped = untilSignal();
  // One write, so that whoever waits for the first line has the link as well.
  process.stdout.write(lines);

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

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
