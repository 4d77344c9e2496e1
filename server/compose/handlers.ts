import { sourceHandlers } from './earning.ts';
import { arch, release, type } from 'node:os';
import { accountHandlers } from '../api/account.ts';
import { accountsHandlers } from '../api/admin/accounts.ts';
import { webhookEventsHandlers, webhooksHandlers } from '../api/admin/webhooks.ts';
import { updatesHandlers } from '../api/admin/updates.ts';
import { staffAnnouncementsHandlers } from '../api/admin/announcements.ts';
import { announcementsHandlers, newsHandlers } from '../api/announcements.ts';
import { attentionHandlers } from '../api/admin/attention.ts';
import { userBulkHandlers } from '../api/admin/user-bulk.ts';
import { apiTokensHandlers } from '../api/api-tokens.ts';
import { accountActivityHandlers } from '../api/account-activity.ts';
import { accountDeletionHandlers } from '../api/account-deletion.ts';
import { accountExportHandlers } from '../api/account-export.ts';
import { accountEmailHandlers } from '../api/account-email.ts';
import { auditHandlers } from '../api/admin/audit.ts';
import { backupsHandlers } from '../api/admin/backups.ts';
import { importsHandlers } from '../api/admin/imports.ts';
import { healthHandlers } from '../api/admin/health.ts';
import { eggFilesHandlers } from '../api/admin/egg-files.ts';
import { machineHandlers } from '../api/admin/machine.ts';
import { staffImageReportsHandlers } from '../api/admin/image-reports.ts';
import { heldRewardsAdminHandlers } from '../api/admin/held-rewards.ts';
import { economyHandlers } from '../api/admin/economy.ts';
import { adminHandlers } from '../api/admin/index.ts';
import { passkeyHandlers } from '../api/passkeys.ts';
import { panelAccountHandlers, panelsHandlers } from '../api/admin/panels.ts';
import { mailKindsHandlers, ownMailsHandlers } from '../api/admin/own-mails.ts';
import { mailTemplatesHandlers } from '../api/admin/mail-templates.ts';
import { picturesHandlers } from '../api/admin/pictures.ts';
import { mailsHandlers } from '../api/admin/mails.ts';
import { logsHandlers } from '../api/admin/logs.ts';
import { discordRolesHandlers } from '../api/admin/discord-roles.ts';
import { pluginsHandlers } from '../api/admin/plugins.ts';
import { pluginEndpointsHandlers } from '../api/plugin-endpoints.ts';
import { statusPageHandlers } from '../api/status-page.ts';
import { searchHandlers } from '../api/admin/search.ts';
import { settingsHandlers } from '../api/admin/settings.ts';
import { setupGuideHandlers } from '../api/admin/setup-guide.ts';
import { serverQueueHandlers } from '../api/admin/server-queue.ts';
import { staffServersHandlers } from '../api/admin/servers.ts';
import { permissionsHandlers, rolesHandlers } from '../api/admin/roles.ts';
import { userDetailsHandlers } from '../api/admin/user-details.ts';
import { usersHandlers } from '../api/admin/users.ts';
import { adCheckHandlers, challengeHandlers, heldRewardsHandlers } from '../api/abuse.ts';
import { twoFactorHandlers } from '../api/two-factor.ts';
import { authHandlers } from '../api/auth.ts';
import { dashboardHandlers } from '../api/dashboard.ts';
import { giftsHandlers, leaderboardHandlers, profilesHandlers } from '../api/community.ts';
import { liveHandlers } from '../api/live.ts';
import { notificationsHandlers } from '../api/notifications.ts';
import { ticketMailHandlers } from '../api/ticket-mail.ts';
import { redirectLinkDaysHandlers, redirectLinksHandlers } from '../api/redirect-links.ts';
import { referralsHandlers } from '../api/referrals.ts';
import { paymentHandlers } from '../api/payments.ts';
import { linkedHandlers } from '../api/linked.ts';
import { consolesHandlers } from '../api/consoles.ts';
import { serverLicencesHandlers } from '../api/server-licences.ts';
import { serverBackupsHandlers } from '../api/server-backups.ts';
import { serverFilesHandlers } from '../api/server-files.ts';
import { subusersHandlers } from '#server/api/subusers.ts';
import { serverSchedulesHandlers } from '../api/server-schedules.ts';
import { serversHandlers } from '../api/servers.ts';
import { sessionHandlers } from '../api/session.ts';
import { supportPinHandlers } from '../api/support-pin.ts';
import { ssoHandlers, ssoTestHandlers } from '../api/sso.ts';
import { imageReportsHandlers } from '../api/image-reports.ts';
import { storedZip, storedZipBytes } from '../stored-zip.ts';
import { adminImagesHandlers } from '../api/admin/images.ts';
import { imagesHandlers } from '../api/images.ts';
import { storeHandlers } from '../api/store.ts';
import { debugInfo } from '../api/debug-info.ts';
import { ticketsHandlers } from '../api/tickets.ts';
import { ticketReportsHandlers } from '../api/admin/ticket-reports.ts';
import { staffTicketsHandlers } from '../api/admin/tickets.ts';
import { systemHandlers } from '../api/system.ts';
import { adminViewingHandlers, viewingHandlers } from '../api/viewing.ts';
import type { Config } from '../env.ts';
import type { ApiDeps } from '../http/implement.ts';
import { picturesIn } from '#shared/picture-url.ts';
import { renderArticle, renderMarkdown, renderMessage } from '../markdown.ts';
import { trustedProxies } from '../reach.ts';
import { VERSION } from '../version.ts';
import { environmentOf, overridesOf } from './environment.ts';
import type { Services } from './services.ts';

