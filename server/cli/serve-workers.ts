import { resolve } from 'node:path';
import type { Config } from '#server/env.ts';
import { systemClock } from '#server/kernel.ts';
import { StartError } from '#server/start/start-error.ts';
import { EndedEarly, keepProcess, type KeptProcess, type StartedProcess } from '#server/workers/kept-process.ts';
import { STOP, type ReadyMessage } from '#server/workers/parent-link.ts';
import { openMachine } from './machine.ts';
import type { CommandContext } from './run.ts';
import { dropRights, hostOf, openLog } from './serve-parts.ts';

interface Options {
  readonly local: boolean;
  readonly safe: boolean;
  /** How many processes make pages. */
  readonly workers: number;
}

/**
 * What a web process finds in its environment: how it is reached and what it writes, and nothing that opens a database,
 * a panel or a mail server.
 */
const WEB_VARIABLES: readonly string[] =
  'DATA_DIR APP_URL IMAGE_URL TRUSTED_PROXIES LOG_LEVEL COMPRESSION HSTS_SUBDOMAINS PATH HOME LANG TZ TMPDIR'.split(
    ' ',
  );
/**
 * What Bun reads of a web process: requests that may be open at the hosting API at the same time (each open event
 * stream is one, and without this no more than 256 are begun), and threads that look for memory to free: the other
 * cores have processes of their own.
 */
const BUN_OPTIONS = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65336', BUN_JSC_numberOfGCMarkers: '1' };
/** Linux takes no longer path of a socket. */
const LONGEST_PATH = 107;

/**
 * `serve --workers N`: one process for the hosting API, N for pages and files that share the port, and this one, which
 * only keeps them running (decision 120). SIGHUP replaces them by what lies at the program's path now; SIGTERM and
 * SIGINT end them, those for pages first. Out: the exit code.
 */
export async function superviseWorkers(config: Config, options: Options, context: CommandContext): Promise<number> {
  const { local, workers } = options;
  const { log, files } = openLog(config, true);
  const machine = await openMachine(config, local);
  const rights = dropRights(config, { local, hasNode: machine.runtime !== null });
  const socket = socketPath(config);
  const host = hostOf(config, local);
  const begin = starter(config, { ...options, context, socket, host, port: await freePort(host, config.port) });
  const stopped = untilEnded();
  const processes: KeptProcess[] = [];
  const keep = async (name: string, start: (first: boolean) => StartedProcess, overlaps: boolean) => {
    const kept = keepProcess({ name, start, overlaps, log, now: systemClock.now, after });
    processes.push(kept);
    return kept.ready;
  };
  let code = 0;
  try {
    const lines = await keep('api', begin.api, false);
    files.begin();
    await Promise.all(Array.from({ length: workers }, (_, at) => keep(`web ${at + 1}`, begin.web, true)));
    const replacing = onReplace(() => replaceAll(processes));
    process.stdout.write([machine.note, rights].map((note) => (note === null ? '' : `${note}\n`)).join('') + lines);
    await stopped;
    await replacing();
  } catch (error) {
    if (!(error instanceof EndedEarly)) throw error;
    ({ code } = error);
  }
  const [api, ...web] = processes;
  await Promise.all(web.map((each) => each.stop()));
  await api?.stop();
  log.flush();
  await files.close();
  return code;
}

/** Where web processes ask the hosting API: beside the database, under a name that no other start has. */
function socketPath({ dataDir }: Config): string {
  const path = resolve(dataDir, `api-${crypto.randomUUID().slice(0, 8)}.sock`);
  if (Buffer.byteLength(path) <= LONGEST_PATH) return path;
  throw new StartError(`The path of DATA_DIR is too long for the socket of --workers (${path}). Choose a shorter one.`);
}

/**
 * A port that nobody listens on. In: address and port, or 0 for any. Throws what listening there throws: processes that
 * share a port would share it with another program as well.
 */
async function freePort(hostname: string, asked: number): Promise<number> {
  const probe = Bun.serve({ hostname, port: asked, fetch: () => new Response(null, { status: 503 }) });
  const { port = asked } = probe;
  await probe.stop(true);
  return port;
}

interface Starting extends Options {
  readonly context: CommandContext;
  readonly socket: string;
  readonly host: string;
  readonly port: number;
}

/** How the processes are begun: that of the hosting API, and one for pages. */
function starter(
  config: Config,
  { local, safe, context, socket, host, port }: Starting,
): { readonly api: (first: boolean) => StartedProcess; readonly web: () => StartedProcess } {
  const place = { HOST: host, PORT: String(port) };
  const given = local ? ['--local'] : [];
  const { isNew, newKey } = context.words;
  const words = [...(isNew ? ['--new'] : []), ...(newKey ? ['--new-key'] : [])];
  const shared = Object.fromEntries(WEB_VARIABLES.map((name) => [name, process.env[name]]));
  return {
    // A database that is lost while it serves is not made anew.
    api: (first) =>
      startProcess(['serve-api', ...given, ...(first ? words : []), socket], { ...process.env, ...place }),
    web: () =>
      startProcess(
        [
          'serve-web',
          ...given,
          ...(safe ? ['--safe'] : []),
          ...(config.metricsToken === null ? [] : ['--metrics']),
          socket,
        ],
        { ...shared, ...place, ...BUN_OPTIONS },
      ),
  };
}

/** Begins the program that lies at our own path now. In: its words and environment. */
function startProcess(words: readonly string[], env: Readonly<Record<string, string | undefined>>): StartedProcess {
  const program = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];
  const ready = Promise.withResolvers<string>();
  const child = Bun.spawn([...program, ...words], {
    env: { ...env },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (message: ReadyMessage) => ready.resolve(message.ready),
  });
  return {
    ready: ready.promise,
    exited: child.exited.then(() => child.exitCode),
    // One that has just ended by itself hears nothing any more.
    stop: () => (child.exitCode === null && child.signalCode === null ? child.send(STOP) : undefined),
    kill: () => child.kill('SIGKILL'),
  };
}

/** Replaces the hosting API, which web processes wait for, and then them. */
async function replaceAll([api, ...web]: readonly KeptProcess[]): Promise<void> {
  await api?.replace();
  await Promise.all(web.map((each) => each.replace()));
}

/** Calls back after some ms. Out: what keeps it from doing so. */
function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Runs a replacement for each SIGHUP, one after the other. Out: what waits until none is under way. */
function onReplace(replace: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  if (!process.stdout.isTTY) process.on('SIGHUP', () => void (last = last.then(replace)));
  return () => last;
}

/** Settles when all of them are to end. A terminal that is closed says so with SIGHUP. */
function untilEnded(): Promise<void> {
  const signals = ['SIGTERM', 'SIGINT', ...(process.stdout.isTTY ? (['SIGHUP'] as const) : [])] as const;
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
  });
}
