import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { PERMISSIONS } from '#shared/permissions.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { createAccess } from './service.ts';

const clock = fakeClock();
const ids = testIds();
const access = createAccess({ clock, ids, events: { emit: () => Promise.resolve() } });
let db: TestDb;
beforeEach(async () => {
  db = await openTestDb();
});
afterEach(() => db.close());

const seed = () => db.uow.run((tx) => access.seedRoles(tx));
const roles = () =>
  db.sql<Record<string, unknown>>(
    'SELECT key, name, color, rank, is_default, created_ms FROM roles WHERE key IS NOT NULL ORDER BY rank',
  );
const permissionsOf = async (key: 'member' | 'vip' | 'support' | 'admin' | 'owner') =>
  db.uow.read(async (tx) => access.permissionsOf(tx, (await access.seededRole(tx, key)).id));

describe('the roles of a new installation', () => {
  test('a new installation has five roles, each above the one before, and new users get the lowest', async () => {
    await seed();
    const created_ms = clock.now();
    expect(await roles()).toEqual([
      { key: 'member', name: 'Member', color: '#8d93a1', rank: 0, is_default: 1, created_ms },
      { key: 'vip', name: 'VIP', color: '#bf94e4', rank: 10, is_default: 0, created_ms },
      { key: 'support', name: 'Support', color: '#6caee8', rank: 50, is_default: 0, created_ms },
      { key: 'admin', name: 'Admin', color: '#4fc29a', rank: 80, is_default: 0, created_ms },
      { key: 'owner', name: 'Owner', color: '#ea8b7a', rank: 100, is_default: 0, created_ms },
    ]);
    expect((await db.uow.read((tx) => tx.access.defaultRole())).key).toBe('member');
  });

  test('S12 each role of a new installation may do what is written down, and only the owner everything', async () => {
    await seed();
    expect(await permissionsOf('member')).toEqual([]);
    expect(await permissionsOf('vip')).toEqual(['user.permission.vip']);
    expect(await permissionsOf('support')).toEqual([
      'admin.dashboard.components.support.view',
      'admin.dashboard.view',
      'admin.server.queue.list',
      'admin.server.queue.logs.view',
      'admin.server.queue.view',
      'admin.servers.list',
      'admin.tickets.list',
      'admin.tickets.view',
      'admin.users.list',
    ]);
    expect(await permissionsOf('owner')).toEqual(['admin.root']);
    const admin = await permissionsOf('admin');
    expect(admin.filter((each) => each === 'admin.root' || !each.startsWith('admin.'))).toEqual([]);
    expect(admin).toHaveLength(PERMISSIONS.filter(({ value }) => value.startsWith('admin.')).length - 1);
  });

  test('a later start adds missing roles, keeps those that an admin changed, and clears caches for new ones alone', async () => {
    let heard = 0;
    db.bus.subscribe('roles', () => void (heard += 1));
    await seed();
    expect(heard).toBeGreaterThan(0);
    heard = 0;
    await db.sql("UPDATE roles SET name = 'Helpers', rank = 60 WHERE key = 'support'");
    await db.sql("DELETE FROM role_permissions WHERE role_id = (SELECT id FROM roles WHERE key = 'support')");
    await seed();
    expect([heard, await permissionsOf('support')]).toEqual([0, []]);
    expect((await roles()).find(({ key }) => key === 'support')).toMatchObject({ name: 'Helpers', rank: 60 });
    await db.sql("DELETE FROM role_permissions WHERE role_id = (SELECT id FROM roles WHERE key = 'vip')");
    await db.sql("DELETE FROM roles WHERE key = 'vip'");
    await seed();
    expect([heard, await permissionsOf('vip')]).toEqual([1, ['user.permission.vip']]);
  });

  test('a role of the seeds that is missing is a fault of the installation', async () => {
    await expect(db.uow.read((tx) => access.seededRole(tx, 'owner'))).rejects.toThrow('the role owner is missing');
  });
});

describe('whether there is an owner', () => {
  /** An account with a role. Out: its id. */
  async function account(key: 'admin' | 'owner'): Promise<string> {
    const id = ids.uuid();
    await db.uow.run(async (tx) =>
      tx.identity.addUser({
        id,
        username: id,
        email: `${id}@example.com`,
        passwordHash: '-',
        firstName: 'A',
        lastName: 'B',
        roleId: (await access.seededRole(tx, key)).id,
        locale: 'en',
        verifiedMs: null,
        createdMs: clock.now(),
      }),
    );
    return id;
  }
  const hasOwner = () => db.uow.read((tx) => access.hasOwner(tx));

  test('T38 an installation has an owner as long as an account that may do everything is not deleted, banned or not', async () => {
    await seed();
    await account('admin');
    expect(await hasOwner()).toBe(false);
    const owner = await account('owner');
    expect(await hasOwner()).toBe(true);
    await db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [owner]);
    expect(await hasOwner()).toBe(true);
    await db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [owner]);
    expect(await hasOwner()).toBe(false);
  });
});
