import { describe, expect, test } from 'bun:test';
import { can, PERMISSIONS } from '#shared/permissions.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { decideAccess } from '#shared/guard.ts';
import { SOURCE_SWITCHES, type FeatureSwitch } from '#shared/earning-sources.ts';
import { FLAGS } from '#shared/flags.ts';
import { href } from '#shared/routes/staff-href.ts';
import { createMatcher } from '#shared/routes/match.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { PLAIN_PAGES, PLAIN_PERMISSIONS } from '#tests/specification/areas.ts';

/**
 * Typed from the specification, section 2: path and who may see it. Routes of later issues are added with their
 * screens.
 */
const SPECIFIED: Readonly<Record<string, string>> = {
  '/auth/login': 'guest-only',
  '/auth/register': 'guest-only',
  '/auth/logout': 'open',
  '/auth/2fa/verify': 'guest-only',
  '/auth/2fa/setup': 'signed-in',
  '/auth/2fa/setup/disband': 'signed-in',
  '/auth/forgot-password': 'guest-only',
  '/auth/reset-password': 'guest-only',
  '/auth/sso': 'guest-only',
  '/terms-of-service': 'open',
  '/privacy-policy': 'open',
  '/errors/403': 'open',
  '/errors/500': 'open',
  '/ws': 'signed-in',
  '/dashboard': 'signed-in',
  '/account': 'signed-in',
  '/earn/afk': 'signed-in',
  '/earn/redeem': 'signed-in',
  '/earn/referrals': 'signed-in',
  '/earn/links': 'signed-in',
  '/earn/j4r': 'signed-in',
  '/store': 'signed-in',
  '/ticket': 'signed-in',
  '/ticket/create': 'signed-in',
  '/ticket/:id': 'signed-in',
  '/announcements': 'signed-in',
  '/images': 'signed-in',
  '/images/config': 'signed-in',
  '/images/upload': 'signed-in',
  '/store/add-credits': 'signed-in',
  '/server/create': 'signed-in',
  '/server/:id/delete': 'signed-in',
  '/server/:id/update': 'signed-in',
  '/server/:id/renew': 'signed-in',
  '/leaderboard': 'signed-in',
  '/lookup': 'signed-in',
  '/profile/:id': 'signed-in',
  '/profile/:id/gift-coins': 'signed-in',
  '/mc-admin': 'admin.dashboard.view',
  '/mc-admin/servers': 'admin.servers.list',
  '/mc-admin/server-queue': 'admin.server.queue.list',
  '/mc-admin/server-queue/create': 'admin.server.queue.create',
  '/mc-admin/server-queue/:id': 'admin.server.queue.view',
  '/mc-admin/server-queue/:id/delete': 'admin.server.queue.delete',
  '/mc-admin/server-queue/logs': 'admin.server.queue.logs.view',
  '/mc-admin/images': 'admin.images.list',
  '/mc-admin/images/create': 'admin.images.create',
  '/mc-admin/images/:id/delete': 'admin.images.delete',
  '/mc-admin/announcements': 'admin.announcements.list',
  '/mc-admin/announcements/create': 'admin.announcements.create',
  '/mc-admin/announcements/:id/edit': 'admin.announcements.edit',
  '/mc-admin/announcements/:id/delete': 'admin.announcements.delete',
  '/mc-admin/tickets': 'admin.tickets.list',
  '/mc-admin/tickets/:id': 'admin.tickets.view',
  '/mc-admin/image-reports': 'admin.image.reports.list',
  '/mc-admin/image-reports/:id/edit': 'admin.image.reports.view',
  '/mc-admin/users': 'admin.users.list',
  '/mc-admin/users/:id/edit': 'admin.users.edit',
  '/mc-admin/users/:id/delete': 'admin.users.delete',
  '/mc-admin/roles': 'admin.roles.list',
  '/mc-admin/roles/create': 'admin.roles.create',
  '/mc-admin/roles/:id/edit': 'admin.roles.edit',
  '/mc-admin/roles/:id/delete': 'admin.roles.delete',
  '/mc-admin/roles/:id/permissions': 'admin.permissions.list',
  '/mc-admin/mail-templates': 'admin.mail.templates.list',
  '/mc-admin/mail-templates/create': 'admin.mail.templates.create',
  '/mc-admin/mail-templates/:id/edit': 'admin.mail.templates.edit',
  '/mc-admin/mail-templates/:id/delete': 'admin.mail.templates.delete',
  '/mc-admin/setup': 'admin.root',
  '/mc-admin/machine': 'admin.health.view',
  '/mc-admin/health': 'admin.health.view',
  '/mc-admin/backups': 'admin.backups.list',
  '/mc-admin/import': 'admin.root',
  '/mc-admin/plugins': 'admin.plugins.list',
  '/mc-admin/plugins/:identifier/config': 'admin.plugins.edit',
  '/mc-admin/plugins/:identifier/delete': 'admin.plugins.edit',
  '/mc-admin/plugins/uploads/:id': 'admin.plugins.edit',
  '/mc-admin/settings': 'admin.settings.view',
  '/mc-admin/settings/old': 'admin.settings.view',
  '/mc-admin/locations': 'admin.locations.list',
  '/mc-admin/locations/create': 'admin.locations.create',
  '/mc-admin/locations/:id/edit': 'admin.locations.edit',
  '/mc-admin/locations/:id/delete': 'admin.locations.delete',
  '/mc-admin/egg-categories': 'admin.nests.list',
  '/mc-admin/egg-categories/create': 'admin.nests.create',
  '/mc-admin/egg-categories/:id/edit': 'admin.nests.edit',
  '/mc-admin/egg-categories/:id/delete': 'admin.nests.delete',
  '/mc-admin/eggs': 'admin.egg.list',
  '/mc-admin/eggs/create': 'admin.egg.create',
  '/mc-admin/eggs/import': 'admin.egg.create',
  '/mc-admin/eggs/:id/edit': 'admin.egg.edit',
  '/mc-admin/eggs/:id/delete': 'admin.egg.delete',
  '/mc-admin/j4r-servers': 'admin.j4r.servers.list',
  '/mc-admin/j4r-servers/create': 'admin.j4r.servers.create',
  '/mc-admin/j4r-servers/:id/edit': 'admin.j4r.servers.edit',
  '/mc-admin/j4r-servers/:id/delete': 'admin.j4r.servers.delete',
  '/mc-admin/redeem-codes': 'admin.redeem.codes.list',
  '/mc-admin/redeem-codes/create': 'admin.redeem.codes.create',
  '/mc-admin/redeem-codes/:id/edit': 'admin.redeem.codes.edit',
  '/mc-admin/redeem-codes/:id/delete': 'admin.redeem.codes.delete',
};
/** Ours, beside the specification: the confirmation page of the mail's link, pages of plugins, and a server's own page. */
const ADDED = [
  '/auth/verify',
  '/auth/email',
  '/auth/sso/callback',
  '/auth/sso/register',
  '/earn/links/return',
  '/account/linked/discord',
  '/plugin/:id/*',
  '/plugin/status',
  '/server/:id',
  '/mc-admin/economy',
  '/mc-admin/tickets/reports',
  '/unsubscribe/:token',
  '/go/:slug',
  '/i/:id',
  '/images/:id/delete',
  '/announcements/:id',
  '/news',
  '/news/:id',
  '/mc-admin/mail-templates/own/:id/edit',
  '/mc-admin/mail-templates/own/:id/send',
  '/mc-admin/mail-templates/own/:id/delete',
  '/docs/webhooks',
  '/mc-admin/webhooks',
  '/mc-admin/webhooks/create',
  '/mc-admin/webhooks/:id',
  '/mc-admin/webhooks/:id/edit',
  '/mc-admin/webhooks/:id/delete',
  '/mc-admin/webhook-deliveries/:id',
  '/mc-admin/mails',
  '/mc-admin/mails/:id',
  '/mc-admin/held-rewards',
  '/mc-admin/redeem-codes/batch',
  '/mc-admin/store-items',
  '/mc-admin/store-items/create',
  '/mc-admin/store-items/:id/edit',
  '/mc-admin/store-items/:id/delete',
  '/view-as/end',
  '/auth/confirm',
  '/images/report',
  '/images/report/:id',
  '/store/orders/:id',
  '/store/orders/:id/receipt',
  '/mc-admin/payments',
  '/mc-admin/payments/unknown/:id',
  '/mc-admin/payments/:id',
  '/mc-admin/credit-packages',
  '/mc-admin/credit-packages/create',
  '/mc-admin/credit-packages/:id/edit',
  '/mc-admin/credit-packages/:id/delete',
  '/mc-admin/settings/history',
  '/mc-admin/settings/transfer',
  '/mc-admin/logs',
  '/mc-admin/audit',
  '/mc-admin/panels',
  '/mc-admin/panels/create',
  '/mc-admin/panels/:id/edit',
  '/mc-admin/panels/:id/delete',
  '/mc-admin/panels/:id/sync',
  '/mc-admin/servers/drift',
  '/mc-admin/servers/drift/delete',
  '/mc-admin/servers/adopt',
  '/mc-admin/servers/:id',
  '/server/:id/shared',
];

