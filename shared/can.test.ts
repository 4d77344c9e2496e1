import { describe, expect, test } from 'bun:test';
import { can, isStaff } from './can.ts';

describe('permissions of a list', () => {
  test('a permission belongs to whoever has exactly it, and all of them to whoever has admin.root', () => {
    expect(can(['admin.users.list'], 'admin.users.list')).toBe(true);
    expect(can(['user.permission.vip', 'admin.users.list'], 'admin.users.list')).toBe(true);
    expect(can(['admin.users.list'], 'admin.users.edit')).toBe(false);
    expect(can(['admin.users', 'admin.users.list.all'], 'admin.users.list')).toBe(false);
    expect(can([], 'admin.users.list')).toBe(false);
    expect(can(['user.permission.vip', 'admin.root'], 'admin.users.edit')).toBe(true);
    expect(can(['admin.root'], 'admin.settings.edit')).toBe(true);
  });

  test('somebody belongs to staff with a single permission of it among those of players, wherever it stands', () => {
    expect(isStaff(['admin.tickets.view'])).toBe(true);
    expect(isStaff(['user.permission.vip', 'admin.tickets.view'])).toBe(true);
    expect(isStaff(['admin.tickets.view', 'user.permission.vip'])).toBe(true);
    expect(isStaff(['user.permission.vip', 'user.permission.alt'])).toBe(false);
    expect(isStaff([])).toBe(false);
    expect(isStaff(['user.admin.tickets.view', 'administrator'])).toBe(false);
  });
});
