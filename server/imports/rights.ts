import { PERMISSIONS, type Permission } from '#shared/permissions.ts';
import type { ImportProduct } from '#shared/imports.ts';

/** Every right of staff but the owner's. */
const EVERY_RIGHT: readonly Permission[] = PERMISSIONS.map(({ value }) => value).filter(
  (value) => value.startsWith('admin.') && value !== 'admin.root',
);
const CATALOGUE: ReadonlySet<string> = new Set(PERMISSIONS.map(({ value }) => value));

type Table = Readonly<Record<string, readonly Permission[]>>;

/** Names of CtrlPanel 1 (its `config/permissions_web.php`). None of ours gives more than theirs did. */
const CTRLPANEL: Table = {
  'admin.overview.read': ['admin.dashboard.view'],
  'admin.roles.read': ['admin.roles.list', 'admin.permissions.list'],
  'admin.roles.create': ['admin.roles.create'],
  'admin.roles.edit': ['admin.roles.edit', 'admin.permissions.create', 'admin.permissions.edit'],
  'admin.roles.delete': ['admin.roles.delete'],
  'admin.ticket.read': ['admin.tickets.list'],
  'admin.tickets.write': ['admin.tickets.list', 'admin.tickets.view'],
  'admin.users.read': ['admin.users.list'],
  'admin.users.write': ['admin.users.edit'],
  'admin.users.delete': ['admin.users.delete'],
  'admin.servers.read': ['admin.servers.list'],
  'admin.servers.write': ['admin.servers.edit'],
  'admin.servers.delete': ['admin.servers.delete'],
  'admin.store.read': ['admin.credit.packages.list'],
  'admin.store.write': ['admin.credit.packages.create', 'admin.credit.packages.edit', 'admin.credit.packages.delete'],
  'admin.voucher.read': ['admin.redeem.codes.list'],
  'admin.voucher.write': ['admin.redeem.codes.create', 'admin.redeem.codes.edit', 'admin.redeem.codes.delete'],
  'admin.useful_links.read': ['admin.redirect.links.list'],
  'admin.useful_links.write': [
    'admin.redirect.links.create',
    'admin.redirect.links.edit',
    'admin.redirect.links.delete',
  ],
  'admin.payments.read': ['admin.payments.list', 'admin.payments.view'],
  'admin.logs.read': ['admin.dashboard.components.system.logs'],
  'admin.settings.read': ['admin.settings.view'],
  'admin.settings.write': ['admin.settings.edit'],
};

/** Names of Paymenter 1 (its `config/permissions.php`). */
const PAYMENTER: Table = {
  'admin.settings.view': ['admin.settings.view'],
  'admin.settings.update': ['admin.settings.edit'],
  'admin.users.viewAny': ['admin.users.list'],
  'admin.users.update': ['admin.users.edit'],
  'admin.users.delete': ['admin.users.delete'],
  'admin.invoices.viewAny': ['admin.payments.list', 'admin.payments.view'],
  'admin.tickets.viewAny': ['admin.tickets.list'],
  'admin.tickets.update': ['admin.tickets.list', 'admin.tickets.view'],
  'admin.services.viewAny': ['admin.servers.list'],
  'admin.services.update': ['admin.servers.edit'],
  'admin.services.delete': ['admin.servers.delete'],
  'admin.debug_logs.view': ['admin.dashboard.components.system.logs'],
  'admin.roles.viewAny': ['admin.roles.list', 'admin.permissions.list'],
  'admin.roles.create': ['admin.roles.create'],
  'admin.roles.update': ['admin.roles.edit', 'admin.permissions.create', 'admin.permissions.edit'],
  'admin.roles.delete': ['admin.roles.delete'],
  'admin.extensions.viewAny': ['admin.plugins.list'],
  'admin.email_logs.viewAny': ['admin.mails.list'],
  'admin.email_templates.viewAny': ['admin.mail.templates.list'],
  'admin.email_templates.create': ['admin.mail.templates.create'],
  'admin.email_templates.update': ['admin.mail.templates.edit'],
  'admin.email_templates.delete': ['admin.mail.templates.delete'],
};
const TABLES: Partial<Record<ImportProduct, Table>> = { ctrlpanel: CTRLPANEL, paymenter: PAYMENTER };

/**
 * Rights that come nearest to what a role of the source may do, none of them the owner's. MythicalDash 4 has our own
 * names. Out: ours, in the order of the catalogue, and how many of theirs have no counterpart.
 */
export function toRights(
  product: ImportProduct,
  theirs: readonly string[],
): { readonly permissions: readonly Permission[]; readonly unmatched: number } {
  if (theirs.includes('*') || theirs.includes('admin.root')) return { permissions: EVERY_RIGHT, unmatched: 0 };
  const table = TABLES[product];
  const found = new Set<string>();
  let unmatched = 0;
  for (const name of theirs) {
    const ours = table
      ? Object.hasOwn(table, name)
        ? table[name]
        : undefined
      : CATALOGUE.has(name)
        ? [name]
        : undefined;
    // What every player may do there is no right here.
    if (!ours && !name.startsWith('user.')) unmatched += 1;
    for (const each of ours ?? []) found.add(each);
  }
  const permissions = PERMISSIONS.map(({ value }) => value).filter((value) => found.has(value));
  // Without it nobody gets into the admin area.
  if (permissions.some((each) => each.startsWith('admin.')) && !found.has('admin.dashboard.view'))
    permissions.unshift('admin.dashboard.view');
  return { permissions, unmatched };
}
