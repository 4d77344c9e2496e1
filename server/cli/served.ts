import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createBackupWorker } from '#server/backups/worker.ts';
import { discardStaged } from '#server/backups/staging.ts';
import { openHost, type Host } from '#server/compose/host.ts';
import type { Config } from '#server/env.ts';
import type { RequestLog } from '#server/http/log.ts';
import { memoryTransport, type ApiTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { createPasswords } from '#server/identity-providers/passwords.ts';
import { createImageCodec } from '#server/images/hosted/image-codec.ts';
import type { ImageCodec } from '#server/modules/images/index.ts';
import { createImportWorker } from '#server/imports/worker.ts';
import { newImportWork } from '#server/modules/imports/index.ts';
import { createOwnCommands } from '#server/own-commands.ts';
import { newBackupState } from '#server/modules/backups/index.ts';
import { openAppKey } from '#server/start/app-key.ts';
import { databasePlace } from '#server/start/database-place.ts';
import type { Reach } from '#server/reach.ts';
import { lockFolder } from '#server/start/folder-lock.ts';
import { assertKey } from '#server/start/installation.ts';
import { assertPresence } from '#server/start/presence.ts';
import { ApiError } from '#shared/contract/client.ts';
import { queryPlayers, type MachineRuntime } from '#server/panel/index.ts';
import type { Passwords } from '#server/modules/identity/ports.ts';
import type { CommandContext } from './run.ts';

/** An installation that is served: closed and opened again while it is replaced by a backup. */
export interface Served {
  /** Calls its hosting API; they fail with SERVER_UNAVAILABLE while it is closed. */
  readonly transport: ApiTransport;
  /** How it is reached; while it is closed as before. */
  readonly reach: () => Reach;
  /** The one that is open; null while it is closed. */
  readonly host: () => Host | null;
  readonly start: () => Promise<void>;
  readonly setupToken: () => Promise<string | null>;
  readonly endStreams: () => void;
  readonly close: () => Promise<void>;
}
interface Options extends CommandContext {
  readonly log: RequestLog;
  /** Fill an empty catalogue with samples. */
  readonly sample: boolean;
  /** What runs servers on this machine; null: they are imitated. */
  readonly machine: MachineRuntime | null;
}
interface Opened {
  readonly host: Host;
  readonly unlock: () => void;
}
/** What is under way may end for so long before an installation closes. */
const PAUSE_MS = 500;

/** Opens the installation of this machine for serving. Throws StartError where it must not be served from. */
export async function openServed(config: Config, options: Options): Promise<Served> {
  const { log } = options;
  let started = false;
  let opened: Opened | null = null;
  const state = newBackupState();
  const command = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];
  // Its processes outlive the installation as well.
  const imageCodec = createImageCodec({ command });
  const commands = createOwnCommands({ command, env: process.env });
  const worker = createBackupWorker({ commands, whileClosed });
  const imports = { worker: createImportWorker(commands), work: newImportWork() };
  // Their threads outlive the installation.
  const passwords = createPasswords(undefined, options.spawnHashing);
  const open = () =>
    openInstallation(config, { ...options, passwords, imageCodec }, { backups: { worker, state }, imports });
  opened = await open();
  discardStaged({ dataDir: config.dataDir, database: databasePlace(config) });
  let reach = opened.host.services.reach();

  async function closeNow(): Promise<void> {
    const closing = opened;
    opened = null;
    closing?.host.endStreams();
    await Bun.sleep(started && closing ? PAUSE_MS : 0);
    await closing?.host.close();
    closing?.unlock();
  }
  /** Closes the installation, lets its files be replaced, and opens what is there then. */
  async function whileClosed<T>(work: () => Promise<T>): Promise<T> {
    log.info('serve.closed');
    await closeNow();
    try {
      return await work();
    } finally {
      opened = await open();
      if (started) await opened.host.start();
      log.info('serve.opened');
    }
  }
  return {
    transport: switchedTransport(() => opened?.host ?? null),
    reach: () => (reach = opened?.host.services.reach() ?? reach),
    host: () => opened?.host ?? null,
    async start() {
      started = true;
      await opened?.host.start();
    },
    setupToken: () => opened?.host.setupToken() ?? Promise.resolve(null),
    endStreams: () => opened?.host.endStreams(),
    async close() {
      commands.stop();
      imageCodec.stop();
      await closeNow();
    },
  };
}

/** A transport to whatever installation is open at the time of a call. */
function switchedTransport(current: () => Host | null): ApiTransport {
  const transports = new WeakMap<Host, ApiTransport>();
  function find(): ApiTransport | null {
    const host = current();
    return host && transports.getOrInsertComputed(host, () => memoryTransport(host.api, host.ready));
  }
  const get = (requestId: string) => {
    const found = find();
    if (!found) throw new ApiError('SERVER_UNAVAILABLE', 503, { requestId });
    return found;
  };
  return {
    ready: () => find()?.ready() ?? Promise.resolve(false),
    forward: async (request, info) => get(info.requestId).forward(request, info),
    fetcher: (visitor, collect) => async (path, init) => get(visitor.requestId).fetcher(visitor, collect)(path, init),
  };
}

async function openInstallation(
  config: Config,
  {
    log,
    sample,
    machine,
    words,
    spawnReader,
    spawnDrawing,
    spawnMailReading,
    spawnSandbox,
    spawnPackageReading,
    passwords,
    imageCodec,
  }: Options & { readonly passwords: Passwords; readonly imageCodec: ImageCodec },
  tools: Pick<Parameters<typeof openHost>[0], 'backups' | 'imports'>,
): Promise<Opened> {
  await assertPresence(config, true, words);
  const place = databasePlace(config);
  if ('path' in place) mkdirSync(dirname(place.path), { recursive: true, mode: 0o700 });
  const me = {
    pid: process.pid,
    address: config.appUrl ?? config.localUrl,
    since: new Date(systemClock.now()).toISOString(),
  };
  const unlock = 'path' in place ? lockFolder(place.path, me) : () => undefined;
  try {
    const key = openAppKey(config);
    const host = await openHost({
      config,
      log,
      logs: log,
      clock: systemClock,
      ids: systemIds,
      sample: false,
      key,
      spawnReader,
      spawnDrawing,
      imageCodec,
      spawnMailReading,
      spawnSandbox,
      spawnPackageReading,
      passwords,
      queryPlayers,
      ...tools,
      ...(machine ? { machine } : {}),
    });
    await assertKey(config, host.database, key, words);
    if (sample) await host.database.uow.run((tx) => host.services.catalog.seedSample(tx));
    return { host, unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}
