import type { ComponentType } from 'react';
import type { ActionFunction, LoaderFunction } from 'react-router';
import type { PageCard } from '#client/lib/page-card.ts';
import { PLAYER_ROUTE_LIST, type PlayerRouteId } from '#shared/routes/players.ts';
import type { Route } from '#shared/routes/row.ts';
import type { RouteId } from '#shared/routes/table.ts';
import { frame } from './layouts/frame.tsx';

/** A screen as its module exports it. */
export interface ScreenModule {
  readonly default: ComponentType;
  readonly loader?: LoaderFunction;
  readonly action?: ActionFunction;
  /** The subject of the page, from its loader's data: it begins the document's title. */
  readonly pageName?: PageName;
  /** What other services show of a link to the page, from its loader's data. */
  readonly pageCard?: PageCardOf;
}
/** A layout as its module exports it. Its loader may not fail: the page would go with it. */
interface LayoutModule {
  readonly default: ComponentType;
  readonly loader?: LoaderFunction;
}
/** In: the loader's data. Out: the name of the page's subject, or nothing. */
export type PageName = (data: never) => string | null | undefined;
/** In: the loader's data. Out: the card of the page; null: that of the installation. */
export type PageCardOf = (data: never) => PageCard | null;
/** What a shown page's route passes to the rest of the page. */
export interface PageHandle {
  /** Key in the namespace `shell`; absent where no route fits. */
  readonly title: string | undefined;
  readonly pageName: PageName | undefined;
  readonly pageCard: PageCardOf | undefined;
}
export type ScreenLoader = () => Promise<ScreenModule>;
/** Routes, and the screen of each. */
export interface Pages {
  readonly routes: readonly Route<RouteId>[];
  readonly screens: Readonly<Partial<Record<RouteId, ScreenLoader>>>;
}

/** Every screen of guests and players. A route without one does not compile; each is a chunk of its own. */
export const SCREENS: Readonly<Record<PlayerRouteId, ScreenLoader>> = {
  'auth.login': () => import('#client/features/auth/login.tsx'),
  'auth.register': () => import('#client/features/auth/register.tsx'),
  'auth.logout': () => import('#client/features/auth/logout.tsx'),
  'auth.verify': () => import('#client/features/auth/verify.tsx'),
  unsubscribe: () => import('#client/features/auth/unsubscribe.tsx'),
  'announcement.list': () => import('#client/features/announcements/list.tsx'),
  'announcement.view': () => import('#client/features/announcements/view.tsx'),
  'news.list': () => import('#client/features/announcements/news-list.tsx'),
  'news.view': () => import('#client/features/announcements/news-view.tsx'),
  redirectLink: () => import('#client/features/system/redirect-link.tsx'),
  'auth.email': () => import('#client/features/auth/email.tsx'),
  'auth.factor': () => import('#client/features/auth/factor.tsx'),
  'auth.factorSetup': () => import('#client/features/auth/factor-setup.tsx'),
  'auth.confirm': () => import('#client/features/account/confirm.tsx'),
  'auth.factorCancel': () => import('#client/features/auth/factor-cancel.tsx'),
  'auth.forgot': () => import('#client/features/auth/forgot.tsx'),
  'auth.reset': () => import('#client/features/auth/reset.tsx'),
  'auth.sso': () => import('#client/features/auth/sso.tsx'),
  'auth.ssoCallback': () => import('#client/features/auth/sso-callback.tsx'),
  'auth.ssoRegister': () => import('#client/features/auth/sso-register.tsx'),
  terms: () => import('#client/features/legal/terms.tsx'),
  privacy: () => import('#client/features/legal/privacy.tsx'),
  'docs.webhooks': () => import('#client/features/docs/webhooks.tsx'),
  'errors.403': () => import('#client/features/system/forbidden.tsx'),
  'errors.500': () => import('#client/features/system/server-error.tsx'),
  ws: () => import('#client/features/system/lost.tsx'),
  'viewing.end': () => import('#client/features/viewing/end.tsx'),
  statusPage: () => import('#client/features/status/screen.tsx'),
  plugin: () => import('#client/features/system/plugin-page.tsx'),
  dashboard: () => import('#client/features/dashboard/screen.tsx'),
  'server.create': () => import('#client/features/servers/create.tsx'),
  'server.view': () => import('#client/features/servers/view.tsx'),
  'server.shared': () => import('#client/features/servers/shared.tsx'),
  'server.update': () => import('#client/features/servers/update.tsx'),
  'server.renew': () => import('#client/features/servers/renew.tsx'),
  'server.delete': () => import('#client/features/servers/delete.tsx'),
  'earn.afk': () => import('#client/features/earn/afk.tsx'),
  'earn.redeem': () => import('#client/features/earn/redeem.tsx'),
  'earn.referrals': () => import('#client/features/earn/referrals.tsx'),
  'earn.links': () => import('#client/features/earn/links.tsx'),
  'earn.links.return': () => import('#client/features/earn/links-return.tsx'),
  'earn.j4r': () => import('#client/features/j4r/screen.tsx'),
  store: () => import('#client/features/store/screen.tsx'),
  images: () => import('#client/features/images/library.tsx'),
  'images.upload': () => import('#client/features/images/upload.tsx'),
  'images.config': () => import('#client/features/images/config.tsx'),
  'images.delete': () => import('#client/features/images/delete.tsx'),
  'images.view': () => import('#client/features/images/view.tsx'),
  'images.report': () => import('#client/features/images/report.tsx'),
  'images.report.state': () => import('#client/features/images/report-state.tsx'),
  'ticket.list': () => import('#client/features/tickets/list.tsx'),
  'ticket.create': () => import('#client/features/tickets/create.tsx'),
  'ticket.view': () => import('#client/features/tickets/view.tsx'),
  leaderboard: () => import('#client/features/community/leaderboard.tsx'),
  lookup: () => import('#client/features/community/lookup.tsx'),
  profile: () => import('#client/features/community/profile.tsx'),
  'profile.gift': () => import('#client/features/community/gift.tsx'),
  'account.discord': () => import('#client/features/account/discord.tsx'),
  'store.addCredits': () => import('#client/features/payments/add-credits.tsx'),
  'store.order': () => import('#client/features/payments/order.tsx'),
  'store.receipt': () => import('#client/features/payments/receipt.tsx'),
  account: () => import('#client/features/account/screen.tsx'),
  'admin.dashboard': () => import('#client/features/admin/overview/screen.tsx'),
};

/** The pages that every browser knows from the start; those of staff are in staff-routes.ts. */
export const PLAYER_PAGES: Pages = { routes: PLAYER_ROUTE_LIST, screens: SCREENS };

/** The screen of unknown addresses. */
export const NOT_FOUND_SCREEN: ScreenLoader = () => import('#client/features/system/not-found.tsx');

/** Frames, by layout name. `plain` has none. */
export const LAYOUTS: Readonly<Record<'auth' | 'app' | 'admin' | 'plain', () => Promise<LayoutModule>>> = {
  auth: async () => frame((await import('#client/features/auth/layout.tsx')).AuthLayout),
  app: () => import('./layouts/player.tsx'),
  admin: () => import('./layouts/staff.tsx'),
  plain: () => import('./layouts/plain.tsx'),
};