/** Who may see those of them that are for staff, typed by hand. */
const STAFF: Readonly<Record<string, string>> = {
  '/mc-admin/economy': 'admin.economy.view',
  '/mc-admin/mail-templates/own/:id/edit': 'admin.mail.templates.edit',
  '/mc-admin/mail-templates/own/:id/send': 'admin.users.edit',
  '/mc-admin/mail-templates/own/:id/delete': 'admin.mail.templates.delete',
  '/mc-admin/webhooks': 'admin.plugins.list',
  '/mc-admin/webhooks/create': 'admin.plugins.edit',
  '/mc-admin/webhooks/:id': 'admin.plugins.list',
  '/mc-admin/webhooks/:id/edit': 'admin.plugins.edit',
  '/mc-admin/webhooks/:id/delete': 'admin.plugins.edit',
  '/mc-admin/webhook-deliveries/:id': 'admin.plugins.list',
  '/mc-admin/mails': 'admin.mails.list',
  '/mc-admin/mails/:id': 'admin.mails.list',
  '/mc-admin/held-rewards': 'admin.rewards.held.list',
  '/mc-admin/redeem-codes/batch': 'admin.redeem.codes.create',
  '/mc-admin/store-items': 'admin.store.items.list',
  '/mc-admin/store-items/create': 'admin.store.items.create',
  '/mc-admin/store-items/:id/edit': 'admin.store.items.edit',
  '/mc-admin/store-items/:id/delete': 'admin.store.items.delete',
  '/mc-admin/credit-packages': 'admin.credit.packages.list',
  '/mc-admin/credit-packages/create': 'admin.credit.packages.create',
  '/mc-admin/credit-packages/:id/edit': 'admin.credit.packages.edit',
  '/mc-admin/credit-packages/:id/delete': 'admin.credit.packages.delete',
  '/mc-admin/payments': 'admin.payments.list',
  '/mc-admin/payments/unknown/:id': 'admin.payments.edit',
  '/mc-admin/payments/:id': 'admin.payments.view',
  '/mc-admin/settings/history': 'admin.settings.view',
  '/mc-admin/settings/transfer': 'admin.settings.view',
  '/mc-admin/logs': 'admin.dashboard.components.system.logs',
  '/mc-admin/audit': 'admin.dashboard.components.activity.view',
  '/mc-admin/panels': 'admin.panels.list',
  '/mc-admin/panels/create': 'admin.panels.create',
  '/mc-admin/panels/:id/edit': 'admin.panels.edit',
  '/mc-admin/panels/:id/delete': 'admin.panels.delete',
  '/mc-admin/panels/:id/sync': 'admin.panels.edit',
  '/mc-admin/servers/drift': 'admin.servers.list',
  '/mc-admin/servers/drift/delete': 'admin.servers.delete',
  '/mc-admin/servers/adopt': 'admin.servers.edit',
  '/mc-admin/servers/:id': 'admin.servers.list',
};

