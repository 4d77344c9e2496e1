import type { AnyOverrides } from '#client/resource/area.ts';
import { loadAreaScreen } from '#client/resource/screens.ts';
import type { AreaName } from '#shared/resources/index.ts';
import type { Operation } from '#shared/resources/types.ts';
import { AREA_ROUTES, type AreaRoutes } from '#shared/routes/area-routes.ts';
import { STAFF_ROUTE_LIST, type StaffRouteId } from '#shared/routes/staff.ts';
import type { Pages, ScreenLoader } from './screens.ts';

/** The overrides of admin areas. */
const OVERRIDES: Readonly<Partial<Record<string, () => Promise<AnyOverrides>>>> = {
  locations: async () => (await import('#client/features/admin/locations/overrides.tsx')).overrides,
  eggCategories: async () => (await import('#client/features/admin/egg-categories/overrides.tsx')).overrides,
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

/** Every screen of the admin area but its first. A route without one does not compile; each is a chunk of its own. */
const STAFF_SCREENS: Readonly<Record<StaffRouteId, ScreenLoader>> = {
  ...AREA_SCREENS,
  'admin.announcements.list': () => import('#client/features/admin/announcements/list.tsx'),
  'admin.announcements.create': () => import('#client/features/admin/announcements/create.tsx'),
  'admin.announcements.edit': () => import('#client/features/admin/announcements/edit.tsx'),
  'admin.announcements.delete': () => import('#client/features/admin/announcements/delete.tsx'),
  'admin.images.list': () => import('#client/features/admin/images/list.tsx'),
  'admin.images.create': () => import('#client/features/admin/images/create.tsx'),
  'admin.images.delete': () => import('#client/features/admin/images/delete.tsx'),
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
  'admin.plugins.list': () => import('#client/features/admin/plugins/list.tsx'),
  'admin.plugins.review': () => import('#client/features/admin/plugins/review.tsx'),
  'admin.plugins.delete': () => import('#client/features/admin/plugins/delete.tsx'),
  'admin.plugins.config': () => import('#client/features/admin/plugins/config.tsx'),
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
  'admin.imports': () => import('#client/features/admin/imports/screen.tsx'),
  'admin.backups': () => import('#client/features/admin/backups/screen.tsx'),
  'admin.mailTemplates.list': () => import('#client/features/admin/mails/templates.tsx'),
  'admin.mailTemplates.edit': () => import('#client/features/admin/mails/edit.tsx'),
  'admin.mailTemplates.delete': () => import('#client/features/admin/mails/reset.tsx'),
  'admin.machine': () => import('#client/features/admin/machine/screen.tsx'),
  'admin.health': () => import('#client/features/admin/health/screen.tsx'),
  'admin.ownMails.create': () => import('#client/features/admin/mails/own-create.tsx'),
  'admin.ownMails.edit': () => import('#client/features/admin/mails/own-edit.tsx'),
  'admin.ownMails.send': () => import('#client/features/admin/mails/own-send.tsx'),
  'admin.ownMails.delete': () => import('#client/features/admin/mails/own-delete.tsx'),
  'admin.mails.list': () => import('#client/features/admin/mails/outbox.tsx'),
  'admin.mails.view': () => import('#client/features/admin/mails/mail.tsx'),
  'admin.economy': () => import('#client/features/admin/economy/screen.tsx'),
  'admin.eggs.import': () => import('#client/features/admin/eggs/import.tsx'),
  'admin.redeemCodes.batch': () => import('#client/features/admin/redeem-codes/batch.tsx'),
  'admin.payments.list': () => import('#client/features/admin/payments/list.tsx'),
  'admin.payments.unknown': () => import('#client/features/admin/payments/unknown.tsx'),
  'admin.payments.view': () => import('#client/features/admin/payments/view.tsx'),
};

/** The routes of staff and their screens, a chunk of their own: loaded with the first page of the admin area. */
export const STAFF_PAGES: Pages = { routes: STAFF_ROUTE_LIST, screens: STAFF_SCREENS };
