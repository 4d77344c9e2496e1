import type { ApiTokensRepo } from './api-tokens/ports.ts';
import type { AttentionRepo } from './attention/ports.ts';
import type { AfkRepo } from './rewards/afk/ports.ts';
import type { RedeemRepo } from './rewards/redeem/ports.ts';
import type { ReferralsRepo } from './rewards/referrals/ports.ts';
import type { EarlySupportersRepo } from './rewards/early-supporters/ports.ts';
import type { LinksRepo } from './rewards/links/ports.ts';
import type { EarnCountersRepo } from './rewards/counters/ports.ts';
import type { AbuseRepo } from './abuse/ports.ts';
import type { ChallengeRepo } from './challenge/ports.ts';
import type { GiftsRepo } from './gifts/ports.ts';
import type { LeaderboardRepo } from './leaderboard/ports.ts';
import type { ProfilesRepo } from './profiles/ports.ts';
import type { IdentitiesRepo } from './identities/ports.ts';
import type { J4rRepo } from './rewards/j4r/ports.ts';
import type { AuditRepo } from './audit/ports.ts';
import type { CatalogRepo } from './catalog/ports.ts';
import type { CrudRepo } from './crud/ports.ts';
import type { HealthRepo } from './health/ports.ts';
import type { IdempotencyRepo } from './idempotency/ports.ts';
import type { FactorsRepo, IdentityRepo, PendingRepo } from './identity/ports.ts';
import type { PasskeysRepo } from './passkeys/ports.ts';
import type { ExportsRepo } from './exports/ports.ts';
import type { DeletionsRepo } from './deletion/ports.ts';
import type { EmailChangesRepo } from './identity/email-ports.ts';
import type { AccessRepo } from './access/ports.ts';
import type { JobsRepo } from './jobs/ports.ts';
import type { LedgerArchiveRepo, LedgerFaultsRepo, LedgerRepo } from './ledger/ports.ts';
import type { LimitsRepo } from './limits/ports.ts';
import type { OwnMailsRepo } from './mailing/own-ports.ts';
import type { MailRepo, MailTextsRepo } from './mailing/ports.ts';
import type { NotificationsRepo } from './notifications/ports.ts';
import type { PushRepo } from './notifications/push-ports.ts';
import type { ServersRepo } from './servers/core/ports.ts';
import type { StaffServersRepo } from './servers/core/staff-ports.ts';
import type { SubusersRepo } from './servers/core/subuser-ports.ts';
import type { ServerUsageRepo } from './servers/core/usage-ports.ts';
import type { ServerSchedulesRepo } from './servers/schedules/ports.ts';
import type { CapacityRepo } from './servers/capacity/ports.ts';
import type { PanelLinksRepo } from './servers/panel/links.ts';
import type { OutagesRepo } from './servers/outages/ports.ts';
import type { WaitingListRepo } from './servers/waiting-list/ports.ts';
import type { SearchRepo } from './search/ports.ts';
import type { SetupRepo } from './setup-guide/ports.ts';
import type { SettingsRepo } from './settings/ports.ts';
import type { PanelsRepo } from './panels/ports.ts';
import type { OverviewRepo } from './overview/ports.ts';
import type { EconomyRepo } from './economy/ports.ts';
import type { UserBulkRepo } from './people/bulk-ports.ts';
import type { PeopleRepo } from './people/ports.ts';
import type { ImageReportsRepo } from './image-reports/ports.ts';
import type { ImportsRepo } from './imports/ports.ts';
import type { ImagesRepo } from './images/ports.ts';
import type { DiscordRolesRepo } from './discord-roles/ports.ts';
import type { PluginsRepo } from './plugins/ports.ts';
import type { PluginPackagesRepo } from './plugins/package-ports.ts';
import type { PicturesRepo } from './pictures/ports.ts';
import type { SkinsRepo } from './skins/ports.ts';
import type { PaymentsRepo } from './payments/ports.ts';
import type { SsoRepo } from './sso/ports.ts';
import type { StoreRepo } from './store/ports.ts';
import type { TicketMailRepo } from './ticket-mail/ports.ts';
import type { InboxRepo } from './tickets/inbox-ports.ts';
import type { TicketReportsRepo } from './tickets/reports-ports.ts';
import type { AttachmentsRepo } from './tickets/attachment-ports.ts';
import type { TicketMovesRepo } from './tickets/moves-ports.ts';
import type { TicketsRepo } from './tickets/ports.ts';
import type { UpdatesRepo } from './updates/ports.ts';
import type { AnnouncementsRepo } from './announcements/ports.ts';
import type { RedirectLinksRepo } from './redirect-links/ports.ts';
import type { WebhooksRepo } from './webhooks/ports.ts';
import type { UptimeRepo } from './uptime/ports.ts';
import type { Topic } from './kernel.ts';

