import { constantOf } from './can.ts';

/**
 * The permission catalogue: the single declaration of every permission string. It holds the 87 of the specification
 * (section 6) and has grown beyond them: game panels, store items, payments, credit packages, the economy and rewards
 * on hold have permissions of their own, because what moves money or opens a panel must not come with a permission that
 * a helper needs (tests/api/admin/permissions.test.ts lists both). Labels and descriptions are texts: locale namespace
 * `permissions`, keys `<CONSTANT>.label` and `<CONSTANT>.text`; categories `category.<category>`.
 */
const CRUD = ['create', 'edit', 'delete', 'list'] as const;
type Verb = 'create' | 'edit' | 'delete' | 'list' | 'view';

function group<const P extends string, const V extends readonly Verb[]>(category: string, prefix: P, verbs: V) {
  return verbs.map((verb) => ({ value: `${prefix}.${verb}` as `${P}.${V[number]}`, category }));
}
function single<const S extends string>(category: string, ...values: S[]) {
  return values.map((value) => ({ value, category }));
}

const entries = [
  ...single('root', 'admin.root'),
  ...single('dashboard', 'admin.dashboard.view'),
  ...single(
    'dashboard',
    'admin.dashboard.components.system.overview',
    'admin.dashboard.components.system.updates',
    'admin.dashboard.components.system.logs',
    'admin.dashboard.components.ataglanceanalytics.view',
    'admin.dashboard.components.support.view',
    'admin.dashboard.components.githubrepo.view',
    'admin.dashboard.components.quickactions.view',
    'admin.dashboard.components.activity.view',
  ),
  ...single('health', 'admin.health.view'),
  ...group('users', 'admin.users', ['edit', 'delete', 'list']),
  ...group('j4r', 'admin.j4r.servers', CRUD),
  ...group('panels', 'admin.panels', CRUD),
  ...group('locations', 'admin.locations', CRUD),
  ...group('nests', 'admin.nests', CRUD),
  ...group('eggs', 'admin.egg', CRUD),
  ...group('departments', 'admin.departments', CRUD),
  ...group('roles', 'admin.roles', CRUD),
  ...group('permissions', 'admin.permissions', CRUD),
  ...group('announcements', 'admin.announcements', CRUD),
  ...group('images', 'admin.images', CRUD),
  ...group('mailTemplates', 'admin.mail.templates', CRUD),
  ...group('mails', 'admin.mails', ['edit', 'list']),
  ...group('redirectLinks', 'admin.redirect.links', CRUD),
  ...group('redeemCodes', 'admin.redeem.codes', CRUD),
  ...group('payments', 'admin.payments', ['list', 'view', 'edit']),
  ...group('creditPackages', 'admin.credit.packages', CRUD),
  ...group('storeItems', 'admin.store.items', CRUD),
  ...group('economy', 'admin.economy', ['view', 'edit']),
  ...group('heldRewards', 'admin.rewards.held', ['edit', 'list']),
  ...group('servers', 'admin.servers', ['edit', 'delete', 'list']),
  ...group('serverQueue', 'admin.server.queue', ['create', 'delete', 'list', 'view']),
  ...single('serverQueue', 'admin.server.queue.logs.view'),
  ...group('tickets', 'admin.tickets', ['list', 'view']),
  ...group('cannedReplies', 'admin.canned.replies', CRUD),
  ...group('settings', 'admin.settings', ['view', 'edit']),
  ...group('plugins', 'admin.plugins', ['edit', 'list']),
  ...group('backups', 'admin.backups', ['create', 'delete', 'list']),
  ...group('imageReports', 'admin.image.reports', ['view', 'list', 'edit', 'delete']),
  ...group('ssoProviders', 'admin.sso.providers', CRUD),
  ...single('user', 'user.permission.vip', 'user.permission.adblocker', 'user.permission.alt', 'user.permission.vpn'),
] as const;

export type Permission = (typeof entries)[number]['value'];

interface PermissionEntry {
  /** Name as a constant: the value in capitals, dots and dashes as underscores. */
  readonly constant: string;
  readonly value: Permission;
  readonly category: string;
  /** Key of the description in the locale namespace `permissions`: the server sends no texts (behaviour 1). */
  readonly description: string;
}

/** Every permission of the catalogue (specification, section 3), in the order of section 6. */
export const PERMISSIONS: readonly PermissionEntry[] = entries.map(({ value, category }) => {
  const constant = constantOf(value);
  return { constant, value, category, description: `${constant}.text` };
});

export { can } from './can.ts';
