import { dirname, join } from 'node:path';
import type { Config } from '#server/env.ts';
import { createMetricsResponder, renderMetrics, type RequestMeter } from '#server/health/metrics.ts';
import { createLog, type RequestLog } from '#server/http/log.ts';
import { systemClock } from '#server/kernel.ts';
import { createLogFiles, type LogFiles } from '#server/logs/files.ts';
import { nodeSocket } from '#server/node/place.ts';
import { SAMPLE_MS } from '#server/modules/health/index.ts';
import { VERSION } from '#server/version.ts';
import { isLoopbackName } from '#shared/loopback.ts';
import { dropRoot } from './drop-root.ts';
import type { Served } from './served.ts';

/**
 * Seconds a keep-alive connection may idle: longer than the 60 s of the usual proxies, which would otherwise meet
 * closed ones.
 */
export const IDLE_S = 75;
/** How long requests may take to end after SIGTERM. */
export const DRAIN_MS = 10_000;

/** The address that is listened on. In: also whether that is to be this machine alone. */
export const hostOf = ({ host }: Pick<Config, 'host'>, local: boolean): string =>
  local && !isLoopbackName(host) ? '127.0.0.1' : host;

/** The log of a serving process. In: also whether its lines are kept in the data folder. Out: it, and its files. */
export function openLog(config: Config, keeps: boolean): { readonly log: RequestLog; readonly files: LogFiles } {
  const files = createLogFiles({ folder: join(config.dataDir, 'logs'), now: systemClock.now });
  return { log: createLog(config.logLevel, systemClock.now, undefined, keeps ? files : null), files };
}

/** Where a process serves. */
interface Place {
  readonly config: Config;
  readonly localUrl: string;
  readonly host: string;
  readonly port: number;
}

/**
 * What is printed when an installation is served. In: where, the installation (null: elsewhere), and notes for the
 * operator. Out: its lines.
 */
export async function readyLines(
  { config, localUrl, host, port }: Place,
  backend: Pick<Served, 'setupToken' | 'reach'> | null,
  notes: readonly (string | null)[],
): Promise<string> {
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const setup = backend ? await backend.setupToken() : null;
  const reach = backend?.reach().appUrl ?? config.appUrl ?? localUrl;
  const base = reach === localUrl ? address : reach;
  const link = setup ? `Become the owner with this one-time link:\n  ${base}/auth/register?setup=${setup}\n` : '';
  return `${link}${notes.map((note) => (note === null ? '' : `${note}\n`)).join('')}Spawnpoint is ready: ${base}\n`;
}

/** Answers for the metrics of this process; those of the installation are there where it is served from here. */
export function servedMetrics(
  config: Pick<Config, 'metricsToken'>,
  served: Pick<Served, 'host'> | null,
  meter: Pick<RequestMeter, 'read'>,
): (request: Request) => Response {
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
export function dropRights(config: Config, { local, hasNode }: { local: boolean; hasNode: boolean }): string | null {
  if (process.getuid?.() !== 0) return null;
  const advice = 'Let `spawnpoint node` run as root, and this as a user of its own.';
  if (!local || !hasNode) return `Serving runs as root and does not need to. ${advice}`;
  const socketFolder = dirname(nodeSocket(config.serversDir));
  const reason = dropRoot({ dataDir: config.dataDir, database: config.database, socketFolder });
  return `Serving goes on as root (${reason}). ${advice}`;
}
