import { DEVICE_COOKIE, readDevice } from '../api/session-cookies.ts';
import { createBus, type ProcessBus } from '../data/bus.ts';
import { releaseLeases } from '../data/leases.ts';
import { openDatabase, type Database } from '../data/open.ts';
import type { SpawnReader } from '../data/reader/thread.ts';
import type { Config } from '../env.ts';
import { createApiApp, type ApiApp } from '../http/implement.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createRunner, type Runner } from '../jobs/runner.ts';
import { createScheduler, type Scheduler } from '../jobs/scheduler.ts';
import { createPictureCodec, type SpawnDrawing } from '../images/picture-thread.ts';
import { createKeyed } from '../keyed.ts';
import { ATTENTION_TOPIC } from '../modules/attention/index.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import type { Bus, Clock, Ids, Log } from '../modules/kernel.ts';
import { machineTimer } from '../panel/index.ts';
import { createSharedCounter } from '../redis/counter.ts';
import { createSealer } from '../sealing.ts';
import { openAppKey } from '../start/app-key.ts';
import { databasePlace } from '../start/database-place.ts';
import { VERSION } from '../version.ts';
import { isStaff } from '#shared/can.ts';
import { limitMax } from '#shared/limits.ts';
import { isApiToken } from '#shared/token-scopes.ts';
import type { ServiceDeps } from './foundation.ts';
import { composeHandlers } from './handlers.ts';
import { errorWords } from './error-words.ts';
import { mailJob } from './mail.ts';
import { composeServices, type Services } from './services.ts';

export interface HostDeps {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Fill an empty catalogue with samples (`serve --local`). */
  readonly sample: boolean;
  /** Runs after commit; given in tests to look on. */
  readonly bus?: ProcessBus;
  /** Starts a thread for long questions; absent: they are answered as all others (Database.long). */
  readonly spawnReader?: SpawnReader | undefined;
  /** Starts a thread that draws pictures; absent: they are drawn on this one. */
  readonly spawnDrawing?: SpawnDrawing | undefined;
  /** Draws images of users; on this thread when absent. */
  readonly imageCodec?: ServiceDeps['imageCodec'];
  /** Starts a thread that reads a mail; absent: mails are read on this one. */
  readonly spawnMailReading?: ServiceDeps['spawnMailReading'];
  /** Starts a thread that runs a plugin of others; absent: none run in this process. */
  readonly queryPlayers?: ServiceDeps['queryPlayers'];
  readonly spawnSandbox?: ServiceDeps['spawnSandbox'];
  /** Starts a thread that reads a package of a plugin; absent: they are read on this one. */
  readonly spawnPackageReading?: ServiceDeps['spawnPackageReading'];
  /** An open database; opened from the configuration when absent. */
  readonly database?: Database;
  /** The installation's key for secrets at rest; that of the configuration when absent. */
  readonly key?: Uint8Array;
  /** What a serving process has for backups; absent: none are made here. */
  readonly backups?: ServiceDeps['backups'];
  /** What a serving process has for imports; absent: none are made here. */
  readonly imports?: ServiceDeps['imports'];
  /** Hashing of passwords; argon2id when absent. */
  readonly passwords?: Passwords;
  /** What runs servers on this machine; absent: they are imitated. */
  readonly machine?: ServiceDeps['machine'];
  /** How panels over HTTP are reached; the network when absent. */
  readonly panelsOutside?: ServiceDeps['panelsOutside'];
  /** The lines of the log and its level, for staff; none when absent. */
  readonly logs?: ServiceDeps['logs'];
  /** Numbers from 0 to 1, for the jitter of pauses; those of the system when absent. */
  readonly random?: () => number;
  /** Id of the build that the session's pages belong to. */
  readonly build?: string;
}

/** The hosting API with everything behind it. */
export interface Host {
  readonly api: ApiApp;
  readonly services: Services;
  readonly database: Database;
  readonly runner: Runner;
  readonly scheduler: Scheduler;
  readonly bus: Bus;
  ready(): Promise<boolean>;
  /** Starts the worker and the scheduler of a serving process. */
  start(): Promise<void>;
  /** Ends every open event stream, so that a stopping server need not wait for them. */
  endStreams(): void;
  /** A fresh one-time link token for the first owner; null where there is one. */
  setupToken(): Promise<string | null>;
  close(): Promise<void>;
}

/** How soon a serving process notices settings that another process changed. */
const SETTINGS_MS = 1_000;

/**
 * Opens the database, brings it up to date, and puts adapters, modules and handlers together. The only place that knows
 * all of them.
 */
