import type { Ceiling } from '../ceilings.ts';
import type { FeatureSwitch } from '../earning-sources.ts';
import type { Guard } from '../guard.ts';
import type { Namespace } from '../i18n/namespaces.ts';
import { AREA_ROUTES } from './area-routes.ts';

/**
 * How a page is framed: `auth` two columns with the map, `app` the shell, `admin` the shell with staff navigation,
 * `plain` nothing.
 */
export type Layout = 'auth' | 'app' | 'admin' | 'plain';
export type NavGroup =
  'play' | 'earn' | 'spend' | 'community' | 'overview' | 'hosting' | 'people' | 'economy' | 'content' | 'system';

export interface RouteRow {
  /** Pattern with `:name` parameters; `/*` at its end: whatever follows. */
  readonly path: string;
  readonly guard: Guard;
  readonly layout: Layout;
  /** Key in the namespace `shell`: document title and breadcrumb. */
  readonly title: string;
  /** Locale namespaces the page needs besides ui, errors and shell. */
  readonly texts: readonly Namespace[];
  readonly flag?: FeatureSwitch;
  /**
   * Reached only from another page, with parameters in the address: a callback, or a page for one item. Not listed as a
   * destination.
   */
  readonly technical?: true;
  /** The ceiling of a form sent to it without scripts; `command` if absent. */
  readonly ceiling?: Ceiling;
  /** Place in the navigation; absent: not listed. `icon` is a name of the icon registry. */
  readonly nav?: { readonly group: NavGroup; readonly order: number; readonly icon: string };
}

