import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { can, PERMISSIONS, type Permission } from '#shared/permissions.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { PLAIN_PERMISSIONS } from '#tests/specification/areas.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { textsOf } from '#tests/support/texts.ts';

let h: Harness;
beforeAll(async () => {
  h = await openHarness();
});
afterAll(() => h.close());

/** Typed from the specification, section 6. */
const crud = (prefix: string) => ['create', 'edit', 'delete', 'list'].map((verb) => `${prefix}.${verb}`);
const SPECIFIED = [
  'admin.root',
  'admin.dashboard.view',
  ...[
    'system.overview',
    'system.updates',
    'system.logs',
    'ataglanceanalytics.view',
    'support.view',
    'githubrepo.view',
    'quickactions.view',
    'activity.view',
  ].map((name) => `admin.dashboard.components.${name}`),
  'admin.health.view',
  'admin.users.edit',
  'admin.users.delete',
  'admin.users.list',
  ...[
    'j4r.servers',
    'locations',
    'nests',
    'egg',
    'departments',
    'roles',
    'permissions',
    'announcements',
    'images',
    'mail.templates',
    'redirect.links',
    'redeem.codes',
  ].flatMap((area) => crud(`admin.${area}`)),
  'admin.servers.edit',
  'admin.servers.delete',
  'admin.servers.list',
  'admin.server.queue.create',
  'admin.server.queue.delete',
  'admin.server.queue.list',
  'admin.server.queue.view',
  'admin.server.queue.logs.view',
  'admin.tickets.list',
  'admin.tickets.view',
  'admin.settings.view',
  'admin.settings.edit',
  'admin.plugins.edit',
  'admin.plugins.list',
  'admin.backups.create',
  'admin.backups.delete',
  'admin.backups.list',
  'admin.image.reports.view',
  'admin.image.reports.list',
  'admin.image.reports.edit',
  'admin.image.reports.delete',
  'user.permission.vip',
  'user.permission.adblocker',
  'user.permission.alt',
  'user.permission.vpn',
];

/**
 * Ours, for what the specification leaves open: game panels, payments, credit packages, the items of the store, the
 * economy's page, the outbox of mails, rewards that wait for review.
 */
const ADDED = [
  ...crud('admin.panels'),
  'admin.payments.list',
  'admin.payments.view',
  'admin.payments.edit',
  ...crud('admin.credit.packages'),
  ...crud('admin.store.items'),
  'admin.economy.view',
  'admin.economy.edit',
  'admin.mails.edit',
  'admin.mails.list',
  'admin.rewards.held.edit',
  'admin.rewards.held.list',
  // Plain areas that are not the specification's, by the rule of their names.
  ...PLAIN_PERMISSIONS.filter((value) => !SPECIFIED.includes(value)),
];

describe('the permission check', () => {
  test('S5.1 the holder of admin.root has every permission', () => {
    for (const { value } of PERMISSIONS)
      expect({ value, held: can(['admin.root'], value) }).toEqual({ value, held: true });
  });

  test('S5.2 a holder has otherwise exactly what is in the list: no prefix, no case, no neighbour', () => {
    for (const { value } of PERMISSIONS.filter((each) => each.value !== 'admin.root')) {
      const others = PERMISSIONS.map((each) => each.value).filter((each) => each !== value && each !== 'admin.root');
      expect({ value, own: can([value], value), others: can(others, value) }).toEqual({
        value,
        own: true,
        others: false,
      });
    }
    const wanted: Permission = 'admin.egg.list';
    for (const list of [
      [],
      ['admin.egg'],
      ['admin.egg.*'],
      ['ADMIN.EGG.LIST'],
      ['admin.egg.list '],
      ['admin.root.x'],
      ['user.root'],
    ])
      expect(can(list, wanted)).toBe(false);
  });
});

describe('the permission catalogue', () => {
  test('S3.2 S5.2 the catalogue has every permission of the specification in its order, and beside them only ours', () => {
    const values: readonly string[] = PERMISSIONS.map((entry) => entry.value);
    expect(values.filter((value) => !ADDED.includes(value))).toEqual(SPECIFIED);
    expect(values.filter((value) => ADDED.includes(value)).toSorted()).toEqual(ADDED.toSorted());
    expect(['admin.egg.list', 'admin.egg.view'].map((value) => values.includes(value))).toEqual([true, false]);
  });

  test('S3.2 an entry has constant, value, category and description, and staff with the permission may read them', async () => {
    const holder = await h.person('keeper', { permissions: ['admin.permissions.list'] });
    const { permissions } = await holder.api.adminPermissions.list();
    expect(permissions).toHaveLength(SPECIFIED.length + ADDED.length);
    expect(permissions.find((entry) => entry.value === 'admin.mail.templates.edit')).toEqual({
      constant: 'ADMIN_MAIL_TEMPLATES_EDIT',
      value: 'admin.mail.templates.edit',
      category: 'mailTemplates',
      description: 'ADMIN_MAIL_TEMPLATES_EDIT.text',
    });
    expect(new Set(permissions.map((entry) => entry.constant)).size).toBe(SPECIFIED.length + ADDED.length);
  });

  test.each(LOCALES.map((locale) => [locale]))(
    'S3.2 the texts in %s give each permission a name and a description of its own, and each category a name',
    (locale) => {
      const texts = textsOf(locale, 'permissions');
      const keys = [
        ...PERMISSIONS.flatMap((entry) => [`${entry.constant}.label`, entry.description]),
        ...new Set(PERMISSIONS.map((entry) => `category.${entry.category}`)),
      ];
      expect(Object.keys(texts).sort()).toEqual(keys.sort());
      const labels = PERMISSIONS.map((entry) => `${entry.category}: ${texts[`${entry.constant}.label`]}`);
      const described = PERMISSIONS.map((entry) => texts[entry.description]);
      expect([new Set(labels).size, new Set(described).size]).toEqual([PERMISSIONS.length, PERMISSIONS.length]);
    },
  );
});
