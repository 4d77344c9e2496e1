import { arch, release, type } from 'node:os';
import { openAppKey } from '../start/app-key.ts';
import { accountHandlers } from '../api/account.ts';
import { heldRewardsAdminHandlers } from '../api/admin/held-rewards.ts';
import { economyHandlers } from '../api/admin/economy.ts';
import { adminHandlers } from '../api/admin/index.ts';
import { panelAccountHandlers, panelsHandlers } from '../api/admin/panels.ts';
import { serverQueueHandlers } from '../api/admin/server-queue.ts';
import { staffServersHandlers } from '../api/admin/servers.ts';
import { usersHandlers } from '../api/admin/users.ts';
import { adCheckHandlers, challengeHandlers, heldRewardsHandlers } from '../api/abuse.ts';
import { afkHandlers } from '../api/afk.ts';
import { twoFactorHandlers } from '../api/two-factor.ts';
import { authHandlers } from '../api/auth.ts';
import { dashboardHandlers } from '../api/dashboard.ts';
import { giftsHandlers, leaderboardHandlers, profilesHandlers } from '../api/community.ts';
import { liveHandlers } from '../api/live.ts';
import { notificationsHandlers } from '../api/notifications.ts';
import { DEVICE_COOKIE } from '../api/session-cookies.ts';
import { linksHandlers } from '../api/links.ts';
import { referralsHandlers } from '../api/referrals.ts';
import { paymentHandlers } from '../api/payments.ts';
import { redeemHandlers } from '../api/redeem.ts';
import { j4rHandlers } from '../api/j4r.ts';
import { linkedHandlers } from '../api/linked.ts';
import { serversHandlers } from '../api/servers.ts';
import { sessionHandlers } from '../api/session.ts';
import { storeHandlers } from '../api/store.ts';
import { debugInfo } from '../api/debug-info.ts';
import { systemHandlers } from '../api/system.ts';
import { createBus } from '../data/bus.ts';
import { releaseLeases } from '../data/leases.ts';
import { openDatabase, type Database } from '../data/open.ts';
import type { SpawnReader } from '../data/reader/thread.ts';
import type { Config } from '../env.ts';
import { createApiApp, type ApiApp } from '../http/implement.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createRunner, type Runner } from '../jobs/runner.ts';
import { createScheduler, type Scheduler } from '../jobs/scheduler.ts';
import { composeServices, type ServiceDeps, type Services } from './services.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import type { Bus, Clock, Ids, Log } from '../modules/kernel.ts';
import { renderMarkdown } from '../markdown.ts';
import { createKeyed } from '../keyed.ts';
import { createSealer } from '../sealing.ts';
import { limitMax } from '#shared/limits.ts';
import { VERSION } from '../version.ts';
import { mailJob } from './mail.ts';

/** Where the data lies: an address of PostgreSQL, or the path of a SQLite file. */
export function databasePlace(config: Pick<Config, 'database'>): { url: string } | { path: string } {
  return /^postgres(ql)?:\/\//.test(config.database) ? { url: config.database } : { path: config.database };
}

