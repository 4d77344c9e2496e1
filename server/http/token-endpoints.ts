import type { Contract } from '#shared/contract/index.ts';
import type { TokenArea, TokenScope } from '#shared/token-scopes.ts';

type GroupName = keyof Contract & string;
/** The name of an endpoint. */
export type EndpointName = { [G in GroupName]: `${G}.${keyof Contract[G] & string}` }[GroupName];

/**
 * The endpoints that API tokens may call, by area. Every other endpoint is closed to tokens: the security of accounts
 * (log-in, password, sessions, factors, tokens, keys, linked accounts, mails that have links to log in by, export,
 * deletion, support PIN, viewing), who may do what (roles, permissions, sign-in providers, installing and removing
 * plugins, roles in Discord), what asks who sits there a moment before or is an owner’s, streams of the browser, and
 * earning, which is for people. A name without a dot stands for all endpoints of its group.
 */
const ENDPOINTS_IN: Readonly<Record<TokenArea, readonly (EndpointName | GroupName)[]>> = {
  account: [
    'session.get',
    'account.get',
    'account.update',
    'account.statement',
    'account.statementCsv',
    'account.putSkin',
    'account.removeSkin',
    'accountActivity.activity',
    'notifications.list',
    'notifications.markAllRead',
    'notifications.markRead',
    'notifications.settings',
    'notifications.saveSettings',
    'notifications.resetSettings',
    'profiles.privacy',
    'profiles.setPrivacy',
    'mailKinds.get',
    'mailKinds.save',
    'dashboard.get',
    'heldRewards',
    'payments.mine',
    'payments.order',
    'payments.receipt',
    'payments.receiptPdf',
  ],
  servers: ['servers', 'subusers.get'],
  store: ['store', 'gifts', 'payments.offer', 'payments.create', 'payments.check', 'payments.cancel'],
  earn: ['afk.state', 'redeem.history', 'j4r.page', 'referrals.page', 'links.page'],
  tickets: ['tickets'],
  images: ['images.list', 'images.upload', 'images.deleteMany', 'images.archive', 'images.config', 'images.setEmbed'],
  community: ['leaderboard.get', 'profiles.get', 'profiles.lookup', 'account.skin', 'announcements'],
  'admin.dashboard': [
    'adminOverview',
    'adminAttention',
    'adminUpdates',
    'adminSearch',
    'adminAudit',
    'adminLogs.list',
    'adminTickets.summary',
  ],
  'admin.users': [
    'adminUsers',
    'adminAccounts.create',
    'adminAccounts.ban',
    'adminAccounts.unban',
    'adminAccounts.verify',
    'adminAccounts.notes',
    'adminAccounts.addNote',
    'adminAccounts.deleteNote',
    'adminAccounts.dependants',
    'adminAccounts.remove',
    'adminUserBulk.confirm',
    'adminUserBulk.write',
    'adminUserBulk.countAll',
    'adminUserBulk.confirmAll',
    'adminUserBulk.writeAll',
    'adminUserBulk.latestRun',
    'adminUserBulk.cancelRun',
    'adminUserDetails.signals',
    'adminUserDetails.compare',
    'adminUserDetails.updateProfile',
    'adminUserDetails.setLimits',
    'adminUserDetails.activity',
    'adminOwnMails.campaigns',
    'adminOwnMails.count',
    'adminOwnMails.send',
    'adminOwnMails.cancel',
  ],
  'admin.servers': ['adminServers'],
  'admin.server.queue': ['adminServerQueue'],
  'admin.payments': ['adminPayments'],
  'admin.economy': ['adminEconomy'],
  'admin.rewards.held': ['adminHeldRewards'],
  'admin.redeem.codes': ['adminRedeemCodes', 'adminCodeBatch', 'adminRedemptions'],
  'admin.store.items': ['adminStoreItems'],
  'admin.credit.packages': ['adminCreditPackages'],
  'admin.j4r.servers': ['adminJ4rServers'],
  'admin.locations': ['adminLocations'],
  'admin.nests': ['adminEggCategories'],
  'admin.egg': ['adminEggs'],
  'admin.tickets': ['adminTickets', 'adminTicketReports'],
  'admin.departments': ['adminDepartments'],
  'admin.canned.replies': ['adminCannedReplies'],
  'admin.announcements': ['adminAnnouncements'],
  'admin.redirect.links': ['adminRedirectLinks', 'adminRedirectLinkDays'],
  'admin.images': ['adminImages'],
  'admin.image.reports': ['adminImageReports'],
  'admin.mail.templates': ['adminMailTemplates', 'adminOwnMails'],
  'admin.mails': ['adminMails.list', 'adminMails.cancel', 'adminMails.resend', 'adminMails.resendMany'],
  'admin.settings': ['adminSettings', 'adminPictures', 'adminLogs.setLevel', 'adminMachine.stop', 'adminMachine.start'],
  'admin.panels': ['adminPanels'],
  'admin.health': ['adminHealth', 'adminMachine.get'],
  'admin.backups': ['adminBackups.list', 'adminBackups.create', 'adminBackups.verify', 'adminBackups.send'],
  'admin.plugins': [
    'adminPlugins.list',
    'adminPlugins.get',
    'adminPlugins.setOn',
    'adminPlugins.configure',
    'adminDiscordRoles.get',
    'adminDiscordRoles.check',
  ],
  'admin.webhooks': ['adminWebhooks'],
};

const AREA_OF: ReadonlyMap<string, TokenArea> = new Map(
  Object.entries(ENDPOINTS_IN).flatMap(([area, names]) => names.map((name) => [name, area as TokenArea] as const)),
);

/** The scope that a token needs for an endpoint; null: no token may call it. */
export function scopeFor({ name, method }: { readonly name: string; readonly method: string }): TokenScope | null {
  const area = AREA_OF.get(name) ?? AREA_OF.get(name.split('.')[0] ?? '');
  return area ? `${area}:${method === 'GET' ? 'read' : 'write'}` : null;
}
