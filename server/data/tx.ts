import type { Kysely } from 'kysely';
import type { Tx } from '#server/modules/tx.ts';
import { createAnnouncementsRepo } from './repos/announcements.ts';
import { createAttentionRepo } from './repos/attention.ts';
import { createCrudRepo } from './crud.ts';
import type { Raw } from './raw.ts';
import { createAbuseRepo } from './repos/abuse.ts';
import { createChallengeRepo } from './repos/challenge.ts';
import { createAccessRepo } from './repos/access.ts';
import { createAfkRepo } from './repos/afk.ts';
import { createApiTokensRepo } from './repos/api-tokens.ts';
import { createAuditRepo } from './repos/audit.ts';
import { createCatalogRepo } from './repos/catalog.ts';
import { createCountersRepo } from './repos/counters.ts';
import { createEconomyRepo } from './repos/economy.ts';
import { createPendingRepo } from './repos/pending.ts';
import { createPeopleRepo } from './repos/people.ts';
import { createGiftsRepo } from './repos/gifts.ts';
import { createIdentitiesRepo } from './repos/identities.ts';
import { createUserBulkRepo } from './repos/user-bulk.ts';
import { createExportsRepo } from './repos/data-exports.ts';
import { createDeletionsRepo } from './repos/deletions.ts';
import { createEarlySupportersRepo } from './repos/early-supporters.ts';
import { createEmailChangesRepo } from './repos/email-changes.ts';
import { createFactorsRepo } from './repos/factors.ts';
import { createPasskeysRepo } from './repos/passkeys.ts';
import { createHealthRepo } from './repos/health.ts';
import { createIdempotencyRepo } from './repos/idempotency.ts';
import { createIdentityRepo } from './repos/identity.ts';
import { createJ4rRepo } from './repos/j4r.ts';
import { createJobsRepo } from './repos/jobs.ts';
import { createLeaderboardRepo } from './repos/leaderboard.ts';
import { createLedgerArchiveRepo } from './repos/ledger-archive.ts';
import { createLedgerFaultsRepo } from './repos/ledger-faults.ts';
import { createLedgerRepo } from './repos/ledger.ts';
import { createLimitsRepo } from './repos/limits.ts';
import { createLinksRepo } from './repos/links.ts';
import { createMailRepo } from './repos/mail.ts';
import { createMailTextsRepo } from './repos/mail-texts.ts';
import { createOwnMailsRepo } from './repos/own-mails.ts';
import { createPushRepo } from './repos/push.ts';
import { createNotificationsRepo } from './repos/notifications.ts';
import { createPaymentsRepo } from './repos/payments.ts';
import { createImageReportsRepo } from './repos/image-reports.ts';
import { createImagesRepo } from './repos/images.ts';
import { createImportsRepo } from './repos/imports.ts';
import { createOutagesRepo } from './repos/outages.ts';
import { createOverviewRepo } from './repos/overview.ts';
import { createPanelsRepo } from './repos/panels.ts';
import { createProfilesRepo } from './repos/profiles.ts';
import { createRedeemRepo } from './repos/redeem.ts';
import { createReferralsRepo } from './repos/referrals.ts';
import { createCapacityRepo } from './repos/capacity.ts';
import { createPanelLinksRepo } from './repos/panel-links.ts';
import { createServerSchedulesRepo } from './repos/server-schedules.ts';
import { createServerUsageRepo } from './repos/server-usage.ts';
import { createServersRepo } from './repos/servers.ts';
import { createStaffServersRepo } from './repos/staff-servers.ts';
import { createSubusersRepo } from './repos/subusers.ts';
import { createWaitingListRepo } from './repos/waiting-list.ts';
import { createSearchRepo } from './repos/search.ts';
import { createSettingsRepo } from './repos/settings.ts';
import { createDiscordRolesRepo } from './repos/discord-roles.ts';
import { createPluginsRepo } from './repos/plugins.ts';
import { createPluginPackagesRepo } from './repos/plugin-packages.ts';
import { createPicturesRepo } from './repos/pictures.ts';
import { createSkinsRepo } from './repos/skins.ts';
import { createSsoRepo } from './repos/sso.ts';
import { createWebhooksRepo } from './repos/webhooks.ts';
import { createStoreRepo } from './repos/store.ts';
import { createSetupRepo } from './repos/setup-guide.ts';
import { createTicketMailRepo } from './repos/ticket-mail.ts';
import { createTicketInboxRepo } from './repos/ticket-inbox.ts';
import { createTicketReportsRepo } from './repos/ticket-reports.ts';
import { createAttachmentsRepo } from './repos/ticket-attachments.ts';
import { createTicketMovesRepo } from './repos/ticket-moves.ts';
import { createTicketsRepo } from './repos/tickets.ts';
import { createUpdatesRepo } from './repos/updates.ts';
import { createRedirectLinksRepo } from './repos/redirect-links.ts';
import { createUptimeRepo } from './repos/uptime.ts';
import type { DB } from './schema.ts';
import { currentScope } from './scope.ts';