/** What a transaction offers: every module's repository. Type only; the implementations live in server/data. */
export interface Tx {
  readonly ledger: LedgerRepo;
  readonly ledgerFaults: LedgerFaultsRepo;
  readonly ledgerArchive: LedgerArchiveRepo;
  readonly identity: IdentityRepo;
  readonly factors: FactorsRepo;
  readonly passkeys: PasskeysRepo;
  readonly apiTokens: ApiTokensRepo;
  readonly pending: PendingRepo;
  readonly emailChanges: EmailChangesRepo;
  readonly deletions: DeletionsRepo;
  readonly exports: ExportsRepo;
  readonly access: AccessRepo;
  readonly limits: LimitsRepo;
  readonly settings: SettingsRepo;
  readonly setup: SetupRepo;
  readonly updates: UpdatesRepo;
  readonly catalog: CatalogRepo;
  readonly crud: CrudRepo;
  readonly afk: AfkRepo;
  readonly redeem: RedeemRepo;
  readonly identities: IdentitiesRepo;
  readonly sso: SsoRepo;
  readonly j4r: J4rRepo;
  readonly referrals: ReferralsRepo;
  readonly earlySupporters: EarlySupportersRepo;
  readonly links: LinksRepo;
  readonly counters: EarnCountersRepo;
  readonly abuse: AbuseRepo;
  readonly challenge: ChallengeRepo;
  readonly attention: AttentionRepo;
  readonly search: SearchRepo;
  readonly overview: OverviewRepo;
  readonly economy: EconomyRepo;
  readonly people: PeopleRepo;
  readonly userBulk: UserBulkRepo;
  readonly skins: SkinsRepo;
  readonly pictures: PicturesRepo;
  readonly images: ImagesRepo;
  readonly imageReports: ImageReportsRepo;
  readonly discordRoles: DiscordRolesRepo;
  readonly plugins: PluginsRepo;
  readonly pluginPackages: PluginPackagesRepo;
  readonly store: StoreRepo;
  readonly imports: ImportsRepo;
  readonly payments: PaymentsRepo;
  readonly gifts: GiftsRepo;
  readonly leaderboard: LeaderboardRepo;
  readonly profiles: ProfilesRepo;
  readonly panels: PanelsRepo;
  readonly servers: ServersRepo;
  readonly staffServers: StaffServersRepo;
  readonly subusers: SubusersRepo;
  readonly serverSchedules: ServerSchedulesRepo;
  readonly serverUsage: ServerUsageRepo;
  readonly outages: OutagesRepo;
  readonly capacity: CapacityRepo;
  readonly panelLinks: PanelLinksRepo;
  readonly waitingList: WaitingListRepo;
  readonly mail: MailRepo;
  readonly mailTexts: MailTextsRepo;
  readonly ownMails: OwnMailsRepo;
  readonly notifications: NotificationsRepo;
  readonly push: PushRepo;
  readonly jobs: JobsRepo;
  readonly audit: AuditRepo;
  readonly idempotency: IdempotencyRepo;
  readonly ticketInbox: InboxRepo;
  readonly ticketReports: TicketReportsRepo;
  readonly tickets: TicketsRepo;
  readonly ticketMails: TicketMailRepo;
  readonly attachments: AttachmentsRepo;
  readonly ticketMoves: TicketMovesRepo;
  readonly uptime: UptimeRepo;
  readonly webhooks: WebhooksRepo;
  readonly announcements: AnnouncementsRepo;
  readonly redirectLinks: RedirectLinksRepo;
  readonly health: HealthRepo;
  /** Names what changed; published on the bus after commit, forgotten on rollback. */
  touch(...topics: Topic[]): void;
}

/** Transactions. No network, mail or panel call inside `run`: those ports are not members of Tx. */
export interface UnitOfWork {
  /**
   * Runs a command in one serialised, durable transaction. Resolves after commit; rejects with what the function threw
   * after rollback. Must not be nested (throws). Several runs may share one commit; each is isolated by a savepoint.
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs questions on a consistent, read-only view. A write inside it throws. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * Who a long question is for: somebody who waits for the answer, or a job of the night; when it may be given up, and
 * how long it may take (ms).
 */
export interface LongRead {
  readonly for: 'visitor' | 'job';
  /** Aborts when the caller leaves: the question is stopped. */
  readonly signal?: AbortSignal | undefined;
  readonly limitMs?: number | undefined;
}
/** Questions that may take long: proofs, exports, counts over everybody. */
export interface LongReads {
  /**
   * Runs questions on a consistent, read-only view, away from the thread that answers everybody. Only what is asked of
   * the database is: what is made of the rows still runs here, so ask for some hundred at a time. Few run at once, so
   * nobody who is slow to take the answer may be waited for inside. A write inside it throws. Throws SERVER_UNAVAILABLE
   * where too many wait, where it takes longer than it may and where the reader broke down; the signal's reason where
   * the caller left.
   */
  read<T>(work: (tx: Tx) => Promise<T>, options: LongRead): Promise<T>;
}
