import type { Flag } from '../flags.ts';
import type { Guard } from '../guard.ts';
import type { Namespace } from '../i18n/namespaces.ts';
import { crudRoutes } from './crud-routes.ts';

/** How a page is framed: `auth` two columns with the map, `app` the shell, `admin` the shell with staff navigation, `plain` nothing. */
export type Layout = 'auth' | 'app' | 'admin' | 'plain';
export type NavGroup = 'play' | 'earn' | 'spend' | 'community' | 'overview' | 'hosting' | 'people' | 'economy' | 'content' | 'system';

export interface RouteRow {
  /** Pattern with `:name` parameters; `/*` at its end: whatever follows. */
  readonly path: string;
  readonly guard: Guard;
  readonly layout: Layout;
  /** Key in the namespace `shell`: document title and breadcrumb. */
  readonly title: string;
  /** Locale namespaces the page needs besides common, ui, errors and shell. */
  readonly texts: readonly Namespace[];
  readonly flag?: Flag;
  /** Place in the navigation; absent: not listed. `icon` is a name of the icon registry. */
  readonly nav?: { readonly group: NavGroup; readonly order: number; readonly icon: string };
}

/** Every route that exists, declared once: paths, guards, layouts, titles, navigation (specification, section 2). */
export const ROUTES = {
  'auth.login': { path: '/auth/login', guard: 'guest-only', layout: 'auth', title: 'title.login', texts: ['auth'] },
  'auth.register': { path: '/auth/register', guard: 'guest-only', layout: 'auth', title: 'title.register', texts: ['auth'] },
  'auth.logout': { path: '/auth/logout', guard: 'open', layout: 'auth', title: 'title.logout', texts: ['auth'] },
  'auth.verify': { path: '/auth/verify', guard: 'open', layout: 'auth', title: 'title.verify', texts: ['auth'] },
  'auth.factor': { path: '/auth/2fa/verify', guard: 'guest-only', layout: 'auth', title: 'title.factor', texts: ['auth', 'factor'] },
  'auth.factorSetup': { path: '/auth/2fa/setup', guard: 'signed-in', layout: 'auth', title: 'title.factorSetup', texts: ['auth', 'factor'] },
  'auth.factorCancel': { path: '/auth/2fa/setup/disband', guard: 'signed-in', layout: 'auth', title: 'title.factorSetup', texts: ['auth', 'factor'] },
  'auth.forgot': { path: '/auth/forgot-password', guard: 'guest-only', layout: 'auth', title: 'title.forgotPassword', texts: ['auth', 'recover'] },
  'auth.reset': { path: '/auth/reset-password', guard: 'guest-only', layout: 'auth', title: 'title.resetPassword', texts: ['auth', 'recover'] },
  'auth.sso': { path: '/auth/sso', guard: 'guest-only', layout: 'auth', title: 'title.sso', texts: ['auth', 'recover'] },
  'terms': { path: '/terms-of-service', guard: 'open', layout: 'plain', title: 'title.terms', texts: ['system'] },
  'privacy': { path: '/privacy-policy', guard: 'open', layout: 'plain', title: 'title.privacy', texts: ['system'] },
  'errors.403': { path: '/errors/403', guard: 'open', layout: 'plain', title: 'title.forbidden', texts: ['system'] },
  'errors.500': { path: '/errors/500', guard: 'open', layout: 'plain', title: 'title.serverError', texts: ['system'] },
  'ws': { path: '/ws', guard: 'signed-in', layout: 'plain', title: 'title.lostConnection', texts: ['connection'] },
  'plugin': { path: '/plugin/:id/*', guard: 'signed-in', layout: 'app', title: 'title.plugin', texts: ['system'] },
  'dashboard': {
    path: '/dashboard', guard: 'signed-in', layout: 'app', title: 'title.dashboard', texts: ['dashboard', 'servers', 'account'],
    nav: { group: 'play', order: 1, icon: 'home' },
  },
  'server.create': {
    path: '/server/create', guard: 'signed-in', layout: 'app', title: 'title.serverCreate', texts: ['servers'],
    flag: 'allow_servers', nav: { group: 'play', order: 2, icon: 'plus' },
  },
  'server.view': { path: '/server/:id', guard: 'signed-in', layout: 'app', title: 'title.server', texts: ['servers'] },
  'server.update': { path: '/server/:id/update', guard: 'signed-in', layout: 'app', title: 'title.serverUpdate', texts: ['servers'] },
  'server.renew': {
    path: '/server/:id/renew', guard: 'signed-in', layout: 'app', title: 'title.serverRenew', texts: ['servers'], flag: 'server_renew_enabled',
  },
  'server.delete': { path: '/server/:id/delete', guard: 'signed-in', layout: 'app', title: 'title.serverDelete', texts: ['servers'] },
  'earn.afk': {
    path: '/earn/afk', guard: 'signed-in', layout: 'app', title: 'title.afk', texts: ['earn'],
    flag: 'afk_enabled', nav: { group: 'earn', order: 1, icon: 'clock' },
  },
  'earn.redeem': {
    path: '/earn/redeem', guard: 'signed-in', layout: 'app', title: 'title.redeem', texts: ['earn'],
    flag: 'code_redemption_enabled', nav: { group: 'earn', order: 2, icon: 'ticket' },
  },
  'store': {
    path: '/store', guard: 'signed-in', layout: 'app', title: 'title.store', texts: ['store'],
    flag: 'store_enabled', nav: { group: 'spend', order: 1, icon: 'store' },
  },
  'account': { path: '/account', guard: 'signed-in', layout: 'app', title: 'title.account', texts: ['account'] },
  'admin.dashboard': {
    path: '/mc-admin', guard: 'admin.dashboard.view', layout: 'admin', title: 'title.adminDashboard', texts: ['admin'],
    nav: { group: 'overview', order: 1, icon: 'overview' },
  },
  ...crudRoutes('locations', '/mc-admin/locations', 'admin.locations', { group: 'hosting', order: 3, icon: 'pin' }),
  ...crudRoutes('eggCategories', '/mc-admin/egg-categories', 'admin.nests', { group: 'hosting', order: 4, icon: 'layers' }),
  ...crudRoutes('eggs', '/mc-admin/eggs', 'admin.egg', { group: 'hosting', order: 5, icon: 'egg' }),
  ...crudRoutes('redeemCodes', '/mc-admin/redeem-codes', 'admin.redeem.codes', { group: 'economy', order: 1, icon: 'ticket' }),
} as const satisfies Record<string, RouteRow>;

export type RouteId = keyof typeof ROUTES;

/** All routes as a list of id and row, in table order. */
export const ROUTE_LIST: readonly (RouteRow & { readonly id: RouteId })[] = Object.entries(ROUTES).map(([id, row]) => ({
  ...(row as RouteRow),
  id: id as RouteId,
}));