/** Every route that exists, declared once: paths, guards, layouts, titles, navigation (specification, section 2). */
export const ROUTES = {
  'auth.login': {
    path: '/auth/login',
    guard: 'guest-only',
    layout: 'auth',
    title: 'title.login',
    texts: ['auth', 'passkeys'],
  },
  'auth.register': {
    path: '/auth/register',
    guard: 'guest-only',
    layout: 'auth',
    title: 'title.register',
    texts: ['auth', 'referrals'],
  },
  'auth.logout': { path: '/auth/logout', guard: 'open', layout: 'auth', title: 'title.logout', texts: ['auth'] },
  'auth.verify': { path: '/auth/verify', guard: 'open', layout: 'auth', title: 'title.verify', texts: ['auth'] },
  'auth.factor': {
    path: '/auth/2fa/verify',
    guard: 'guest-only',
    layout: 'auth',
    title: 'title.factor',
    texts: ['auth', 'twoFactor', 'passkeys'],
  },
  'auth.factorSetup': {
    path: '/auth/2fa/setup',
    guard: 'signed-in',
    layout: 'auth',
    title: 'title.factorSetup',
    texts: ['auth', 'twoFactor', 'passkeys'],
  },
  'auth.factorCancel': {
    path: '/auth/2fa/setup/disband',
    guard: 'signed-in',
    layout: 'auth',
    title: 'title.factorSetup',
    texts: ['auth', 'twoFactor'],
  },
  'auth.forgot': {
    path: '/auth/forgot-password',
    guard: 'guest-only',
    layout: 'auth',
    title: 'title.forgotPassword',
    texts: ['auth', 'passwordReset'],
  },
  'auth.reset': {
    path: '/auth/reset-password',
    guard: 'guest-only',
    layout: 'auth',
    title: 'title.resetPassword',
    texts: ['auth', 'passwordReset'],
  },
  'auth.sso': {
    path: '/auth/sso',
    guard: 'guest-only',
    layout: 'auth',
    title: 'title.sso',
    texts: ['auth', 'passwordReset'],
  },
  terms: { path: '/terms-of-service', guard: 'open', layout: 'plain', title: 'title.terms', texts: ['system'] },
  privacy: { path: '/privacy-policy', guard: 'open', layout: 'plain', title: 'title.privacy', texts: ['system'] },
  'errors.403': { path: '/errors/403', guard: 'open', layout: 'plain', title: 'title.forbidden', texts: ['system'] },
  'errors.500': { path: '/errors/500', guard: 'open', layout: 'plain', title: 'title.serverError', texts: ['system'] },
  ws: { path: '/ws', guard: 'signed-in', layout: 'plain', title: 'title.lostConnection', texts: ['connection'] },
  plugin: { path: '/plugin/:id/*', guard: 'signed-in', layout: 'app', title: 'title.plugin', texts: ['system'] },
  dashboard: {
    path: '/dashboard',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.dashboard',
    texts: ['dashboard', 'servers', 'account', 'sources'],
    nav: { group: 'play', order: 1, icon: 'home' },
  },
  'server.create': {
    path: '/server/create',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.serverCreate',
    texts: ['servers', 'live'],
    flag: 'allow_servers',
    nav: { group: 'play', order: 2, icon: 'plus' },
  },
  'server.view': {
    path: '/server/:id',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.server',
    texts: ['servers', 'live'],
  },
  'server.update': {
    path: '/server/:id/update',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.serverUpdate',
    texts: ['servers', 'live'],
  },
  'server.renew': {
    path: '/server/:id/renew',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.serverRenew',
    texts: ['servers'],
    flag: 'server_renew_enabled',
  },
  'server.delete': {
    path: '/server/:id/delete',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.serverDelete',
    texts: ['servers'],
  },
  'earn.afk': {
    path: '/earn/afk',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.afk',
    texts: ['earn', 'sources'],
    flag: 'afk_enabled',
    nav: { group: 'earn', order: 1, icon: 'clock' },
  },
  'earn.redeem': {
    path: '/earn/redeem',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.redeem',
    texts: ['earn', 'sources'],
    flag: 'code_redemption_enabled',
    nav: { group: 'earn', order: 2, icon: 'ticket' },
  },
  'earn.j4r': {
    path: '/earn/j4r',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.j4r',
    texts: ['j4r', 'sources'],
    flag: 'j4r_enabled',
    nav: { group: 'earn', order: 3, icon: 'users' },
  },
  'earn.referrals': {
    path: '/earn/referrals',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.referrals',
    texts: ['referrals', 'sources'],
    flag: 'referrals_enabled',
    nav: { group: 'earn', order: 4, icon: 'user-plus' },
  },
  'earn.links': {
    path: '/earn/links',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.links',
    texts: ['links', 'sources'],
    flag: 'links_enabled',
    nav: { group: 'earn', order: 5, icon: 'link' },
  },
  'earn.links.return': {
    path: '/earn/links/return',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.linksReturn',
    texts: ['links'],
    flag: 'links_enabled',
    technical: true,
  },
  store: {
    path: '/store',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.store',
    texts: ['store'],
    flag: 'store_enabled',
    nav: { group: 'spend', order: 1, icon: 'store' },
  },
  'store.addCredits': {
    path: '/store/add-credits',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.addCredits',
    texts: ['payments'],
    flag: 'credits_recharge_enabled',
    nav: { group: 'spend', order: 2, icon: 'credit-card' },
  },
  'store.order': {
    path: '/store/orders/:id',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.order',
    texts: ['payments'],
  },
  'store.receipt': {
    path: '/store/orders/:id/receipt',
    guard: 'signed-in',
    layout: 'plain',
    title: 'title.receipt',
    texts: ['payments'],
  },
  leaderboard: {
    path: '/leaderboard',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.leaderboard',
    texts: ['community'],
    flag: 'leaderboard_enabled',
    nav: { group: 'community', order: 1, icon: 'trophy' },
  },
  lookup: {
    path: '/lookup',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.lookup',
    texts: ['community'],
    flag: 'allow_public_profiles',
    nav: { group: 'community', order: 2, icon: 'search' },
  },
  profile: {
    path: '/profile/:id',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.profile',
    texts: ['community'],
    flag: 'allow_public_profiles',
  },
  'profile.gift': {
    path: '/profile/:id/gift-coins',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.gift',
    texts: ['community'],
    flag: 'allow_coins_sharing',
  },
  account: {
    path: '/account',
    guard: 'signed-in',
    layout: 'app',
    title: 'title.account',
    texts: [
      'account',
      'passkeys',
      'sources',
      'heldRewards',
      'linkedAccounts',
      'apiTokens',
      'payments',
      'statement',
      'community',
    ],
  },
  'account.discord': {
    path: '/account/linked/discord',
    guard: 'signed-in',
    layout: 'plain',
    title: 'title.linkDiscord',
    texts: ['linkedAccounts'],
  },
  'admin.dashboard': {
    path: '/mc-admin',
    guard: 'admin.dashboard.view',
    layout: 'admin',
    title: 'title.adminDashboard',
    texts: ['admin'],
    nav: { group: 'overview', order: 1, icon: 'overview' },
  },
  'admin.panels.list': {
    path: '/mc-admin/panels',
    guard: 'admin.panels.list',
    layout: 'admin',
    title: 'title.panels.list',
    texts: ['panels'],
    nav: { group: 'hosting', order: 2, icon: 'plug' },
  },
  'admin.panels.create': {
    path: '/mc-admin/panels/create',
    guard: 'admin.panels.create',
    layout: 'admin',
    title: 'title.panels.create',
    texts: ['panels'],
  },
  'admin.panels.edit': {
    path: '/mc-admin/panels/:id/edit',
    guard: 'admin.panels.edit',
    layout: 'admin',
    title: 'title.panels.edit',
    texts: ['panels'],
  },
  'admin.panels.delete': {
    path: '/mc-admin/panels/:id/delete',
    guard: 'admin.panels.delete',
    layout: 'admin',
    title: 'title.panels.delete',
    texts: ['panels'],
  },
  'admin.panels.sync': {
    path: '/mc-admin/panels/:id/sync',
    guard: 'admin.panels.edit',
    layout: 'admin',
    title: 'title.panels.sync',
    texts: ['panels'],
  },
  'admin.servers.list': {
    path: '/mc-admin/servers',
    guard: 'admin.servers.list',
    layout: 'admin',
    title: 'title.servers.list',
    texts: ['staffServers'],
    nav: { group: 'hosting', order: 0, icon: 'server' },
  },
  'admin.servers.drift': {
    path: '/mc-admin/servers/drift',
    guard: 'admin.servers.list',
    layout: 'admin',
    title: 'title.servers.drift',
    texts: ['staffServers'],
  },
  'admin.servers.deleteOrphan': {
    path: '/mc-admin/servers/drift/delete',
    guard: 'admin.servers.delete',
    layout: 'admin',
    title: 'title.servers.deleteOrphan',
    texts: ['staffServers'],
    technical: true,
  },
  'admin.servers.adopt': {
    path: '/mc-admin/servers/adopt',
    guard: 'admin.servers.edit',
    layout: 'admin',
    title: 'title.servers.adopt',
    texts: ['staffServers'],
    technical: true,
  },
  'admin.servers.view': {
    path: '/mc-admin/servers/:id',
    guard: 'admin.servers.list',
    layout: 'admin',
    title: 'title.servers.view',
    texts: ['staffServers', 'servers'],
  },
  'admin.serverQueue.list': {
    path: '/mc-admin/server-queue',
    guard: 'admin.server.queue.list',
    layout: 'admin',
    title: 'title.serverQueue.list',
    texts: ['staffServers'],
    nav: { group: 'hosting', order: 1, icon: 'hourglass' },
  },
  'admin.serverQueue.new': {
    path: '/mc-admin/server-queue/create',
    guard: 'admin.server.queue.create',
    layout: 'admin',
    title: 'title.serverQueue.create',
    texts: ['staffServers'],
  },
  'admin.serverQueue.logs': {
    path: '/mc-admin/server-queue/logs',
    guard: 'admin.server.queue.logs.view',
    layout: 'admin',
    title: 'title.serverQueue.logs',
    texts: ['staffServers', 'servers'],
  },
  'admin.serverQueue.view': {
    path: '/mc-admin/server-queue/:id',
    guard: 'admin.server.queue.view',
    layout: 'admin',
    title: 'title.serverQueue.view',
    texts: ['staffServers', 'servers'],
  },
  'admin.serverQueue.delete': {
    path: '/mc-admin/server-queue/:id/delete',
    guard: 'admin.server.queue.delete',
    layout: 'admin',
    title: 'title.serverQueue.delete',
    texts: ['staffServers'],
  },
  ...AREA_ROUTES,
  'admin.users.list': {
    path: '/mc-admin/users',
    guard: 'admin.users.list',
    layout: 'admin',
    title: 'title.users.list',
    texts: ['users'],
    nav: { group: 'people', order: 1, icon: 'users' },
  },
  'admin.users.edit': {
    path: '/mc-admin/users/:id/edit',
    guard: 'admin.users.edit',
    layout: 'admin',
    title: 'title.users.edit',
    texts: ['users', 'account', 'sources', 'statement', 'store'],
  },
  'admin.roles.list': {
    path: '/mc-admin/roles',
    guard: 'admin.roles.list',
    layout: 'admin',
    title: 'title.roles.list',
    texts: ['roles'],
    nav: { group: 'people', order: 2, icon: 'id-card' },
  },
  'admin.roles.create': {
    path: '/mc-admin/roles/create',
    guard: 'admin.roles.create',
    layout: 'admin',
    title: 'title.roles.create',
    texts: ['roles'],
  },
  'admin.roles.edit': {
    path: '/mc-admin/roles/:id/edit',
    guard: 'admin.roles.edit',
    layout: 'admin',
    title: 'title.roles.edit',
    texts: ['roles'],
  },
  'admin.roles.delete': {
    path: '/mc-admin/roles/:id/delete',
    guard: 'admin.roles.delete',
    layout: 'admin',
    title: 'title.roles.delete',
    texts: ['roles'],
  },
  'admin.roles.permissions': {
    path: '/mc-admin/roles/:id/permissions',
    guard: 'admin.permissions.list',
    layout: 'admin',
    title: 'title.roles.permissions',
    texts: ['roles', 'permissions'],
  },
  'admin.economy': {
    path: '/mc-admin/economy',
    guard: 'admin.economy.view',
    layout: 'admin',
    title: 'title.economy',
    texts: ['economy', 'sources'],
    nav: { group: 'economy', order: 0, icon: 'activity' },
  },
  'admin.redeemCodes.batch': {
    path: '/mc-admin/redeem-codes/batch',
    guard: 'admin.redeem.codes.create',
    layout: 'admin',
    title: 'title.redeemCodes.batch',
    texts: ['economy'],
  },
  'admin.heldRewards': {
    path: '/mc-admin/held-rewards',
    guard: 'admin.rewards.held.list',
    layout: 'admin',
    title: 'title.heldRewards',
    texts: ['staffHeldRewards', 'sources'],
    nav: { group: 'economy', order: 3, icon: 'shield' },
  },
  'admin.payments.list': {
    path: '/mc-admin/payments',
    guard: 'admin.payments.list',
    layout: 'admin',
    title: 'title.payments',
    texts: ['admin', 'payments'],
    nav: { group: 'economy', order: 10, icon: 'receipt' },
  },
  'admin.payments.unknown': {
    path: '/mc-admin/payments/unknown/:id',
    guard: 'admin.payments.edit',
    layout: 'admin',
    title: 'title.unknownPayment',
    texts: ['admin', 'payments'],
  },
  'admin.payments.view': {
    path: '/mc-admin/payments/:id',
    guard: 'admin.payments.view',
    layout: 'admin',
    title: 'title.payment',
    texts: ['admin', 'payments'],
  },
} as const satisfies Record<string, RouteRow>;

export type RouteId = keyof typeof ROUTES;

/** All routes as a list of id and row, in table order. */
export const ROUTE_LIST: readonly (RouteRow & { readonly id: RouteId })[] = Object.entries(ROUTES).map(([id, row]) => ({
  ...(row as RouteRow),
  id: id as RouteId,
}));
