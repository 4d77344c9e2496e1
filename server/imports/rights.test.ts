import { describe, expect, test } from 'bun:test';
import { PERMISSIONS } from '#shared/permissions.ts';
import { toRights } from './rights.ts';

describe('permissions of other dashboards', () => {
  test('become the nearest of ours, and what has none is counted', () => {
    expect(toRights('paymenter', ['admin.tickets.viewAny', 'admin.users.viewAny', 'admin.orders.create'])).toEqual({
      permissions: ['admin.dashboard.view', 'admin.users.list', 'admin.tickets.list'],
      unmatched: 1,
    });
    expect(toRights('ctrlpanel', ['admin.voucher.read', 'user.shop.buy'])).toEqual({
      permissions: ['admin.dashboard.view', 'admin.redeem.codes.list'],
      unmatched: 0,
    });
    expect(toRights('mythicaldash4', ['admin.users.list', 'admin.made.up', 'user.permission.vip'])).toEqual({
      permissions: ['admin.dashboard.view', 'admin.users.list', 'user.permission.vip'],
      unmatched: 1,
    });
  });

  test('give nobody the owner’s, whatever they are called there', () => {
    for (const product of ['ctrlpanel', 'paymenter', 'mythicaldash4'] as const)
      for (const all of ['*', 'admin.root']) {
        const { permissions } = toRights(product, [all, 'admin.users.list']);
        expect(permissions).not.toContain('admin.root');
        expect(permissions.length).toBe(PERMISSIONS.filter(({ value }) => value.startsWith('admin.')).length - 1);
      }
    for (const name of ['constructor', '__proto__', 'toString'])
      expect(toRights('ctrlpanel', [name])).toEqual({ permissions: [], unmatched: 1 });
  });
});
