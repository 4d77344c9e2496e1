import { createRequestMeter } from '#server/health/metrics.ts';
import { createOwnSocketApp } from '#server/http/own-socket.ts';
import { systemIds } from '#server/kernel.ts';
import type { Config } from '#server/env.ts';
import { chooseLocale } from '#server/ssr/texts.ts';
import { linkToParent } from '#server/workers/parent-link.ts';
import { listenOnSocket } from '#server/workers/socket-listener.ts';
import { answerExchange } from '#server/workers/web-link.ts';
import { openMachine } from './machine.ts';
import type { CommandContext } from './run.ts';
import { openServed } from './served.ts';
import { DRAIN_MS, openLog, readyLines, servedMetrics } from './serve-parts.ts';

/**
 * The hosting API of `serve --workers`, which begins it: the one process that opens the database. It answers web
 * processes through the socket that is its last word. Out: the exit code.
 */
export async function serveApi(config: Config, argv: readonly string[], context: CommandContext): Promise<number> {
  const parent = linkToParent();
  const socket = argv.at(-1);
  if (parent === null || socket === undefined) {
    console.error('serve-api is begun by serve --workers alone.');
    return 2;
  }
  // Commands that this process begins have another parent: this one.
  for (const name of ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']) delete process.env[name];
  const local = argv.includes('--local');
  const { log, files } = openLog(config, true);
  const { runtime } = await openMachine(config, local);
  const backend = await openServed(config, { log, sample: local, machine: runtime, ...context });
  files.begin();
  const meter = createRequestMeter();
  const metrics = servedMetrics(config, backend, meter);
  const metricsServer =
    config.metricsPort === null ? null : Bun.serve({ hostname: config.host, port: config.metricsPort, fetch: metrics });
  await backend.start();
  const listener = listenOnSocket(
    socket,
    createOwnSocketApp({
      transport: backend.transport,
      chooseLocale,
      local,
      exchange: answerExchange(meter, backend.reach),
      metrics,
      newId: systemIds.uuid,
      log,
    }),
  );
  const { host, port, localUrl } = config;
  parent.ready(await readyLines({ config, localUrl, host, port }, backend, []));

  await parent.stopped;
  log.info('serve.draining');
  backend.endStreams();
  await listener.stop(DRAIN_MS);
  await metricsServer?.stop(true);
  await backend.close();
  log.flush();
  await files.close();
  parent.close();
  return 0;
}