export interface HostDeps {
  readonly config: Config & { readonly appUrl: string };
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Fill an empty catalogue with samples (`serve --local`). */
  readonly sample: boolean;
  /** Runs after commit; given in tests to look on. */
  readonly bus?: Bus;
  /** Starts a thread for long questions; absent: they are answered as all others (Database.long). */
  readonly spawnReader?: SpawnReader | undefined;
  /** An open database; opened from the configuration when absent. */
  readonly database?: Database;
  /** The installation's key for secrets at rest; that of the configuration when absent. */
  readonly key?: Uint8Array;
  /** Hashing of passwords; argon2id when absent. */
  readonly passwords?: Passwords;
  /** How panels over HTTP are reached; the network when absent. */
  readonly panelsOutside?: ServiceDeps['panelsOutside'];
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
const SETTINGS_MS = 5_000;

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
    random,
    ...(deps.passwords ? { passwords: deps.passwords } : {}),
    ...(deps.panelsOutside ? { panelsOutside: deps.panelsOutside } : {}),
  });
  if (deps.sample) await uow.run((tx) => services.catalog.seedSample(tx));

  const streams = new AbortController();
  const machine = {
    version: VERSION,
    os: `${type()} ${arch()}`,
    kernel: release(),
    debug: config.logLevel === 'debug',
    redis: false,
  };
  const limiter = createRateLimiter(clock.now, (name) => limitMax(name, services.settings.current()));
  const api = createApiApp({
    resolve: async (secret) => (await services.identity.resolve(secret))?.actor ?? null,
    flags: services.settings.flags,
    takeLimit: limiter.take,
    hash: ids.hash,
    log,
    streams: streams.signal,
    observe: (ctx, actor) =>
      services.abuse.observe({
        userId: actor.userId,
        sessionId: actor.sessionId,
        address: ctx.address,
        device: ctx.cookies.get(DEVICE_COOKIE),
      }),
    handlers: {
      session: sessionHandlers(services),
      auth: authHandlers(services),
      twoFactor: twoFactorHandlers(services),
      system: systemHandlers({
        ...services,
        debug: (staff) => debugInfo(machine, staff),
        build: deps.build ?? VERSION,
        version: VERSION,
        appUrl: config.appUrl,
        hash: ids.hash,
        markdown: renderMarkdown,
      }),
      account: accountHandlers(services),
      notifications: notificationsHandlers(services),
      live: liveHandlers({ ...services, bus }),
      dashboard: dashboardHandlers(services),
      servers: serversHandlers(services),
      afk: afkHandlers(services),
      heldRewards: heldRewardsHandlers(services),
      adminHeldRewards: heldRewardsAdminHandlers(services),
      challenge: challengeHandlers(services),
      adCheck: adCheckHandlers(services),
      redeem: redeemHandlers(services),
      referrals: referralsHandlers({ ...services, appUrl: config.appUrl }),
      links: linksHandlers(services),
      linked: linkedHandlers(services),
      j4r: j4rHandlers(services),
      store: storeHandlers(services),
      ...paymentHandlers(services),
      leaderboard: leaderboardHandlers(services),
      profiles: profilesHandlers(services),
      gifts: giftsHandlers(services),
      ...adminHandlers({ ...services, uow, clock, ids }),
      adminPanels: panelsHandlers(services),
      panelAccount: panelAccountHandlers(services),
      adminServers: staffServersHandlers(services),
      adminServerQueue: serverQueueHandlers(services),
      adminUsers: usersHandlers(services),
      adminEconomy: economyHandlers(services),
    },
  });
  let settingsTimer: ReturnType<typeof setInterval> | null = null;
  const runner = createRunner({
    uow,
    clock,
    ids,
    log,
    bus,
    random,
    handlers: { ...services.jobs, ...mailJob({ config, uow, clock, log }) },
  });
  const scheduler = createScheduler({ uow, clock, log, tasks: services.tasks, alive: services.uptime.beat });
  return {
    api,
    services,
    database,
    runner,
    scheduler,
    bus,
    ready: async () => {
      try {
        await database.ping();
        return true;
      } catch {
        return false;
      }
    },
    start: async () => {
      await releaseLeases(database);
      await services.uptime.beat();
      runner.start();
      scheduler.start();
      void services.paneling.begin();
      // The command line and other processes change settings as well.
      settingsTimer = setInterval(() => {
        void services.settings
          .load()
          .catch((error: unknown) => log.error('settings.load_failed', { error: String(error) }));
        void services.paneling.connections
          .load()
          .catch((error: unknown) => log.error('panels.load_failed', { error: String(error) }));
      }, SETTINGS_MS);
      settingsTimer.unref();
    },
    endStreams: () => streams.abort(),
    setupToken: () => services.identity.createSetupToken(),
    close: async () => {
      if (settingsTimer) clearInterval(settingsTimer);
      services.stopLong();
      await scheduler.stop();
      await runner.stop();
      services.paneling.close();
      await database.close();
    },
  };
}
