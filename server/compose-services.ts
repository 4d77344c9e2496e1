import { createPasswords } from './identity-providers/passwords.ts';
import { totp } from './identity-providers/totp.ts';
import type { Database } from './data/open.ts';
import { createPanelRepo } from './data/repos/panel.ts';
import type { Config } from './env.ts';
import { createAccess } from './modules/access/index.ts';
import { createCatalog } from './modules/catalog/index.ts';
import { createIdentity } from './modules/identity/index.ts';
import type { Bus, Clock, Ids, Log, Sealer } from './modules/kernel.ts';
import { enqueue } from './modules/jobs/index.ts';
import { createLedger } from './modules/ledger/index.ts';
import { createLimits } from './modules/limits/index.ts';
import { createMailing } from './modules/mailing/index.ts';
import { createNotifications } from './modules/notifications/index.ts';
import { createOverview } from './modules/overview/index.ts';
import { createAfk } from './modules/rewards/afk/index.ts';
import { createCounters } from './modules/rewards/counters/index.ts';
import { createRedeem } from './modules/rewards/redeem/index.ts';
import { createServers, serverJobs, serverTasks, SERVER_JOBS, type Panel } from './modules/servers/index.ts';
import { createSkins } from './modules/skins/index.ts';
import { createSettings } from './modules/settings/index.ts';
import { createStore } from './modules/store/index.ts';
import { skinPng } from './images/skin-png.ts';
import { createEmbeddedPanel } from './panel/index.ts';
import { mailTexts } from './mail/texts.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { ScheduledTask } from './jobs/scheduler.ts';
import type { JobHandler } from './jobs/runner.ts';

export interface ServiceDeps {
  readonly config: Pick<Config, 'mail'> & { readonly appUrl: string };
  readonly database: Pick<Database, 'uow' | 'write' | 'read'>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly sealer: Sealer;
  /** The game panel; the embedded one when absent. */
  readonly panel?: Panel;
}

export type Services = Awaited<ReturnType<typeof composeServices>>;

/** Every module over its ports. Nothing here knows HTTP. */
export async function composeServices(deps: ServiceDeps) {
  const { config, bus, clock, ids, log, database } = deps;
  const { uow } = database;
  const base = { uow, bus, clock, ids, log };
  const settings = createSettings(base);
  await settings.load();
  const ledger = createLedger(base);
  const limits = createLimits({ settings });
  const access = createAccess(base);
  const notifications = createNotifications(base);
  const counters = createCounters({ clock, settings });
  const mailing = createMailing({ clock, ids, settings, texts: mailTexts, appUrl: config.appUrl, fromAddress: config.mail?.fromAddress ?? null });
  const panel = deps.panel ?? embeddedPanel(deps, () => settings.current().embedded_install_seconds);
  const servers = createServers({ ...base, panel, settings, ledger, limits, mailing, notifications });
  const identity = createIdentity({
    ...base, access, settings, mailing, notifications, limits, ledger, passwords: createPasswords(), totp, sealer: deps.sealer,
    onStanding: (tx, userId) => enqueue(tx, ids, clock, { kind: SERVER_JOBS.owner, payload: { userId }, uniqueKey: `owner:${userId}` }),
  });
  await uow.run((tx) => access.seedRoles(tx));

  const afk = createAfk({ ...base, ledger, counters, settings, timer: systemTimer });

  const tasks: ScheduledTask[] = [
    { name: 'afk.silent', everyMs: MINUTE, run: async () => void (await afk.endSilent()) },
    ...serverTasks(servers),
    { name: 'identity.purge', everyMs: HOUR, run: () => identity.purge() },
    { name: 'ledger.verify', everyMs: DAY, run: () => proveLedger(deps, ledger) },
    { name: 'housekeeping', everyMs: HOUR, run: () => purgeOld(deps) },
  ];
  const jobs: Record<string, JobHandler> = { ...serverJobs(servers), ...identity.jobs };
  return {
    ...base, settings, ledger, limits, access, notifications, counters, mailing, panel, servers, identity, tasks, jobs,
    catalog: createCatalog(base),
    overview: createOverview({ uow, clock, settings }),
    afk,
    redeem: createRedeem({ ...base, ledger, counters, settings }),
    skins: createSkins({ uow, clock, ids, codec: skinPng }),
    store: createStore({ ...base, ledger, limits }),
  };
}

const systemTimer = {
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

function embeddedPanel({ database, clock, ids, log }: ServiceDeps, installSeconds: () => number): Panel {
  return createEmbeddedPanel({
    clock, ids, log, installSeconds,
    store: {
      run: (work) => database.write(({ db }) => work(createPanelRepo(db))),
      read: (work) => database.read(({ db }) => work(createPanelRepo(db))),
    },
  });
}

/** The nightly proof of the ledger (behaviour 2): a fault is an error of the log, and the task's. */
async function proveLedger({ database, log }: ServiceDeps, ledger: ReturnType<typeof createLedger>): Promise<void> {
  const faults = await database.uow.read((tx) => ledger.verify(tx));
  if (faults.length === 0) return;
  log.error('ledger.fault', { faults });
  throw new Error(`the ledger has ${faults.length} faults`);
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