const FLAGS_ON = Object.fromEntries(
  [...FLAGS, ...SOURCE_SWITCHES, 'image_hosting_enabled'].map((flag) => [flag, true]),
) as Record<FeatureSwitch, boolean>;

describe('routes', () => {
  test('the table agrees with the specification', () => {
    const table = Object.fromEntries(
      ROUTE_LIST.filter((row) => !ADDED.includes(row.path)).map((row) => [row.path, row.guard]),
    );
    expect<Record<string, string>>(table).toEqual({ ...SPECIFIED, ...PLAIN_PAGES });
  });

  test('T61 every page of staff asks for a right, and those beside the specification for the one that is written down', () => {
    const table = Object.fromEntries(ROUTE_LIST.map((row) => [row.path as string, row.guard as string]));
    expect(Object.fromEntries(Object.keys(STAFF).map((path) => [path, table[path]]))).toEqual(STAFF);
    expect(
      Object.entries(table).filter(([path, guard]) => path.startsWith('/mc-admin') !== guard.startsWith('admin.')),
    ).toEqual([]);
  });

  test('fixed paths win over patterns, and unknown ones match nothing', () => {
    const matchRoute = createMatcher(ROUTE_LIST);
    expect(matchRoute('/server/create')?.id).toBe('server.create');
    expect(matchRoute('/server/abc/renew')).toMatchObject({ id: 'server.renew', params: { id: 'abc' } });
    expect(matchRoute('/dashboard/')?.id).toBe('dashboard');
    expect(matchRoute('/nowhere')).toBeNull();
  });

  test('addresses are built from the table and encoded', () => {
    expect(href('server.renew', { id: 'a/b' })).toBe('/server/a%2Fb/renew');
    expect(href('dashboard')).toBe('/dashboard');
  });

  test('the guard decides who sees a route', () => {
    const guest = { signedIn: false, permissions: [] };
    const player = { signedIn: true, permissions: [] };
    const staff = { signedIn: true, permissions: ['admin.egg.list'] };
    const root = { signedIn: true, permissions: ['admin.root'] };
    for (const row of ROUTE_LIST) {
      const open = row.guard === 'open' || row.guard === 'guest-only';
      expect(decideAccess(row, guest, FLAGS_ON)).toBe(open ? 'allow' : 'login');
      if (row.guard.startsWith('admin.')) {
        expect(decideAccess(row, player, FLAGS_ON)).toBe('forbidden');
        expect(decideAccess(row, root, FLAGS_ON)).toBe('allow');
        expect(decideAccess(row, staff, FLAGS_ON)).toBe(row.guard === 'admin.egg.list' ? 'allow' : 'forbidden');
      }
      if (row.guard === 'guest-only') expect(decideAccess(row, player, FLAGS_ON)).toBe('home');
      if (row.flag) expect(decideAccess(row, root, { ...FLAGS_ON, [row.flag]: false })).toBe('hidden');
    }
  });
});

