import { announcements } from './0073_announcements.ts';
import { core } from './0001_core.ts';
import { accounts } from './0002_accounts.ts';
import { earning } from './0003_earning.ts';
import { servers } from './0004_servers.ts';
import { panel } from './0005_panel.ts';
import { pictures } from './0061_pictures.ts';
import { imageReports } from './0077_image_reports.ts';
import { plugins } from './0088_plugins.ts';
import { pluginPackages } from './0089_plugin_packages.ts';
import { images } from './0075_images.ts';
import { webhooksPlugin } from './0093_webhooks_plugin.ts';
import { discordChannels } from './0094_discord_channels.ts';
import { imports } from './0090_imports.ts';
import { categoryPictures } from './0098_category_pictures.ts';
import { webhookRequestJobs } from './0101_webhook_request_jobs.ts';
import { pluginCursors } from './0186_plugin_cursors.ts';
import { pluginGrantor } from './0110_plugin_grantor.ts';
import { panelAccountsAccount } from './0145_panel_accounts_account.ts';
import { serverSubusers } from './0176_server_subusers.ts';
import { ledgerAccruals } from './0170_ledger_accruals.ts';
import { serverUsage } from './0191_server_usage.ts';
import { auditRetention } from './0125_audit_retention.ts';
import { discordRoles } from './0140_discord_roles.ts';
import { serverSchedules } from './0171_server_schedules.ts';
import { builtInNode } from './0100_built_in_node.ts';
import { libraryImages } from './0076_library_images.ts';
import { announcementWays } from './0079_announcement_ways.ts';
import { libraryPictures } from './0078_library_pictures.ts';
import { bouncedMails } from './0065_bounced_mails.ts';
import { storeItems } from './0006_store_items.ts';
import { adminLists } from './0007_admin_lists.ts';
import { userSkins } from './0008_user_skins.ts';
import { discord } from './0009_discord.ts';
import { referrals } from './0010_referrals.ts';
import { links } from './0011_links.ts';
import { abuse } from './0012_abuse.ts';
import { payments } from './0013_payments.ts';
import { community } from './0014_community.ts';
import { economy } from './0015_economy.ts';
import { passwordResets } from './0016_password_resets.ts';
import { twoFactor } from './0017_two_factor.ts';
import { moneyReview } from './0019_money_review.ts';
import { notificationsIndex } from './0020_notifications_index.ts';
import { panels } from './0021_panels.ts';
import { pendingAccounts } from './0022_accounts.ts';
import { panelAccounts } from './0023_panel_accounts.ts';
import { paymentRights } from './0024_payment_rights.ts';
import { panelOutages } from './0025_panel_outages.ts';
import { rules } from './0026_rules.ts';
import { noStatistics } from './0027_no_statistics.ts';
import { installation } from './0028_installation.ts';
import { ledgerFaults } from './0031_ledger_faults.ts';
import { serverWords } from './0032_server_words.ts';
import { oneQueue } from './0033_one_queue.ts';
import { earningSources } from './0035_earning_sources.ts';
import { queueWords } from './0036_queue_words.ts';
import { paymentChecks } from './0037_payment_checks.ts';
import { paymentEventContent } from './0038_payment_event_content.ts';
import { passkeys } from './0042_passkeys.ts';
import { users } from './0041_users.ts';
import { sso } from './0043_sso.ts';
import { roleKeys } from './0039_role_keys.ts';
import { apiTokens } from './0044_api_tokens.ts';
import { ownAccount } from './0045_own_account.ts';
import { earlySupporters } from './0049_early_supporters.ts';
import { earnedByDay } from './0063_earned_by_day.ts';
import { settingRevisions } from './0053_setting_revisions.ts';
import { health } from './0055_health.ts';
import { userList } from './0047_user_list.ts';
import { viewing } from './0048_viewing.ts';
import { staffDeletion } from './0046_staff_deletion.ts';
import { setupGuide } from './0060_setup_guide.ts';
import { updateFeed } from './0064_update_feed.ts';
import { mailOutcomes } from './0057_mail_outcomes.ts';
import { mailTexts } from './0058_mail_texts.ts';
import { ownMails } from './0058_own_mails.ts';
import { sessionBinding } from './0052_session_binding.ts';
import { attention } from './0059_attention.ts';
import { search } from './0059_search.ts';
import { tickets } from './0067_tickets.ts';
import { ticketMail } from './0072_ticket_mail.ts';
import { ticketTalk } from './0070_ticket_talk.ts';
import { notificationWays } from './0074_notification_ways.ts';
import { ticketInbox } from './0071_ticket_inbox.ts';
import { ticketReportDays } from './0080_ticket_report_days.ts';
import { ticketReports } from './0071_ticket_reports.ts';
import { ticketSearch } from './0071_ticket_search.ts';
import { timeZone } from './0054_time_zone.ts';
import { userBulk } from './0054_user_bulk.ts';
import { badge } from './0066_badge.ts';
import { userTraits } from './0066_user_traits.ts';
import { AREA_TABLES } from './areas.ts';
import type { Migration } from './migration.ts';
import { webhooks } from './0086_webhooks.ts';
import { configFiles } from './0201_config_files.ts';
import { eggContainers } from './0217_egg_containers.ts';
import { primaryPort } from './0206_primary_port.ts';
import { eventsByStaff } from './0207_events_by_staff.ts';
import { clawedBack } from './0208_clawed_back.ts';
import { customerOfReceipts } from './0209_customer_of_receipts.ts';
import { deliveriesSentAgain } from './0210_deliveries_sent_again.ts';
import { importedPaymentsByTime } from './0211_imported_payments_by_time.ts';
import { scheduleLeases } from './0216_schedule_leases.ts';
import { deletedServersByLocation } from './0219_deleted_servers_by_location.ts';
import { frozenBalances } from './0220_frozen_balances.ts';
import { shardedSums } from './0221_sharded_sums.ts';
import { suspendedServers } from './0222_suspended_servers.ts';
import { ledgerArchive } from './0218_ledger_archive.ts';
import { serverLicence } from './0181_server_licence.ts';

