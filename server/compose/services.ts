import { composeAbuse } from './abuse.ts';
import { composeDiscord } from './j4r.ts';
import { createPasswords } from '../identity-providers/passwords.ts';
import { totp } from '../identity-providers/totp.ts';
import type { Database } from '../data/open.ts';
import { createPanelRepo } from '../data/repos/embedded-panel.ts';
import { composePayments } from './payments.ts';
import { composeInvites } from './referrals.ts';
import { composePanels } from './panels.ts';
import type { Config } from '../env.ts';
import { createAccess } from '../modules/access/index.ts';
import { createCatalog } from '../modules/catalog/index.ts';
import { createIdentity } from '../modules/identity/index.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import type { Bus, Clock, Ids, Log, Sealer } from '../modules/kernel.ts';
import type { Keyed } from '../modules/abuse/index.ts';
import { enqueue } from '../modules/jobs/index.ts';
import { createGifts } from '../modules/gifts/index.ts';
import { createLeaderboard } from '../modules/leaderboard/index.ts';
import { createLedger, proveLedger, recordFaults } from '../modules/ledger/index.ts';
import type { LedgerFault } from '../modules/ledger/index.ts';
import { createLimits } from '../modules/limits/index.ts';
import { createMailing } from '../modules/mailing/index.ts';
import { createNotifications } from '../modules/notifications/index.ts';
import { createOverview } from '../modules/overview/index.ts';
import { createProfiles } from '../modules/profiles/index.ts';
import { createAfk } from '../modules/rewards/afk/index.ts';
import { createCounters } from '../modules/rewards/counters/index.ts';
import { createEconomy } from '../modules/economy/index.ts';
import { createPeople } from '../modules/people/index.ts';
import { createRedeem } from '../modules/rewards/redeem/index.ts';
import { createServers, serverJobs, serverTasks, SERVER_JOBS, type Panel } from '../modules/servers/index.ts';
import { createSkins } from '../modules/skins/index.ts';
import { createSettings } from '../modules/settings/index.ts';
import { createStore } from '../modules/store/index.ts';
import { createUptime } from '../modules/uptime/index.ts';
import { skinPng } from '../images/skin-png.ts';
import { createOutbound } from '../outbound.ts';
import { createEmbeddedPanel } from '../panel/index.ts';
import { mailTexts } from '../mail/texts.ts';
import { DAY, dayIn, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import type { JobHandler } from '../jobs/runner.ts';

export interface ServiceDeps {
  readonly config: Pick<Config, 'mail'> &
    Partial<Pick<Config, 'panelDriver' | 'firstPanel' | 'redisUrl'>> & { readonly appUrl: string };
  readonly database: Pick<Database, 'uow' | 'long' | 'write' | 'read'>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Seals secrets at rest. */
  readonly sealer: Sealer;
  /** Hashes what is personal, for the signals of abuse. */
  readonly keyed: Keyed;
  /** The panel inside; the embedded one when absent. */
  readonly panel?: Panel;
  /** How panels over HTTP are reached; the network when absent. */
  readonly panelsOutside?: Parameters<typeof composePanels>[0]['outside'] | undefined;
  /** Numbers from 0 to 1, for the jitter of pauses; those of the system when absent. */
  readonly random?: () => number;
  /** Hashing of passwords; argon2id on worker threads when absent. */
  readonly passwords?: Passwords;
}

export type Services = Awaited<ReturnType<typeof composeServices>>;

/** Every module over its ports. Nothing here knows HTTP. */
export async function composeServices(deps: ServiceDeps) {
  const { config, bus, clock, ids, log, database } = deps;
  const { uow, long } = database;
  const base = { uow, long, bus, clock, ids, log };
  const stopping = new AbortController();
  const settings = createSettings({
    ...base,
    sealer: deps.sealer,
    sendsMail: (config.mail?.fromAddress ?? null) !== null,
  });
  await settings.load();
  const outbound = createOutbound({ settings, log });
  const ledger = createLedger({ ...base, day: (ms) => dayIn(ms, settings.current().app_timezone) });
  const limits = createLimits({ settings });
  const access = createAccess(base);
  const notifications = createNotifications(base);
  /** Proves the ledger, and acts on what is found: for the nightly task and the command line. */
  const prove = async () => {
    const faults = await proveLedger(long, stopping.signal);
    await recordFaults({ ...base, notifyStaff: staffNotifier(notifications) }, faults);
    return faults;
  };
  const counters = createCounters({ clock, settings });
  const mailing = createMailing({
    clock,
    ids,
    settings,
    texts: mailTexts,
    appUrl: config.appUrl,
    fromAddress: config.mail?.fromAddress ?? null,
  });
  const inside = (config.panelDriver ?? 'embedded') === 'embedded';
  const panel = deps.panel ?? (inside ? embeddedPanel(deps, () => settings.current().embedded_install_seconds) : null);
  const paneling = await composePanels({
    ...base,
    mailing,
    config,
    sealer: deps.sealer,
    embedded: panel,
    ...(deps.panelsOutside ? { outside: deps.panelsOutside } : {}),
  });
  const servers = createServers({
    ...base,
    random: deps.random ?? Math.random,
    panels: paneling.connections,
    settings,
    ledger,
    limits,
    mailing,
    notifications,
    onReady: (tx, userId) => tx.referrals.recheck(userId, clock.now()),
  });
  const leaderboard = createLeaderboard({ uow, clock, settings });
  const profiles = createProfiles({ uow, clock, ids, leaderboard, settings });
  const linked = composeDiscord({
    ...base,
    outbound,
    settings,
    notifications,
    sealer: deps.sealer,
    keyed: deps.keyed,
    appUrl: config.appUrl,
  });
  const abuse = await composeAbuse({
    ...base,
    outbound,
    identities: linked.identities,
    settings,
    ledger,
    counters,
    notifications,
    sealer: deps.sealer,
    keyed: deps.keyed,
    appUrl: config.appUrl,
    onDecided: (tx, reference, outcome) => invites.recordDecision(tx, reference, outcome),
  });
  const invites = composeInvites({
    ...base,
    outbound,
    sealer: deps.sealer,
    settings,
    counters,
    payout: abuse.payout,
    notifications,
    mailing,
    appUrl: config.appUrl,
  });
  const identity = createIdentity({
    keyed: deps.keyed,
    onReclaimed: async (tx, userId) => {
      for (const { id } of await tx.identities.of(userId)) await tx.identities.remove(id, userId);
    },
    // Registering is a sighting: a farm shows before it earns.
    onJoined: async (tx, newcomer) => {
      await abuse.abuse.noteJoined(tx, newcomer);
      await invites.referrals.addReferral(tx, newcomer);
    },
    onVerified: invites.referrals.recheck,
    ...base,
    challenge: abuse.challenge,
    access,
    settings,
    mailing,
    notifications,
    limits,
    ledger,
    passwords: deps.passwords ?? createPasswords(),
    totp,
    sealer: deps.sealer,
    onProfile: servers.wakeAccount,
    onStanding: async (tx, userId) => {
      await enqueue(tx, ids, clock, { kind: SERVER_JOBS.owner, payload: { userId }, uniqueKey: `owner:${userId}` });
      await leaderboard.show(tx, userId);
    },
  });
  await uow.run((tx) => access.seedRoles(tx));
  await identity.twoFactor.keyOldCodes();

  const { payout } = abuse;
  const joining = linked.j4r({ ledger, counters, payout });
  const afk = createAfk({
    ...base,
    ledger,
    payout,
    counters,
    settings,
    timer: systemTimer,
    onMinutes: invites.referrals.recheck,
  });

  const paying = composePayments({
    ...base,
    outbound,
    ledger,
    settings,
    notifications,
    notePayment: abuse.abuse.notePayment,
    appUrl: config.appUrl,
  });

  const tasks: ScheduledTask[] = [
    ...paying.tasks,
    { name: 'afk.silent', everyMs: MINUTE, run: async () => void (await afk.endSilent()) },
    ...serverTasks(servers),
    ...paneling.tasks,
    { name: 'leaderboard.refresh', everyMs: LEADERBOARD_MS, run: async () => void (await leaderboard.refresh()) },
    ...abuse.tasks,
    ...joining.tasks,
    ...invites.tasks,
    { name: 'identity.purge', everyMs: HOUR, run: () => identity.purge() },
    { name: 'ledger.verify', everyMs: DAY, run: () => provenOrThrow(prove) },
    { name: 'housekeeping', everyMs: HOUR, run: () => purgeOld(deps) },
    // Once a day, as it reads the whole table.
    { name: 'counters.purge', everyMs: DAY, run: () => uow.run((tx) => counters.purge(tx)) },
  ];
  const jobs: Record<string, JobHandler> = {
    ...abuse.jobs,
    ...joining.jobs,
    ...serverJobs(servers),
    ...paneling.jobs,
    ...paying.jobs,
    ...identity.jobs,
  };
  return {
    ...base,
    keyed: deps.keyed,
    proveLedger: prove,
    stopLong: () => stopping.abort(),
    settings,
    ledger,
    limits,
    access,
    notifications,
    counters,
    mailing,
    paneling,
    panels: paneling.panels,
    driver: config.panelDriver ?? 'embedded',
    servers,
    identity,
    tasks,
    jobs,
    catalog: createCatalog(base),
    overview: createOverview({ long, clock, settings }),
    afk,
    payout,
    identities: linked.identities,
    j4r: joining.j4r,
    referrals: invites.referrals,
    links: invites.links,
    asksVerification: invites.asksVerification,
    abuse: abuse.abuse,
    challenge: abuse.challenge,
    redeem: createRedeem({ ...base, payout, counters, settings }),
    uptime: createUptime({
      uow,
      clock,
      onBack: (tx, { fromMs, untilMs }) => tx.links.extendOpen(fromMs, untilMs - fromMs),
    }),
    skins: createSkins({ uow, clock, ids, codec: skinPng, shows: profiles.showsSkin }),
    leaderboard,
    profiles,
    gifts: createGifts({ ...base, ledger, notifications, profiles, settings }),
    payments: paying.payments,
    printReceipt: paying.printReceipt,
    store: createStore({ ...base, ledger, limits, notifications }),
    people: createPeople({ ...base, ledger, limits, notifications, settings }),
    economy: createEconomy({ ...base, settings }),
  };
}

/** How often the boards are brought up to date: a turn without news costs two small transactions. */
const LEADERBOARD_MS = 10 * SECOND;

const systemTimer = {
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

function embeddedPanel({ database, clock, ids, log }: ServiceDeps, installSeconds: () => number): Panel {
  return createEmbeddedPanel({
    clock,
    ids,
    log,
    installSeconds,
    store: {
      run: (work) => database.write(({ db }) => work(createPanelRepo(db))),
      read: (work) => database.read(({ db }) => work(createPanelRepo(db))),
    },
  });
}

/** Most staff who are notified of one event. */
const STAFF_MAX = 100;

/** Notifies those who look after the installation: who may see its health. */
function staffNotifier(
  notifications: ReturnType<typeof createNotifications>,
): Parameters<typeof recordFaults>[0]['notifyStaff'] {
  return async (tx, kind, data, key) => {
    for (const userId of await tx.access.holders(['admin.root', 'admin.health.view'], STAFF_MAX))
      await notifications.notify(tx, userId, kind, data, `${key}:${userId}`);
  };
}

/** The nightly proof of the ledger (behaviour 2): a fault is the task's as well. */
async function provenOrThrow(prove: () => Promise<LedgerFault[]>): Promise<void> {
  const faults = await prove();
  if (faults.length > 0) throw new Error(`the ledger has ${faults.length} faults`);
}

/** How long stored answers of commands and finished jobs are kept. */
const KEEP_MS = 7 * DAY;

async function purgeOld({ database, clock }: ServiceDeps): Promise<void> {
  const before = clock.now() - KEEP_MS;
  await database.uow.run(async (tx) => {
    await tx.idempotency.purge(before);
    await tx.jobs.purge(before);
  });
}
