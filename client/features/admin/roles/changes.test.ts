import { describe, expect, test } from 'bun:test';
import type { MatrixRole } from '#shared/contract/roles.ts';
import { cellState, changesOf, seenOf, tickKey, ticksOf } from './changes.ts';

const role = (over: Partial<MatrixRole>): MatrixRole => ({
  id: 'r1',
  name: 'Support',
  color: '#888888',
  rank: 50,
  is_default: false,
  members: 4,
  names: [],
  editable: true,
  permissions: ['admin.users.list'],
  updated_at: '2026-01-01T00:00:00.000Z',
  ...over,
});
const CATALOGUE = ['admin.root', 'admin.users.edit', 'admin.users.list', 'user.permission.vip'];
const OWN = ['admin.permissions.edit', 'admin.users.list', 'admin.users.edit'];

describe('what may be ticked', () => {
  test('a box is open for a permission one holds or that the role has, in a role below one’s own', () => {
    expect(cellState(OWN, role({}), 'admin.users.edit')).toBe('open');
    expect(cellState(OWN, role({ permissions: ['user.permission.vip'] }), 'user.permission.vip')).toBe('open');
    expect(cellState(OWN, role({}), 'user.permission.vip')).toBe('locked');
    expect(cellState(OWN, role({}), 'admin.root')).toBe('locked');
    expect(cellState(['admin.root'], role({}), 'admin.root')).toBe('open');
  });

  test('a box is locked in a role above, in the default role for staff’s permissions, and for who only looks', () => {
    expect(cellState(OWN, role({ editable: false }), 'admin.users.list')).toBe('locked');
    expect(cellState(['admin.root'], role({ is_default: true }), 'admin.users.edit')).toBe('locked');
    expect(cellState(['admin.root'], role({ is_default: true }), 'user.permission.vip')).toBe('open');
    expect(cellState(['admin.permissions.list', 'admin.users.edit'], role({}), 'admin.users.edit')).toBe('locked');
  });

  test('a role with full access has everything; only full access itself may be taken from it', () => {
    const full = role({ permissions: ['admin.root'] });
    expect(cellState(['admin.root'], full, 'admin.users.list')).toBe('always');
    expect(cellState(['admin.root'], full, 'admin.root')).toBe('open');
  });
});

describe('what a form changes', () => {
  test('every box that could be ticked and is not takes the permission away, and what is hidden stays', () => {
    const roles = [role({}), role({ id: 'r2', permissions: ['admin.root'] }), role({ id: 'r3', editable: false })];
    const form = new FormData();
    form.append('seen', 'r1 2026-01-01T00:00:00.000Z');
    form.append('seen', 'r2 2026-01-02T00:00:00.000Z');
    form.append('p', tickKey('r1', 'admin.users.edit'));
    form.append('p', tickKey('r2', 'admin.root'));
    const ticks = ticksOf(form, { own: OWN, roles, catalogue: CATALOGUE });
    expect(changesOf(roles, CATALOGUE, ticks)).toEqual([
      { role: roles[0] as MatrixRole, grant: ['admin.users.edit'], revoke: ['admin.users.list'] },
    ]);
    expect(seenOf(form).get('r2')).toBe('2026-01-02T00:00:00.000Z');
  });

  test('a role that the form does not name stays as it is, and a tick that changes nothing is no change', () => {
    const roles = [role({})];
    expect([...ticksOf(new FormData(), { own: OWN, roles, catalogue: CATALOGUE })]).toEqual([]);
    expect(changesOf(roles, CATALOGUE, new Map([[tickKey('r1', 'admin.users.list'), true]]))).toEqual([]);
  });
});