describe('permissions', () => {
  /** Declared for screens that come later, or only ever given to people. */
  const reserved =
    /^(admin\.(root|dashboard\.components|health|users|j4r|departments|announcements|images|mail|redirect|tickets|settings|plugins|backups|image\.reports)|user\.permission)/;

  test('the catalogue is that of the specification', () => {
    // Those of plain areas follow a rule; departments and redirect links belong to the specification.
    const plain = PLAIN_PERMISSIONS.filter((value) => !/^admin\.(departments|redirect\.links)\./.test(value));
    expect(PERMISSIONS.length).toBe(108 + plain.length);
    expect(new Set(PERMISSIONS.map((entry) => entry.value)).size).toBe(PERMISSIONS.length);
    expect(PERMISSIONS[0]).toEqual({
      constant: 'ADMIN_ROOT',
      value: 'admin.root',
      category: 'root',
      description: 'ADMIN_ROOT.text',
    });
  });

  test('every permission guards something or is reserved', () => {
    const used = new Set<string>([
      ...ROUTE_LIST.map((row) => row.guard),
      ...ENDPOINTS.map((endpoint) => endpoint.access),
    ]);
    expect(
      PERMISSIONS.filter((entry) => !used.has(entry.value) && !reserved.test(entry.value)).map((entry) => entry.value),
    ).toEqual([]);
  });

  test('admin.root holds everything, and others exactly what they hold', () => {
    expect(can(['admin.root'], 'admin.egg.edit')).toBe(true);
    expect(can(['admin.egg.edit'], 'admin.egg.edit')).toBe(true);
    expect(can(['admin.egg'], 'admin.egg.edit')).toBe(false);
    expect(can([], 'admin.egg.edit')).toBe(false);
    expect(PERMISSIONS.map(({ value }): string => value)).not.toContain('admin.everything');
  });
});
