import { adCheck, adminHeldRewards, challenge, heldRewards } from './abuse.ts';
import { account, live, notifications } from './account.ts';
import { apiTokens } from './api-tokens.ts';
import { accountActivity } from './account-activity.ts';
import { accountDeletion } from './account-deletion.ts';
import { accountExport } from './account-export.ts';
import { accountEmail } from './account-email.ts';
import { ADMIN_AREAS, adminOverview } from './admin.ts';
import { adminAnnouncements, announcements, news } from './announcements.ts';
import { adminAttention } from './attention.ts';
import { adminUpdates } from './updates.ts';
import { auth, session, twoFactor } from './auth.ts';
import { gifts, leaderboard, profiles } from './community.ts';
import { createClient, type Client, type Fetcher } from './client.ts';
import * as earn from './earn.ts';
import { passkeys } from './passkeys.ts';
import { adminCodeBatch, adminEconomy, adminRedemptions, adminUsers } from './economy.ts';
import { adminBackups } from './backups.ts';
import { adminImports } from './imports.ts';
import { adminHealth } from './health.ts';
import { adminMachine } from './machine.ts';
import { adminEggFiles } from './egg-files.ts';
import { adminAudit, adminLogs } from './logs.ts';
import { j4r, linked } from './discord.ts';
import type { Endpoint } from './endpoint.ts';
import { adminDiscordRoles, adminPlugins, pluginEndpoints, statusPage } from './plugins.ts';
import { adminImageReports, imageReports } from './image-reports.ts';
import { adminImages } from './admin-images.ts';
import { images } from './images.ts';
import { links } from './links.ts';
import { adminRedirectLinkDays, redirectLinks } from './redirect-links.ts';
import { referrals } from './referrals.ts';
import { serverBackups } from './server-backups.ts';
import { serverLicences } from './server-licences.ts';
import { serverFiles } from './server-files.ts';
import { serverSchedules } from './server-schedules.ts';
import { consoles } from './consoles.ts';
import { dashboard } from './dashboard.ts';
import { servers } from './servers.ts';
import { subusers } from './subusers.ts';
import { adminPayments, payments, webhooks } from './payments.ts';
import { adminPanels, panelAccount } from './panels.ts';
import { adminServerQueue, adminServers } from './staff-servers.ts';
import { adminTickets } from './staff-tickets.ts';
import { adminMailTemplates } from './mail-templates.ts';
import { adminOwnMails, mailKinds } from './own-mails.ts';
import { adminPictures } from './pictures.ts';
import { adminMails } from './mails.ts';
import { adminSearch } from './search.ts';
import { adminSettings } from './settings.ts';
import { adminSetup } from './setup-guide.ts';
import { adminUserBulk } from './user-bulk.ts';
import { adminAccounts, adminViewing, supportPin, viewing } from './staff-users.ts';
import { adminUserDetails } from './user-details.ts';
import { adminSsoTest, sso } from './sso.ts';
import { adminPermissions, adminRoles } from './roles.ts';
import { store } from './store.ts';
import { system } from './system.ts';
import { ticketMail } from './ticket-mail.ts';
import { adminTicketReports } from './ticket-reports.ts';
import { adminWebhooks, webhookEvents } from './webhooks.ts';
import { tickets } from './tickets.ts';

/** The whole hosting API. Handlers, clients, guard tests and the OpenAPI document derive from it. */
export const CONTRACT = {
  session,
  auth,
  twoFactor,
  passkeys,
  system,
  account,
  apiTokens,
  accountEmail,
  accountActivity,
  accountDeletion,
  accountExport,
  notifications,
  live,
  dashboard,
  servers,
  consoles,
  serverBackups,
  serverLicences,
  serverFiles,
  subusers,
  serverSchedules,
  ...earn,
  heldRewards,
  challenge,
  adCheck,
  adminHeldRewards,
  linked,
  sso,
  j4r,
  referrals,
  links,
  store,
  images,
  imageReports,
  adminImageReports,
  adminPlugins,
  adminDiscordRoles,
  statusPage,
  pluginEndpoints,
  adminImages,
  adminEggFiles,
  payments,
  webhooks,
  leaderboard,
  profiles,
  gifts,
  tickets,
  adminTickets,
  adminTicketReports,
  announcements,
  news,
  adminAnnouncements,
  adminWebhooks,
  webhookEvents,
  ticketMail,
  redirectLinks,
  adminRedirectLinkDays,
  adminOverview,
  adminAttention,
  adminUpdates,
  adminSearch,
  adminPanels,
  panelAccount,
  adminServers,
  adminServerQueue,
  ...ADMIN_AREAS,
  adminPayments,
  adminRoles,
  adminPermissions,
  adminMailTemplates,
  adminOwnMails,
  mailKinds,
  adminMails,
  adminSettings,
  adminPictures,
  adminSetup,
  adminUsers,
  adminAccounts,
  adminUserBulk,
  adminUserDetails,
  adminViewing,
  supportPin,
  viewing,
  adminCodeBatch,
  adminRedemptions,
  adminEconomy,
  adminHealth,
  adminMachine,
  adminLogs,
  adminAudit,
  adminBackups,
  adminImports,
  adminSsoTest,
} as const;
export type Contract = typeof CONTRACT;
export type Api = Client<Contract>;

/** The typed client of the hosting API over any fetcher (browser, in memory, remote, tests). */
export function createApi(fetcher: Fetcher, newKey: () => string): Api {
  return createClient<Contract>(CONTRACT, fetcher, newKey);
}

/** Every endpoint with its name `group.endpoint`. */
export const ENDPOINTS: readonly (Endpoint & { readonly name: string })[] = Object.entries(CONTRACT).flatMap(
  ([groupName, endpoints]) =>
    Object.entries(endpoints as Record<string, Endpoint>).map(([name, endpoint]) => ({
      ...endpoint,
      name: `${groupName}.${name}`,
    })),
);