/** All migrations in order. Imported by name, so that the binary holds them. */
export const MIGRATIONS: readonly Migration[] = [
  core,
  accounts,
  earning,
  servers,
  panel,
  storeItems,
  adminLists,
  userSkins,
  discord,
  referrals,
  links,
  abuse,
  payments,
  community,
  economy,
  passwordResets,
  twoFactor,
  moneyReview,
  notificationsIndex,
  panels,
  pendingAccounts,
  panelAccounts,
  paymentRights,
  panelOutages,
  rules,
  noStatistics,
  installation,
  ledgerFaults,
  serverWords,
  oneQueue,
  earningSources,
  queueWords,
  paymentChecks,
  paymentEventContent,
  passkeys,
  users,
  sso,
  roleKeys,
  apiTokens,
  ownAccount,
  earlySupporters,
  settingRevisions,
  health,
  userList,
  viewing,
  sessionBinding,
  timeZone,
  userBulk,
  staffDeletion,
  pictures,
  images,
  imageReports,
  plugins,
  pluginPackages,
  libraryImages,
  libraryPictures,
  announcementWays,
  setupGuide,
  updateFeed,
  attention,
  search,
  mailOutcomes,
  mailTexts,
  ownMails,
  tickets,
  ticketMail,
  badge,
  userTraits,
  earnedByDay,
  bouncedMails,
  ticketTalk,
  announcements,
  notificationWays,
  ticketInbox,
  ticketSearch,
  ticketReports,
  ticketReportDays,
  webhooks,
  webhooksPlugin,
  discordChannels,
  imports,
  categoryPictures,
  builtInNode,
  webhookRequestJobs,
  pluginGrantor,
  panelAccountsAccount,
  ledgerAccruals,
  auditRetention,
  discordRoles,
  serverLicence,
  pluginCursors,
  serverSubusers,
  serverSchedules,
  serverUsage,
  configFiles,
  primaryPort,
  eventsByStaff,
  clawedBack,
  customerOfReceipts,
  deliveriesSentAgain,
  importedPaymentsByTime,
  scheduleLeases,
  eggContainers,
  deletedServersByLocation,
  frozenBalances,
  shardedSums,
  suspendedServers,
  ledgerArchive,
  ...AREA_TABLES,
].toSorted((a, b) => (a.name < b.name ? -1 : 1));