export async function openHost(deps: HostDeps): Promise<Host> {
  const { config, log, clock, ids, random = Math.random } = deps;
  const bus = deps.bus ?? createBus(log);
  const database = deps.database ?? openDatabase({ ...databasePlace(config), bus, log, spawnReader: deps.spawnReader });
  const applied = await database.migrate(clock.now());
  if (applied.length > 0) log.info('database.migrated', { applied });
  const { uow } = database;
  const key = deps.key ?? openAppKey(config);
  const services = await composeServices({
    config,
    database,
    bus,
    clock,
    ids,
    log,
    sealer: createSealer(key),
    keyed: createKeyed(key),
    logs: deps.logs,
    appKey: key,
    backups: deps.backups,
    imports: deps.imports,
    ...(deps.machine ? { machine: deps.machine } : {}),
    random,
    pictureCodec: createPictureCodec(deps.spawnDrawing),
    imageCodec: deps.imageCodec,
    spawnMailReading: deps.spawnMailReading,
    queryPlayers: deps.queryPlayers,
    spawnSandbox: deps.spawnSandbox,
    spawnPackageReading: deps.spawnPackageReading,
    ...(deps.passwords ? { passwords: deps.passwords } : {}),
    ...(deps.panelsOutside ? { panelsOutside: deps.panelsOutside } : {}),
  });
  if (deps.sample) await uow.run((tx) => services.catalog.seedSample(tx));
  const streams = new AbortController();
  const handlers = { ...services.jobs, ...mailJob({ ...services, uow, clock, log }) };
  const runner = createRunner({ uow, clock, ids, log, bus, random, handlers });
  const scheduler = createScheduler({ uow, clock, ids, log, tasks: services.tasks, alive: services.uptime.beat });
  return {
    api: composeApi(services, deps, streams.signal),
    services,
    database,
    runner,
    scheduler,
    bus,
    ready: () =>
      database.ping().then(
        () => true,
        () => false,
      ),
    ...lifeOf({ services, database, runner, scheduler, log }),
    endStreams: () => streams.abort(),
    setupToken: () => services.identity.createSetupToken(),
  };
}

/** The hosting API over its services. `streams` ends every open event stream. */
function composeApi(services: Services, { config, build = VERSION }: HostDeps, streams: AbortSignal): ApiApp {
  const { identity, apiTokens, settings, abuse, zeroTrust, bus, clock, ids, log, keyed, redis } = services;
  return createApiApp({
    resolve: async (secret, address) =>
      isApiToken(secret) ? apiTokens.resolve(secret, address) : ((await identity.resolve(secret))?.actor ?? null),
    flags: settings.flags,
    takeLimit: createRateLimiter(
      clock.now,
      (name) => limitMax(name, settings.current()),
      redis && createSharedCounter({ redis, keyed, clock, log, timer: machineTimer }),
    ).take,
    hash: ids.hash,
    log,
    words: errorWords,
    streams,
    // Many scripts run at one address of a data centre: that tells nothing of whose they are. Nor do the address and
    // browser of staff tell anything of whom they view as.
    observe: (ctx, actor) =>
      actor.token || actor.viewer
        ? undefined
        : abuse.observe({
            userId: actor.userId,
            sessionId: actor.sessionId,
            address: ctx.address,
            device: ctx.cookies.get(DEVICE_COOKIE),
          }),
    // Whatever staff did may have been what was waited for.
    onCommand: ({ permissions }) => {
      if (isStaff(permissions)) bus.publish([ATTENTION_TOPIC]);
    },
    trust: {
      isOn: () => settings.flags().zero_trust_enabled,
      assert: (ctx, { endpoint: { name, method, access, asStaff }, cookies }) =>
        zeroTrust.assertTrusted(ctx, { name, method, access, asStaff, device: readDevice(cookies) }),
    },
    handlers: composeHandlers(services, config, build),
  });
}

/** How a serving process begins and ends. */
function lifeOf({
  services,
  database,
  runner,
  scheduler,
  log,
}: Pick<Host, 'services' | 'database' | 'runner' | 'scheduler'> & { readonly log: Log }): Pick<
  Host,
  'start' | 'close'
> {
  let settingsTimer: ReturnType<typeof setInterval> | null = null;
  /** The command line and other processes change settings, panels and plugins as well. */
  const reload = () => {
    const warn = (event: string) => (error: unknown) => log.error(event, { error: String(error) });
    void services.settings.load().catch(warn('settings.load_failed'));
    void services.panelModule.registry.load().catch(warn('panels.load_failed'));
    void services.plugins.load().catch(warn('plugins.load_failed'));
  };
  return {
    start: async () => {
      await database.channel?.start();
      await releaseLeases(database);
      await services.uptime.beat();
      services.loopDelay.start();
      runner.start();
      scheduler.start();
      void services.pluginRunning.sync();
      void services.panelModule.addConfiguredPanel();
      settingsTimer = setInterval(reload, SETTINGS_MS);
      settingsTimer.unref();
    },
    close: async () => {
      if (settingsTimer) clearInterval(settingsTimer);
      services.loopDelay.stop();
      services.stopLong();
      await scheduler.stop();
      await services.pluginRunning.stop();
      await runner.stop();
      services.redis?.close();
      await database.close();
    },
  };
}
