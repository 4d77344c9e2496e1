import { composeSources } from './earning.ts';
import { networks } from '../abuse/networks.ts';
import { createPictureCodec } from '../images/picture-thread.ts';
import type { JobHandler } from '../jobs/runner.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import type { Subscription } from '../modules/events/index.ts';
import { createPictures } from '../modules/pictures/index.ts';
import { createServers, serverJobs, serverTasks } from '../modules/servers/index.ts';
import { nextTime } from '../jobs/next-time.ts';
import { createStore } from '../modules/store/index.ts';
import { createUptime } from '../modules/uptime/index.ts';
import { createZeroTrust } from '../modules/zero-trust/index.ts';
import { composeAbuse } from './abuse.ts';
import { composeAccounts } from './accounts.ts';
import { composeAfk } from './afk.ts';
import { composeAnnouncements } from './announcements.ts';
import { composeApiTokens } from './api-tokens.ts';
import { composeCommunity } from './community.ts';
import { composeFoundation, type ServiceDeps } from './foundation.ts';
import { housekeepingTasks } from './housekeeping.ts';
import { composeHealth } from './health.ts';
import { composeImageReports, composeImages } from './images.ts';
import { composeIdentities } from './identities.ts';
import { composeJ4r } from './j4r.ts';
import { composeLedgerProof } from './ledger-proof.ts';
import { composeLinks } from './links.ts';
import { composeNotifications } from './notifications.ts';
import { composePanels } from './panels.ts';
import { composePayments } from './payments.ts';
import { composePlugins } from './plugins.ts';
import { composeReferrals } from './referrals.ts';
import { composeSetupGuide } from './setup-guide.ts';
import { composeSso } from './sso.ts';
import { composeStaff } from './staff.ts';
import { composeTicketMail } from './ticket-mail.ts';
import { composeWebhooks } from './webhooks.ts';
import { composeTickets } from './tickets.ts';

export type Services = Awaited<ReturnType<typeof composeServices>>;

/** What a part does besides answering: by the clock, from the queue, and after events. */
interface PartWork {
  readonly tasks?: readonly ScheduledTask[];
  readonly jobs?: Readonly<Record<string, JobHandler>>;
  readonly subscriptions?: readonly Subscription[];
}

/** The work of all parts together, each kind in their order. */
function gatherWork(parts: readonly PartWork[]): Required<PartWork> {
  return {
    tasks: parts.flatMap(({ tasks = [] }) => tasks),
    jobs: Object.assign({}, ...parts.map(({ jobs }) => jobs)),
    subscriptions: parts.flatMap(({ subscriptions = [] }) => subscriptions),
  };
}

/** What servers are given beside the foundation: chance, the times of schedules, and who asks games for their players. */
const serverPorts = ({
  random = Math.random,
  queryPlayers = () => Promise.resolve(null),
}: Pick<ServiceDeps, 'random' | 'queryPlayers'>) => ({ random, nextTime, queryPlayers });

/**
 * Every module over its ports, each after those it uses. Nothing here knows HTTP. Modules that have to follow what
 * happens in others hear of it as events, in the order of the parts.
 */
export async function composeServices(deps: ServiceDeps) {
  const foundation = await composeFoundation(deps);
  const { uow, clock, events } = foundation;
  const proof = composeLedgerProof(foundation, deps.database);
  const panelModule = await composePanels({ ...deps, ...foundation });
  const checking = composeHealth({ ...deps, ...foundation, panels: panelModule.registry });
  const servers = createServers({ ...foundation, ...serverPorts(deps), panels: panelModule.registry });
  const community = composeCommunity(foundation);
  const announcing = composeAnnouncements(foundation);
  const codec = deps.pictureCodec ?? createPictureCodec();
  const support = composeTickets(foundation, { dataDir: deps.config.dataDir ?? '.', codec });
  const hosting = composeImages(foundation, deps);
  const answering = composeTicketMail(foundation, { ...deps, ...support.services });
  const notifying = composeNotifications(foundation);
  const linked = composeIdentities(foundation);
  const abuse = await composeAbuse({ ...foundation, identities: linked.identities });
  const earning = { ...foundation, payout: abuse.payout };
  const afk = composeAfk(earning);
  const joining = composeJ4r({ ...earning, ...linked });
  const inviting = composeReferrals(earning);
  const linking = composeLinks(earning);
  const { abuse: signals, challenge, payout } = abuse;
  const accounts = await composeAccounts({ ...foundation, ...linked, challenge, passwords: deps.passwords, servers });
  const signIn = composeSso({ ...foundation, identities: linked.identities, identity: accounts.identity });
  const keys = composeApiTokens(foundation);
  const extending = await composePlugins(foundation, { ...deps, ...checking.services });
  const hooks = composeWebhooks(foundation, deps, { ...extending.services, subscribers: extending.subscribers });
  const paying = composePayments({ ...foundation, notePayment: abuse.abuse.recordPaymentMeans });
  const staff = composeStaff({ ...foundation, ...checking.services }, accounts.identity, linked.identities);
  const reported = composeImageReports(foundation, { ...hosting.services, identity: accounts.identity });

  const work = gatherWork([
    { ...abuse, subscriptions: signals.subscriptions },
    inviting,
    { ...linking, subscriptions: linking.links.subscriptions },
    { subscriptions: linked.identities.subscriptions },
    { ...signIn, subscriptions: signIn.sso.subscriptions },
    { ...keys, subscriptions: keys.apiTokens.subscriptions },
    { tasks: serverTasks(servers), jobs: serverJobs(servers), subscriptions: servers.subscriptions },
    { ...community, subscriptions: community.services.leaderboard.subscriptions },
    support,
    announcing,
    hosting,
    reported,
    notifying,
    extending,
    answering,
    accounts,
    staff,
    paying,
    afk,
    panelModule,
    joining,
    proof,
    checking,
    hooks,
    { tasks: housekeepingTasks(foundation) },
  ]);
  events.subscribe(work.subscriptions);
  return {
    ...foundation,
    ...checking.services,
    proveLedger: proof.prove,
    stopLong: proof.stop,
    ...work,
    panelModule,
    panels: panelModule.panels,
    machine: panelModule.machine,
    servers,
    ...accounts.services,
    apiTokens: keys.apiTokens,
    zeroTrust: createZeroTrust({ ...foundation, parseNetworks: networks.parse, isKnownVpn: abuse.abuse.isKnownVpn }),
    ...staff.services,
    ...support.services,
    ...announcing.services,
    ...hooks.services,
    ...extending.services,
    ...notifying.services,
    ...answering.services,
    afk: afk.afk,
    payout,
    identities: linked.identities,
    sso: signIn.sso,
    j4r: joining.j4r,
    ...inviting.services,
    links: linking.links,
    abuse: signals,
    challenge,
    ...composeSources(earning),
    uptime: createUptime({ uow, clock, events }),
    ...community.services,
    ...hosting.services,
    ...reported.services,
    payments: paying.payments,
    printReceipt: paying.printReceipt,
    store: createStore(foundation),
    pictures: createPictures({ ...foundation, codec }),
    ...composeSetupGuide(foundation, { ...deps, ...panelModule, ...checking.services, ...notifying.services }),
  };
}
