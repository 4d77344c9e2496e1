import type { ComponentType } from 'react';
import type { ActionFunction, LoaderFunction } from 'react-router';
import type { PageCard } from '#client/lib/page-card.ts';
import type { AnyOverrides } from '#client/resource/area.ts';
import { loadAreaScreen } from '#client/resource/screens.ts';
import type { AreaName } from '#shared/resources/index.ts';
import type { Operation } from '#shared/resources/types.ts';
import { AREA_ROUTES, type AreaRoutes } from '#shared/routes/area-routes.ts';
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

/** The overrides of admin areas. */
const OVERRIDES: Readonly<Partial<Record<string, () => Promise<AnyOverrides>>>> = {
  locations: async () => (await import('#client/features/admin/locations/overrides.tsx')).overrides,
  eggs: async () => (await import('#client/features/admin/eggs/overrides.tsx')).overrides,
  storeItems: async () => (await import('#client/features/admin/store-items/overrides.tsx')).overrides,
  creditPackages: async () => (await import('#client/features/admin/credit-packages/overrides.tsx')).overrides,
  redeemCodes: async () => (await import('#client/features/admin/redeem-codes/overrides.tsx')).overrides,
  redirectLinks: async () => (await import('#client/features/admin/redirect-links/overrides.tsx')).overrides,
  ssoProviders: async () => (await import('#client/features/admin/sso-providers/overrides.tsx')).overrides,
};

/** The screens of all areas: one generic module, driven by their definitions. */
const AREA_SCREENS = Object.fromEntries(
  Object.keys(AREA_ROUTES).map((id) => {
    const [, area = '', operation = ''] = id.split('.');
    const load: ScreenLoader = () => loadAreaScreen(area as AreaName, operation as Operation, OVERRIDES[area]);
    return [id, load];
  }),
) as Readonly<Record<keyof AreaRoutes, ScreenLoader>>;

