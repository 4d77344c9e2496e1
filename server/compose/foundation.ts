import type { Config } from '../env.ts';
import type { Database } from '../data/open.ts';
import { createOutsideClocks } from '../health/outside-clocks.ts';
import type { SpawnMailReading } from '../mail/mail-reader.ts';
import { mailTexts, sentenceTexts } from '../mail/texts.ts';
import { createAccess } from '../modules/access/index.ts';
import type { Keyed } from '../modules/abuse/index.ts';
import { createEvents } from '../modules/events/index.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import type { Bus, Clock, Ids, Log, Sealer } from '../modules/kernel.ts';
import { createLedger } from '../modules/ledger/index.ts';
import { createLimits } from '../modules/limits/index.ts';
import type { LogPort } from '../modules/logs/index.ts';
import { createMailing, mailServerOf } from '../modules/mailing/index.ts';
import { createNotifications, createPush } from '../modules/notifications/index.ts';
import { createCounters } from '../modules/rewards/counters/index.ts';
import type { ImageCodec } from '../modules/images/index.ts';
import type { PictureCodec } from '../modules/pictures/index.ts';
import type { Panel, PlayerQuery } from '../modules/servers/index.ts';
import { createSettings } from '../modules/settings/index.ts';
import { createOutbound } from '../outbound.ts';
import { reachOf, type Reach } from '../reach.ts';
import type { SpawnPackageReading } from '../plugins/package-reader.ts';
import type { SpawnSandbox } from '../plugins/sandbox.ts';
import { createWebPush } from '../push/web-push.ts';
import { connectRedis } from '../redis/connection.ts';
import type { SettingValues } from '#shared/settings.ts';
import { dayIn } from '#shared/time.ts';
import type { BackupTools } from './backups.ts';
import type { ImportTools } from './imports.ts';
import type { MachineRuntime } from '../panel/index.ts';
import type { PanelsOutside } from './panels.ts';

/** What the services are made from. */
export interface ServiceDeps {
  readonly config: Pick<Config, 'mail' | 'appUrl' | 'localUrl'> &
    Partial<
      Pick<
        Config,
        'imageUrl' | 'panelDriver' | 'firstPanel' | 'redisUrl' | 'dataDir' | 'runtime' | 'serversDir' | 'trustedProxies'
      >
    >;
  readonly database: Pick<
    Database,
    'uow' | 'long' | 'write' | 'read' | 'dialect' | 'ping' | 'size' | 'migrationState' | 'channel'
  >;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Seals secrets at rest. */
  readonly sealer: Sealer;
  /** The installation's key itself, from which the recovery key of backups follows. */
  readonly appKey: Uint8Array;
  /** What a serving process has for backups; absent: none are made here. */
  readonly backups?: BackupTools | undefined;
  /** What a serving process has for imports; absent: none are made here. */
  readonly imports?: ImportTools | undefined;
  /** Hashes what is personal, for the signals of abuse. */
  readonly keyed: Keyed;
  /** What runs servers of the panel inside on this machine; absent: they are imitated. */
  readonly machine?: MachineRuntime;
  /** The panel inside; the embedded one when absent. */
  readonly panel?: Panel;
  /** How panels over HTTP are reached; the network when absent. */
  readonly panelsOutside?: PanelsOutside | undefined;
  /** The lines of the log and its level, for staff; none when absent. */
  readonly logs?: LogPort | undefined;
  /** Numbers from 0 to 1, for the jitter of pauses; those of the system when absent. */
  readonly random?: () => number;
  /** Asks game servers who plays on them; nobody is asked when absent. */
  readonly queryPlayers?: PlayerQuery | undefined;
  /** Draws pictures of the installation; on the answering thread when absent. */
  readonly pictureCodec?: PictureCodec;
  /** Draws images of users; on the answering thread when absent. */
  readonly imageCodec?: ImageCodec | undefined;
  /** Starts a thread that reads a mail; absent: mails are read on this one. */
  readonly spawnMailReading?: SpawnMailReading | undefined;
  /** Starts a thread that runs a plugin of others; absent: none run in this process. */
  readonly spawnSandbox?: SpawnSandbox | undefined;
  /** Starts a thread that reads a package of a plugin; absent: they are read on this one. */
  readonly spawnPackageReading?: SpawnPackageReading | undefined;
  /** Hashing of passwords; argon2id on worker threads when absent. */
  readonly passwords?: Passwords;
}
export type Foundation = Awaited<ReturnType<typeof composeFoundation>>;

/** What nearly every module stands on: settings (loaded), the ledger, limits, rights, ways to reach users, events. */
export async function composeFoundation({ config, database, bus, clock, ids, log, sealer, keyed }: ServiceDeps) {
  const { uow, long } = database;
  const readReach = memoReach(config);
  const reach = () => readReach(settings.current());
  const appUrl = () => reach().appUrl;
  const base = { uow, long, bus, clock, ids, log, sealer, keyed, appUrl };
  const sendsMail = (values: SettingValues) => mailServerOf(config.mail, values) !== null;
  const settings = createSettings({ ...base, sendsMail });
  await settings.load();
  const outsideClocks = createOutsideClocks(clock);
  const redis = config.redisUrl ? connectRedis(config.redisUrl) : null;
  const mailServer = () => mailServerOf(config.mail, settings.current());
  const outbound = outsideClocks.watch(createOutbound({ settings, log }));
  const sender = createWebPush({
    fetch: outbound,
    contact: () => contactOf(appUrl(), settings.current()),
  });
  const push = createPush({ ...base, settings, sender });
  const mailing = createMailing({ ...base, settings, texts: mailTexts, mailServer });
  const notifications = createNotifications({ ...base, settings, mailing, push, texts: sentenceTexts });
  const events = createEvents({ ...base, notifications, mailing });
  return {
    ...base,
    sendsMail,
    mailServer,
    reach,
    /** What several processes share limits through; null: each counts for itself. Closed with the host. */
    redis,
    settings,
    notifications,
    push,
    pushSender: sender,
    mailing,
    events,
    outsideClocks,
    outbound,
    ledger: createLedger({ ...base, day: (ms) => dayIn(ms, settings.current().app_timezone) }),
    limits: createLimits({ settings }),
    access: createAccess({ ...base, events }),
    counters: createCounters({ clock, settings }),
  };
}

/** How the installation is reached, by its settings; the same object while they are the same. */
function memoReach(config: ServiceDeps['config']): (values: SettingValues) => Reach {
  let last: { readonly url: string; readonly proxies: string; readonly reach: Reach } | null = null;
  return (values) => {
    const { app_url: url, trusted_proxies: proxies } = values;
    if (last?.url !== url || last.proxies !== proxies) last = { url, proxies, reach: reachOf(config, values) };
    return last.reach;
  };
}

/** By whom push services reach the host: its address of support, else the installation's own. */
function contactOf(appUrl: string, { support_email: email }: SettingValues): string {
  return email === '' ? appUrl : `mailto:${email}`;
}