/** Images of users, reports of them, and the library of the host. In: where images are shown to others. */
const imageHandlers = (services: Services, imageUrl: Config['imageUrl'] | undefined) => ({
  imageReports: imageReportsHandlers(services),
  adminImageReports: staffImageReportsHandlers(services),
  adminImages: adminImagesHandlers(services),
  images: imagesHandlers({ ...services, imageUrl, archive: { write: storedZip, bytes: storedZipBytes } }),
});

/** Announcements, whose texts show pictures of the installation. */
function announcementHandlers(services: Services) {
  const article = async (source: string): Promise<string> =>
    renderArticle(source, await services.pictures.sizesOf(picturesIn(source)));
  const deps = { ...services, renderArticle: article };
  return {
    announcements: announcementsHandlers(deps),
    news: newsHandlers(deps),
    adminAnnouncements: staffAnnouncementsHandlers(deps),
  };
}

/** Webhooks and plugins, for staff and for those who use them. */
function extensionHandlers(services: Services) {
  return {
    adminWebhooks: webhooksHandlers(services),
    webhookEvents: webhookEventsHandlers(services),
    adminPlugins: pluginsHandlers(services),
    adminDiscordRoles: discordRolesHandlers(services),
    pluginEndpoints: pluginEndpointsHandlers(services),
    statusPage: statusPageHandlers(services),
  };
}

/** The handlers of the whole contract, over the services. `build`: id of the build that pages belong to. */
export function composeHandlers(
  services: Services,
  config: Partial<Config> & Pick<Config, 'logLevel'>,
  build: string,
): ApiDeps['handlers'] {
  const machine = {
    version: VERSION,
    os: `${type()} ${arch()}`,
    kernel: release(),
    debug: config.logLevel === 'debug',
    redis: Boolean(config.redisUrl),
  };
  return {
    session: sessionHandlers(services),
    auth: authHandlers(services),
    twoFactor: twoFactorHandlers(services),
    passkeys: passkeyHandlers(services),
    system: systemHandlers({
      ...services,
      debug: (staff) => debugInfo(machine, staff),
      build,
      version: VERSION,
      hash: services.ids.hash,
      markdown: renderMarkdown,
    }),
    account: accountHandlers(services),
    apiTokens: apiTokensHandlers(services),
    accountActivity: accountActivityHandlers(services),
    accountDeletion: accountDeletionHandlers(services),
    accountExport: accountExportHandlers(services),
    accountEmail: accountEmailHandlers(services),
    notifications: notificationsHandlers(services),
    live: liveHandlers(services),
    dashboard: dashboardHandlers(services),
    ...ownServerHandlers(services),
    ...sourceHandlers(services),
    heldRewards: heldRewardsHandlers(services),
    adminHeldRewards: heldRewardsAdminHandlers(services),
    challenge: challengeHandlers(services),
    adCheck: adCheckHandlers(services),
    referrals: referralsHandlers(services),
    linked: linkedHandlers(services),
    sso: ssoHandlers(services),
    adminSsoTest: ssoTestHandlers(services),
    store: storeHandlers(services),
    ...imageHandlers(services, config.imageUrl),
    ...paymentHandlers(services),
    leaderboard: leaderboardHandlers(services),
    profiles: profilesHandlers(services),
    gifts: giftsHandlers(services),
    tickets: ticketsHandlers({ ...services, renderMessage }),
    adminTicketReports: ticketReportsHandlers(services),
    adminTickets: staffTicketsHandlers({ ...services, renderMessage }),
    ...announcementHandlers(services),
    ticketMail: ticketMailHandlers(services),
    redirectLinks: redirectLinksHandlers(services),
    adminRedirectLinkDays: redirectLinkDaysHandlers(services),
    ...adminHandlers(services),
    adminPanels: panelsHandlers(services),
    panelAccount: panelAccountHandlers(services),
    adminServers: staffServersHandlers(services),
    adminServerQueue: serverQueueHandlers(services),
    adminRoles: rolesHandlers(services),
    adminPermissions: permissionsHandlers(services),
    adminMailTemplates: mailTemplatesHandlers(services),
    adminOwnMails: ownMailsHandlers(services),
    mailKinds: mailKindsHandlers(services),
    adminMails: mailsHandlers(services),
    adminSettings: settingsHandlers({
      ...services,
      environment: environmentOf(config),
      overrides: overridesOf(config),
      proxiesWith: (setting) => trustedProxies(config, setting),
      markdown: renderMarkdown,
    }),
    adminPictures: picturesHandlers(services),
    ...extensionHandlers(services),
    adminSetup: setupGuideHandlers(services),
    adminUsers: usersHandlers(services),
    adminAccounts: accountsHandlers(services),
    adminUserBulk: userBulkHandlers(services),
    adminUserDetails: userDetailsHandlers(services),
    supportPin: supportPinHandlers(services),
    adminViewing: adminViewingHandlers(services),
    viewing: viewingHandlers(services),
    adminEconomy: economyHandlers(services),
    adminAttention: attentionHandlers(services),
    adminUpdates: updatesHandlers(services),
    adminSearch: searchHandlers(services),
    adminHealth: healthHandlers(services),
    adminMachine: machineHandlers(services),
    adminEggFiles: eggFilesHandlers(services),
    adminLogs: logsHandlers(services),
    adminAudit: auditHandlers(services),
    adminBackups: backupsHandlers(services),
    adminImports: importsHandlers(services),
  };
}

/** What players do with their servers. */
const ownServerHandlers = (services: Services) => ({
  servers: serversHandlers(services),
  consoles: consolesHandlers(services),
  serverBackups: serverBackupsHandlers(services),
  serverLicences: serverLicencesHandlers(services),
  serverFiles: serverFilesHandlers(services),
  subusers: subusersHandlers(services),
  serverSchedules: serverSchedulesHandlers(services),
});