/** Every route's screen. A route without one does not compile; each is a chunk of its own. */
export const SCREENS: Readonly<Record<RouteId, ScreenLoader>> = {
  ...AREA_SCREENS,
  'auth.login': () => import('#client/features/auth/login.tsx'),
  'auth.register': () => import('#client/features/auth/register.tsx'),
  'auth.logout': () => import('#client/features/auth/logout.tsx'),
  'auth.verify': () => import('#client/features/auth/verify.tsx'),
  unsubscribe: () => import('#client/features/auth/unsubscribe.tsx'),
  'announcement.list': () => import('#client/features/announcements/list.tsx'),
  'announcement.view': () => import('#client/features/announcements/view.tsx'),
  'news.list': () => import('#client/features/announcements/news-list.tsx'),
  'news.view': () => import('#client/features/announcements/news-view.tsx'),
  'admin.announcements.list': () => import('#client/features/admin/announcements/list.tsx'),
  'admin.announcements.create': () => import('#client/features/admin/announcements/create.tsx'),
  'admin.announcements.edit': () => import('#client/features/admin/announcements/edit.tsx'),
  'admin.announcements.delete': () => import('#client/features/admin/announcements/delete.tsx'),
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
  'errors.403': () => import('#client/features/system/forbidden.tsx'),
  'errors.500': () => import('#client/features/system/server-error.tsx'),
  ws: () => import('#client/features/system/lost.tsx'),
  'viewing.end': () => import('#client/features/viewing/end.tsx'),
  plugin: () => import('#client/features/system/plugin-page.tsx'),
  dashboard: () => import('#client/features/dashboard/screen.tsx'),
  'server.create': () => import('#client/features/servers/create.tsx'),
  'server.view': () => import('#client/features/servers/view.tsx'),
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
  'admin.images.list': () => import('#client/features/admin/images/list.tsx'),
  'admin.images.create': () => import('#client/features/admin/images/create.tsx'),
  'admin.images.delete': () => import('#client/features/admin/images/delete.tsx'),
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
  'admin.panels.list': () => import('#client/features/admin/panels/list.tsx'),
  'admin.panels.create': () => import('#client/features/admin/panels/create.tsx'),
  'admin.panels.edit': () => import('#client/features/admin/panels/edit.tsx'),
  'admin.panels.delete': () => import('#client/features/admin/panels/delete.tsx'),
  'admin.panels.sync': () => import('#client/features/admin/panels/sync.tsx'),
  'admin.servers.list': () => import('#client/features/admin/servers/list.tsx'),
  'admin.servers.drift': () => import('#client/features/admin/servers/drift.tsx'),
  'admin.servers.deleteOrphan': () => import('#client/features/admin/servers/delete-orphan.tsx'),
  'admin.servers.adopt': () => import('#client/features/admin/servers/adopt.tsx'),
  'admin.servers.view': () => import('#client/features/admin/servers/view.tsx'),
  'admin.serverQueue.list': () => import('#client/features/admin/server-queue/list.tsx'),
  'admin.serverQueue.new': () => import('#client/features/admin/server-queue/create.tsx'),
  'admin.serverQueue.logs': () => import('#client/features/admin/server-queue/logs.tsx'),
  'admin.serverQueue.view': () => import('#client/features/admin/server-queue/view.tsx'),
  'admin.serverQueue.delete': () => import('#client/features/admin/server-queue/delete.tsx'),
  'admin.heldRewards': () => import('#client/features/admin/held-rewards/screen.tsx'),
  'admin.users.list': () => import('#client/features/admin/users/list.tsx'),
  'admin.users.edit': () => import('#client/features/admin/users/edit.tsx'),
  'admin.users.delete': () => import('#client/features/admin/users/delete.tsx'),
  'admin.webhooks.list': () => import('#client/features/admin/webhooks/list.tsx'),
  'admin.webhooks.create': () => import('#client/features/admin/webhooks/create.tsx'),
  'admin.webhooks.view': () => import('#client/features/admin/webhooks/view.tsx'),
  'admin.webhooks.edit': () => import('#client/features/admin/webhooks/edit.tsx'),
  'admin.webhooks.delete': () => import('#client/features/admin/webhooks/delete.tsx'),
  'admin.webhooks.delivery': () => import('#client/features/admin/webhooks/delivery.tsx'),
  'admin.imageReports.list': () => import('#client/features/admin/image-reports/list.tsx'),
  'admin.imageReports.edit': () => import('#client/features/admin/image-reports/edit.tsx'),
  'admin.tickets.reports': () => import('#client/features/admin/tickets/reports.tsx'),
  'admin.tickets.list': () => import('#client/features/admin/tickets/list.tsx'),
  'admin.tickets.view': () => import('#client/features/admin/tickets/view.tsx'),
  'admin.roles.list': () => import('#client/features/admin/roles/list.tsx'),
  'admin.roles.create': () => import('#client/features/admin/roles/create.tsx'),
  'admin.roles.edit': () => import('#client/features/admin/roles/edit.tsx'),
  'admin.roles.delete': () => import('#client/features/admin/roles/delete.tsx'),
  'admin.roles.permissions': () => import('#client/features/admin/roles/permissions.tsx'),
  'admin.settings': () => import('#client/features/admin/settings/screen.tsx'),
  'admin.setup': () => import('#client/features/admin/settings/guide/screen.tsx'),
  'admin.settings.old': () => import('#client/features/admin/settings/flat.tsx'),
  'admin.settings.history': () => import('#client/features/admin/settings/history.tsx'),
  'admin.settings.transfer': () => import('#client/features/admin/settings/transfer.tsx'),
  'admin.logs': () => import('#client/features/admin/logs/screen.tsx'),
  'admin.audit': () => import('#client/features/admin/audit/screen.tsx'),
  'admin.backups': () => import('#client/features/admin/backups/screen.tsx'),
  'admin.mailTemplates.list': () => import('#client/features/admin/mails/templates.tsx'),
  'admin.mailTemplates.edit': () => import('#client/features/admin/mails/edit.tsx'),
  'admin.mailTemplates.delete': () => import('#client/features/admin/mails/reset.tsx'),
  'admin.health': () => import('#client/features/admin/health/screen.tsx'),
  'admin.ownMails.create': () => import('#client/features/admin/mails/own-create.tsx'),
  'admin.ownMails.edit': () => import('#client/features/admin/mails/own-edit.tsx'),
  'admin.ownMails.send': () => import('#client/features/admin/mails/own-send.tsx'),
  'admin.ownMails.delete': () => import('#client/features/admin/mails/own-delete.tsx'),
  'admin.mails.list': () => import('#client/features/admin/mails/outbox.tsx'),
  'admin.mails.view': () => import('#client/features/admin/mails/mail.tsx'),
  'admin.economy': () => import('#client/features/admin/economy/screen.tsx'),
  'admin.redeemCodes.batch': () => import('#client/features/admin/redeem-codes/batch.tsx'),
  'admin.payments.list': () => import('#client/features/admin/payments/list.tsx'),
  'admin.payments.unknown': () => import('#client/features/admin/payments/unknown.tsx'),
  'admin.payments.view': () => import('#client/features/admin/payments/view.tsx'),
};

/** The screen of unknown addresses. */
export const NOT_FOUND_SCREEN: ScreenLoader = () => import('#client/features/system/not-found.tsx');

/** Frames, by layout name. `plain` has none. */
export const LAYOUTS: Readonly<
  Record<'auth' | 'app' | 'admin' | 'plain', () => Promise<{ readonly default: ComponentType }>>
> = {
  auth: async () => frame((await import('#client/features/auth/layout.tsx')).AuthLayout),
  app: () => import('./layouts/player.tsx'),
  admin: () => import('./layouts/staff.tsx'),
  plain: () => import('./layouts/plain.tsx'),
};

/** Texts that every page needs. */
export const BASE_TEXTS = ['ui', 'errors', 'shell', 'startup'] as const;