type Makers = { readonly [K in Exclude<keyof Tx, 'touch'>]: (db: Kysely<DB>, raw: Raw) => Tx[K] };

/** A repository whose every statement is hand-written (decision 036). */
const fromRaw =
  <R>(make: (raw: Raw) => R) =>
  (_db: Kysely<DB>, raw: Raw): R =>
    make(raw);

const MAKERS: Makers = {
  ledger: fromRaw(createLedgerRepo),
  ledgerFaults: createLedgerFaultsRepo,
  ledgerArchive: fromRaw(createLedgerArchiveRepo),
  identity: createIdentityRepo,
  factors: createFactorsRepo,
  passkeys: createPasskeysRepo,
  apiTokens: createApiTokensRepo,
  pending: createPendingRepo,
  emailChanges: createEmailChangesRepo,
  deletions: createDeletionsRepo,
  exports: createExportsRepo,
  access: createAccessRepo,
  limits: fromRaw(createLimitsRepo),
  settings: createSettingsRepo,
  setup: createSetupRepo,
  updates: createUpdatesRepo,
  catalog: createCatalogRepo,
  crud: createCrudRepo,
  abuse: createAbuseRepo,
  challenge: fromRaw(createChallengeRepo),
  attention: createAttentionRepo,
  search: fromRaw(createSearchRepo),
  overview: createOverviewRepo,
  afk: createAfkRepo,
  redeem: createRedeemRepo,
  identities: createIdentitiesRepo,
  sso: createSsoRepo,
  j4r: createJ4rRepo,
  referrals: createReferralsRepo,
  earlySupporters: createEarlySupportersRepo,
  links: createLinksRepo,
  counters: createCountersRepo,
  economy: createEconomyRepo,
  people: createPeopleRepo,
  userBulk: createUserBulkRepo,
  skins: createSkinsRepo,
  pictures: createPicturesRepo,
  images: fromRaw(createImagesRepo),
  imageReports: fromRaw(createImageReportsRepo),
  discordRoles: fromRaw(createDiscordRolesRepo),
  plugins: fromRaw(createPluginsRepo),
  pluginPackages: fromRaw(createPluginPackagesRepo),
  store: createStoreRepo,
  imports: createImportsRepo,
  payments: createPaymentsRepo,
  gifts: createGiftsRepo,
  leaderboard: createLeaderboardRepo,
  profiles: createProfilesRepo,
  panels: createPanelsRepo,
  servers: createServersRepo,
  staffServers: fromRaw(createStaffServersRepo),
  subusers: createSubusersRepo,
  serverSchedules: createServerSchedulesRepo,
  serverUsage: createServerUsageRepo,
  outages: createOutagesRepo,
  capacity: createCapacityRepo,
  panelLinks: createPanelLinksRepo,
  waitingList: createWaitingListRepo,
  mail: createMailRepo,
  mailTexts: createMailTextsRepo,
  ownMails: createOwnMailsRepo,
  notifications: createNotificationsRepo,
  push: createPushRepo,
  jobs: fromRaw(createJobsRepo),
  audit: createAuditRepo,
  idempotency: createIdempotencyRepo,
  ticketInbox: fromRaw(createTicketInboxRepo),
  ticketReports: fromRaw(createTicketReportsRepo),
  tickets: fromRaw(createTicketsRepo),
  announcements: fromRaw(createAnnouncementsRepo),
  ticketMails: createTicketMailRepo,
  attachments: fromRaw(createAttachmentsRepo),
  ticketMoves: createTicketMovesRepo,
  uptime: createUptimeRepo,
  webhooks: fromRaw(createWebhooksRepo),
  redirectLinks: createRedirectLinksRepo,
  health: fromRaw(createHealthRepo),
};

/** All repositories over one connection. Each is made when it is first used, so the others cost nothing. */
class Repositories {
  readonly #db: Kysely<DB>;
  readonly #raw: Raw;

  constructor(db: Kysely<DB>, raw: Raw) {
    this.#db = db;
    this.#raw = raw;
  }

  static {
    // Once for the class: a transaction is too short for sixty properties of its own.
    for (const [name, make] of Object.entries(MAKERS))
      Object.defineProperty(this.prototype, name, {
        get(this: Repositories) {
          const made = make(this.#db, this.#raw);
          Object.defineProperty(this, name, { value: made, configurable: true });
          return made;
        },
      });
  }

  touch(...topics: string[]): void {
    const scope = currentScope();
    if (!scope?.open) throw new Error('touched outside a transaction: something was not awaited');
    for (const topic of topics) scope.topics.add(topic);
  }
}

/** All repositories over one connection. */
export const createTx = (db: Kysely<DB>, raw: Raw): Tx => new Repositories(db, raw) as Repositories & Tx;
