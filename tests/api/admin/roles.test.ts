import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { ApiError } from '#shared/contract/client.ts';
import { DomainError } from '#shared/errors.ts';
import { PERMISSIONS, type Permission } from '#shared/permissions.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.10.

setDefaultTimeout(300_000);

const ALL_ROLES: readonly Permission[] = [
  'admin.roles.create',
  'admin.roles.edit',
  'admin.roles.delete',
  'admin.roles.list',
];
const ALL_PERMISSIONS: readonly Permission[] = [
  'admin.permissions.create',
  'admin.permissions.edit',
  'admin.permissions.delete',
  'admin.permissions.list',
];
/** The code that a command is refused with; `done` where it is not. */
const outcomeOf = (command: Promise<unknown>): Promise<string> =>
  command.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof DomainError || error instanceof ApiError) return error.code;
      throw error;
    },
  );
const NOBODY = '01890000-0000-7000-8000-000000000000';
const NEW = { name: 'Helper', color: '#123456', rank: 5, is_default: false, template: null };

describe.each(ENGINES)('roles on %s', (engine) => {
  let h: Harness;
  let owner: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    owner = await h.person('owner');
    await h.db.sql("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'owner') WHERE id = ?", [owner.id]);
    h.db.bus.publish([`account:${owner.id}`, `user:${owner.id}`]);
  });
  afterEach(() => h.close());

  /** Somebody with a role of their own: its rank and what it holds. */
  async function staff(name: string, rank: number, ...permissions: Permission[]): Promise<Person & { roleId: string }> {
    const person = await h.person(name, { permissions });
    const [row] = await h.db.sql<{ role_id: string }>('SELECT role_id FROM users WHERE id = ?', [person.id]);
    await h.db.sql('UPDATE roles SET rank = ? WHERE id = ?', [rank, row?.role_id ?? '']);
    return { ...person, roleId: row?.role_id ?? '' };
  }
  const idOf = async (key: string) =>
    (await h.db.sql<{ id: string }>('SELECT id FROM roles WHERE key = ?', [key]))[0]?.id ?? '';
  const roleOf = async (userId: string) =>
    (
      await h.db.sql<{ name: string }>('SELECT r.name FROM users u JOIN roles r ON r.id = u.role_id WHERE u.id = ?', [
        userId,
      ])
    )[0]?.name;
  const held = (roleId: string) => h.db.uow.read((tx) => tx.access.permissionsOf(roleId));
  const versionOf = async (id: string) => (await owner.api.adminRoles.get({ params: { id } })).row.updated_at;
  const ctxOf = (person: Person, permissions: readonly string[]): SignedIn => ({
    actor: { userId: person.id, sessionId: 's', username: person.username, permissions, verified: true },
    requestId: 'r',
    locale: 'en',
    address: '203.0.113.7',
    userAgent: 'test',
    idempotency: null,
  });
  const answer = async (by: Person, method: string, path: string, body?: object) => {
    const { status, json } = await call(h, by, method as 'GET', path, body);
    return [status, (json as { error_code: string | null }).error_code];
  };

  test('the list has every role with its members, by rank unless asked otherwise, and says which stand below one’s own', async () => {
    const admin = await staff('ann', 60, ...ALL_ROLES);
    const { rows } = await admin.api.adminRoles.list({ query: {} });
    expect(rows.map(({ name, rank, members, editable }) => [name, rank, members, editable])).toEqual([
      ['Owner', 100, 1, false],
      ['Admin', 80, 0, false],
      ['role-ann', 60, 1, false],
      ['Support', 50, 0, true],
      ['VIP', 10, 0, true],
      ['Member', 0, 0, true],
    ]);
    expect(rows[0]?.permissions).toBe(PERMISSIONS.length);
    const found = await admin.api.adminRoles.list({ query: { q: 'O', sort: 'name' } });
    expect(found.rows.map(({ name }) => name)).toEqual(['Owner', 'role-ann', 'Support']);
    const csv = await h.http('/api/admin/roles/export.csv?q=vip', {
      headers: { Cookie: `__Host-spawnpoint=${admin.secret}` },
    });
    expect((await csv.text()).trimEnd().split('\r\n')).toHaveLength(2);
  });

  test('T40 a role is made below one’s own rank, under a name of its own, like another whose permissions one holds', async () => {
    const admin = await staff('ann', 60, ...ALL_ROLES, 'admin.permissions.create', 'user.permission.vip');
    const create = (body: object) => answer(admin, 'POST', '/api/admin/roles', { ...NEW, ...body });
    expect(await create({ rank: 60 })).toEqual([422, 'VALIDATION_FAILED']);
    expect(await create({ rank: -1 })).toEqual([422, 'VALIDATION_FAILED']);
    expect(await create({ name: 'sUpport' })).toEqual([422, 'VALIDATION_FAILED']);
    expect(await create({ color: 'red' })).toEqual([422, 'VALIDATION_FAILED']);
    expect(await create({ key: 'owner' })).toEqual([422, 'VALIDATION_FAILED']);
    expect(await create({ permissions: ['admin.root'] })).toEqual([422, 'VALIDATION_FAILED']);
    expect(await create({ template: NOBODY })).toEqual([422, 'VALIDATION_FAILED']);
    expect(await create({ template: await idOf('owner') })).toEqual([403, 'PERMISSION_NOT_HELD']);
    expect(await create({ template: await idOf('support') })).toEqual([403, 'PERMISSION_NOT_HELD']);
    const { id } = await admin.api.adminRoles.create({ body: { ...NEW, template: await idOf('vip') } });
    expect(await held(id)).toEqual(['user.permission.vip']);
    // Copying grants: who may make roles, but grant nothing, makes empty ones.
    const maker = await staff('max', 60, 'admin.roles.create', 'user.permission.vip');
    const copy = { ...NEW, name: 'Copy', template: await idOf('vip') };
    expect(await answer(maker, 'POST', '/api/admin/roles', copy)).toEqual([403, 'FORBIDDEN']);
    expect(await answer(maker, 'POST', '/api/admin/roles', { ...copy, template: null })).toEqual([200, null]);
  });

  test('T40 nobody changes their own role, one of their rank or one above it, whoever they are', async () => {
    const admin = await staff('ann', 60, ...ALL_ROLES, ...ALL_PERMISSIONS, 'admin.users.list');
    const equal = await staff('eve', 60, 'admin.users.list');
    const cases: [Person, string][] = [
      [admin, admin.roleId],
      [admin, equal.roleId],
      [admin, await idOf('admin')],
      [admin, await idOf('owner')],
      [owner, await idOf('owner')],
    ];
    for (const [by, id] of cases) {
      const { name, color, rank, is_default, updated_at } = (await owner.api.adminRoles.get({ params: { id } })).row;
      const body = { name, color, rank: Math.min(rank, 1), is_default, updated_at };
      const permission = 'admin.users.list';
      const change = { role: id, updated_at, grant: [permission], revoke: [] };
      const refused = [403, 'ROLE_TOO_HIGH'];
      expect(await answer(by, 'PATCH', `/api/admin/roles/${id}`, body)).toEqual(refused);
      expect(await answer(by, 'DELETE', `/api/admin/roles/${id}`, { name })).toEqual(refused);
      expect(await answer(by, 'POST', `/api/admin/roles/${id}/permissions`, { permission })).toEqual(refused);
      expect(await answer(by, 'DELETE', `/api/admin/roles/${id}/permissions`, { permission })).toEqual(refused);
      expect(await answer(by, 'PATCH', '/api/admin/permissions', { changes: [change] })).toEqual(refused);
    }
    expect(await held(await idOf('owner'))).toEqual(['admin.root']);
  });

  test('T40 nobody grants a permission they lack or one that the catalogue does not have, and nothing of such a change is done', async () => {
    const admin = await staff('ann', 60, ...ALL_ROLES, ...ALL_PERMISSIONS, 'admin.users.list');
    const vip = await idOf('vip');
    const updated_at = await versionOf(vip);
    const save = (grant: string[], revoke: string[] = []) =>
      answer(admin, 'PATCH', '/api/admin/permissions', { changes: [{ role: vip, updated_at, grant, revoke }] });
    const one = (permission: string) => answer(admin, 'POST', `/api/admin/roles/${vip}/permissions`, { permission });
    expect(await save(['admin.users.list', 'admin.users.edit'])).toEqual([403, 'PERMISSION_NOT_HELD']);
    expect(await one('admin.root')).toEqual([403, 'PERMISSION_NOT_HELD']);
    for (const unknown of ['admin.*', 'admin.users', 'ADMIN.USERS.LIST', 'admin.users.list ', '']) {
      expect(await save([unknown])).toEqual([422, 'VALIDATION_FAILED']);
      expect(await one(unknown)).toEqual([422, 'VALIDATION_FAILED']);
    }
    expect(await held(vip)).toEqual(['user.permission.vip']);
    expect(await save(['admin.users.list'], ['user.permission.vip'])).toEqual([200, null]);
    expect(await held(vip)).toEqual(['admin.users.list']);
    expect(await one('admin.permissions.list')).toEqual([200, null]);
    expect(await one('admin.permissions.list')).toEqual([200, null]);
    await admin.api.adminPermissions.revoke({ params: { id: vip }, body: { permission: 'admin.users.list' } });
    expect(await held(vip)).toEqual(['admin.permissions.list']);
    const missing = { role: NOBODY, updated_at, grant: [], revoke: [] };
    expect(await answer(admin, 'PATCH', '/api/admin/permissions', { changes: [missing] })).toEqual([404, 'NOT_FOUND']);
  });

  test('T40 a right that was taken away a moment ago is gone, whatever the session still says', async () => {
    const admin = await staff('ann', 60, ...ALL_ROLES, ...ALL_PERMISSIONS, 'admin.users.list');
    const { staffRoles } = h.host.services;
    const vip = await idOf('vip');
    await h.db.sql("DELETE FROM role_permissions WHERE role_id = ? AND permission = 'admin.users.list'", [
      admin.roleId,
    ]);
    const stale = ctxOf(admin, [...ALL_ROLES, ...ALL_PERMISSIONS, 'admin.users.list']);
    expect(await outcomeOf(staffRoles.grant(stale, vip, 'admin.users.list'))).toBe('PERMISSION_NOT_HELD');
    await h.db.sql("DELETE FROM role_permissions WHERE role_id = ? AND permission = 'admin.permissions.create'", [
      admin.roleId,
    ]);
    expect(await outcomeOf(staffRoles.grant(stale, vip, 'admin.permissions.list'))).toBe('FORBIDDEN');
    // The other way round, a session or token that was given less does not get more by its owner's role.
    expect(await outcomeOf(staffRoles.grant(ctxOf(owner, ['admin.permissions.create']), vip, 'admin.users.list'))).toBe(
      'PERMISSION_NOT_HELD',
    );
    await h.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [admin.id]);
    expect(await outcomeOf(staffRoles.create(stale, { ...NEW, isDefault: false, templateId: null }))).toBe('FORBIDDEN');
    expect(await held(vip)).toEqual(['user.permission.vip']);
  });

  test('a change that was made from an older version is refused, and of two at once only one is made', async () => {
    const support = await idOf('support');
    const vip = await idOf('vip');
    const [seen, seenVip] = [await versionOf(support), await versionOf(vip)];
    const change = (role: string, updated_at: string, grant: string[]) => ({ role, updated_at, grant, revoke: [] });
    const save = (grant: string[]) =>
      outcomeOf(
        owner.api.adminPermissions.save({
          body: { changes: [change(vip, seenVip, ['admin.users.list']), change(support, seen, grant)] },
        }),
      );
    expect((await Promise.all([save(['admin.users.edit']), save(['admin.servers.edit'])])).toSorted()).toEqual([
      'CONFLICT',
      'done',
    ]);
    expect((await held(support)).filter((each) => each.endsWith('.edit'))).toHaveLength(1);
    const { name, color, rank, is_default } = (await owner.api.adminRoles.get({ params: { id: support } })).row;
    const body = { name, color, rank, is_default, updated_at: seen };
    expect(await answer(owner, 'PATCH', `/api/admin/roles/${support}`, body)).toEqual([409, 'CONFLICT']);
    const current = await versionOf(support);
    const rename = (to: string) =>
      outcomeOf(
        owner.api.adminRoles.update({ params: { id: support }, body: { ...body, name: to, updated_at: current } }),
      );
    expect((await Promise.all([rename('Desk'), rename('Crew')])).toSorted()).toEqual(['CONFLICT', 'done']);
  });

  test('members of a deleted role get the default one, and a later start does not bring the role back', async () => {
    const helper = await staff('hal', 20, 'admin.users.list');
    const remove = (id: string, name: string) => answer(owner, 'DELETE', `/api/admin/roles/${id}`, { name });
    expect(await owner.api.adminRoles.dependants({ params: { id: helper.roleId } })).toMatchObject({
      row: { members: 1 },
      fallback: 'Member',
    });
    expect(await remove(helper.roleId, 'role')).toEqual([422, 'NAME_MISMATCH']);
    expect(await remove(helper.roleId, 'role-hal')).toEqual([200, null]);
    expect(await roleOf(helper.id)).toBe('Member');
    expect(await answer(helper, 'GET', '/api/admin/users')).toEqual([403, 'FORBIDDEN']);
    expect(await remove(helper.roleId, 'role-hal')).toEqual([404, 'NOT_FOUND']);
    expect(await remove(await idOf('member'), 'Member')).toEqual([409, 'DEFAULT_ROLE']);
    expect(await remove(await idOf('vip'), 'VIP')).toEqual([200, null]);
    await h.db.uow.run((tx) => h.host.services.access.seedRoles(tx));
    expect(await idOf('vip')).toBe('');
    const audit = await h.db.sql<{ action: string }>("SELECT action FROM audit WHERE action = 'roles.delete'");
    expect(audit).toHaveLength(2);
  });

  test('there is one default role, it has no permission of staff, and another takes its place', async () => {
    const [member, vip, support] = [await idOf('member'), await idOf('vip'), await idOf('support')];
    const update = async (id: string, change: object) => {
      const { name, color, rank, is_default, updated_at } = (await owner.api.adminRoles.get({ params: { id } })).row;
      return answer(owner, 'PATCH', `/api/admin/roles/${id}`, { name, color, rank, is_default, updated_at, ...change });
    };
    expect(
      await answer(owner, 'POST', `/api/admin/roles/${member}/permissions`, { permission: 'admin.users.list' }),
    ).toEqual([409, 'DEFAULT_ROLE_STAFF']);
    expect(await update(support, { is_default: true })).toEqual([409, 'DEFAULT_ROLE_STAFF']);
    expect(await update(member, { is_default: false })).toEqual([409, 'DEFAULT_ROLE']);
    expect(await update(vip, { is_default: true })).toEqual([200, null]);
    const { rows } = await owner.api.adminRoles.list({ query: {} });
    expect(rows.filter((row) => row.is_default).map(({ id }) => id)).toEqual([vip]);
    const editor = await staff('ann', 60, ...ALL_ROLES);
    const { name, color, rank, updated_at } = (await owner.api.adminRoles.get({ params: { id: vip } })).row;
    const taken = { name, color, rank, is_default: true, updated_at };
    expect(await answer(editor, 'PATCH', `/api/admin/roles/${vip}`, taken)).toEqual([200, null]);
    expect((await h.person('newcomer')).id).not.toBe('');
    // Who lacks what the role holds gives it to nobody, and newcomers would get it.
    const { id } = await owner.api.adminRoles.create({ body: { ...NEW, template: vip } });
    const like = { ...NEW, template: undefined, is_default: true, updated_at: await versionOf(id) };
    expect(await answer(editor, 'PATCH', `/api/admin/roles/${id}`, like)).toEqual([403, 'PERMISSION_NOT_HELD']);
  });

  test('a permission works and ends at the next request of those who are signed in', async () => {
    const helper = await staff('hal', 20, 'admin.tickets.list');
    const permissionsNow = async () => (await helper.api.session.get()).permissions;
    expect(await answer(helper, 'GET', '/api/admin/users')).toEqual([403, 'FORBIDDEN']);
    const change = { params: { id: helper.roleId }, body: { permission: 'admin.users.list' } };
    await owner.api.adminPermissions.grant(change);
    expect(await answer(helper, 'GET', '/api/admin/users')).toEqual([200, null]);
    expect(await permissionsNow()).toEqual(['admin.tickets.list', 'admin.users.list']);
    await owner.api.adminPermissions.revoke(change);
    expect(await answer(helper, 'GET', '/api/admin/users')).toEqual([403, 'FORBIDDEN']);
    expect(await permissionsNow()).toEqual(['admin.tickets.list']);
  });

  test('the matrix has every role with what it holds, and names of members for those who may list users', async () => {
    const helper = await staff('hal', 20, 'admin.permissions.list');
    const { roles } = await owner.api.adminPermissions.matrix({ params: { id: helper.roleId } });
    expect(roles.find(({ id }) => id === helper.roleId)).toMatchObject({
      members: 1,
      names: ['hal'],
      editable: true,
      permissions: ['admin.permissions.list'],
    });
    const own = await helper.api.adminPermissions.matrix({ params: { id: helper.roleId } });
    expect(own.roles.flatMap(({ names }) => names)).toEqual([]);
    expect(await answer(owner, 'GET', `/api/admin/roles/${NOBODY}/permissions`)).toEqual([404, 'NOT_FOUND']);
  });

  describe('giving somebody another role', () => {
    const assign = (ctx: SignedIn | null, userId: string, roleId: string) =>
      outcomeOf(h.db.uow.run((tx) => h.host.services.access.assignRole(tx, ctx, userId, roleId)));

    test('T40 staff give roles below their own whose permissions they hold, to accounts below their own rank', async () => {
      const editor = await staff('ann', 60, 'admin.users.edit', 'user.permission.vip');
      const [equal, player] = [await staff('eve', 60, 'admin.users.list'), await h.person('player')];
      const ctx = ctxOf(editor, ['admin.users.edit', 'user.permission.vip']);
      expect(await assign(ctx, player.id, await idOf('owner'))).toBe('ROLE_TOO_HIGH');
      expect(await assign(ctx, player.id, editor.roleId)).toBe('ROLE_TOO_HIGH');
      expect(await assign(ctx, player.id, await idOf('support'))).toBe('PERMISSION_NOT_HELD');
      expect(await assign(ctx, editor.id, await idOf('vip'))).toBe('FORBIDDEN');
      expect(await assign(ctx, equal.id, await idOf('vip'))).toBe('FORBIDDEN');
      expect(await assign(ctx, owner.id, await idOf('vip'))).toBe('FORBIDDEN');
      expect(await assign(ctxOf(editor, []), player.id, await idOf('vip'))).toBe('FORBIDDEN');
      expect(await assign(ctx, NOBODY, await idOf('vip'))).toBe('NOT_FOUND');
      expect(await assign(ctx, player.id, NOBODY)).toBe('VALIDATION_FAILED');
      expect(await assign(ctx, player.id, await idOf('vip'))).toBe('done');
      expect(await roleOf(player.id)).toBe('VIP');
      expect((await player.api.session.get()).permissions).toEqual(['user.permission.vip']);
      expect(await assign(ctxOf(owner, ['admin.root']), player.id, await idOf('owner'))).toBe('done');
      await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [equal.id]);
      expect(await assign(ctxOf(owner, ['admin.root']), equal.id, await idOf('vip'))).toBe('CONFLICT');
      const audit = await h.db.sql<{ after: string }>(
        "SELECT after FROM audit WHERE action = 'users.role' ORDER BY id",
      );
      expect(audit.map(({ after }) => JSON.parse(after))).toContainEqual({ username: 'player', role: 'VIP' });
    });

    test('the last owner keeps their role, alone, in a race of two and against the deletion of a role', async () => {
      const [member, admin] = [await idOf('member'), await idOf('admin')];
      expect(await assign(null, owner.id, member)).toBe('LAST_OWNER');
      const second = await h.person('second');
      expect(await assign(null, second.id, await idOf('owner'))).toBe('done');
      const outcomes = await Promise.all([assign(null, owner.id, member), assign(null, second.id, member)]);
      expect(outcomes.toSorted()).toEqual(['LAST_OWNER', 'done']);
      const left = outcomes[0] === 'LAST_OWNER' ? owner : second;
      expect(await roleOf(left.id)).toBe('Owner');
      // A banned owner is none who could help.
      const banned = await h.person('banned');
      await assign(null, banned.id, await idOf('owner'));
      await h.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [banned.id]);
      expect(await assign(null, left.id, member)).toBe('LAST_OWNER');
      // Somebody whose role holds everything without being called Owner counts, and loses it only while another is left.
      await left.api.adminPermissions.grant({ params: { id: admin }, body: { permission: 'admin.root' } });
      const third = await h.person('third');
      await assign(null, third.id, admin);
      expect(await assign(null, left.id, member)).toBe('done');
      await h.db.sql('UPDATE roles SET rank = 90 WHERE id = ?', [admin]);
      expect(await assign(null, left.id, await idOf('owner'))).toBe('done');
      const both = await Promise.all([
        answer(left, 'DELETE', `/api/admin/roles/${admin}/permissions`, { permission: 'admin.root' }),
        assign(null, left.id, member),
      ]);
      expect(
        both.flat().filter((each) => each === 'LAST_OWNER').length +
          both.flat().filter((each) => each === 'FORBIDDEN').length,
      ).toBe(1);
      const [{ n } = { n: 0 }] = await h.db.sql<{ n: number }>(
        "SELECT COUNT(*) AS n FROM users u JOIN role_permissions p ON p.role_id = u.role_id WHERE u.status = 'active' AND p.permission = 'admin.root'",
      );
      expect(Number(n)).toBeGreaterThan(0);
    });
  });
});
