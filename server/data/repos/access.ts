import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { listRows } from '#server/data/row.ts';
import type { DB, Roles } from '#server/data/schema.ts';
import type { AccessRepo, RoleKey, RoleRow } from '#server/modules/access/ports.ts';

/** Key of PostgreSQL's advisory lock for changes of roles. Any fixed number that nobody else uses will do. */
const ROLES_LOCK = 7_403_110;

const toRole = (row: Selectable<Roles>): RoleRow => ({
  id: row.id,
  key: row.key as RoleKey | null,
  name: row.name,
  color: row.color,
  rank: row.rank,
  isDefault: row.is_default === 1,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
});

/** Roles and their permissions in the database. */
export function createAccessRepo(db: Kysely<DB>, raw: Raw): AccessRepo {
  return { ...createRoleReads(db, raw), ...createRoleWrites(db, raw), ...createHolders(db) };
}

const RANKS = `SELECT (SELECT r.rank FROM users u JOIN roles r ON r.id = u.role_id WHERE u.id = ?) AS own,
  (SELECT rank FROM roles WHERE id = ?) AS other`;

type Reads =
  | 'role'
  | 'findRanks'
  | 'roleByKey'
  | 'roleByName'
  | 'defaultRole'
  | 'permissionsOf'
  | 'listRoles'
  | 'listRoleNames'
  | 'countRoles'
  | 'listMemberNames'
  | 'deletedKeys';
type Holders = 'anyHolder' | 'anyOtherActiveHolder' | 'holders';

function createRoleReads(db: Kysely<DB>, raw: Raw): Pick<AccessRepo, Reads> {
  return {
    async role(id) {
      const row = await db.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toRole(row) : null;
    },
    async findRanks(userId, roleId) {
      const row = await raw.one<{ own: number | null; other: number | null }>(RANKS, [userId, roleId]);
      return { own: row?.own ?? null, other: row?.other ?? null };
    },
    async roleByKey(key) {
      const row = await db.selectFrom('roles').selectAll().where('key', '=', key).executeTakeFirst();
      return row ? toRole(row) : null;
    },
    async roleByName(name) {
      const row = await db
        .selectFrom('roles')
        .selectAll()
        .where((eb) => eb.fn<string>('lower', ['name']), '=', name.toLowerCase())
        .orderBy('id')
        .executeTakeFirst();
      return row ? toRole(row) : null;
    },
    async defaultRole() {
      const row = await db
        .selectFrom('roles')
        .selectAll()
        .where('is_default', '=', 1)
        .orderBy('rank')
        .executeTakeFirst();
      if (!row) throw new Error('no default role: the roles were not seeded');
      return toRole(row);
    },
    async permissionsOf(roleId) {
      const rows = await listRows(raw, 'role_permissions', { role_id: roleId }, 'permission');
      return rows.map((row) => row.permission);
    },
    async listRoles() {
      const roles = await db.selectFrom('roles').selectAll().orderBy('rank', 'desc').orderBy('name').execute();
      const permissions = await db.selectFrom('role_permissions').selectAll().orderBy('permission').execute();
      const members = await raw.all<{ role_id: string; members: number }>(
        `SELECT role_id, COUNT(*) AS members FROM users WHERE ${raw.stopCondition} AND status <> 'deleted' GROUP BY role_id`,
      );
      return roles.map((row) => ({
        ...toRole(row),
        permissions: permissions.filter((each) => each.role_id === row.id).map(({ permission }) => permission),
        members: members.find((each) => each.role_id === row.id)?.members ?? 0,
      }));
    },
    listRoleNames: () =>
      db.selectFrom('roles').select(['id', 'name']).orderBy('rank', 'desc').orderBy('name').execute(),
    async countRoles() {
      return (await db.selectFrom('roles').select('id').execute()).length;
    },
    async listMemberNames(roleId, limit) {
      const rows = await db
        .selectFrom('users')
        .select('username')
        .where('role_id', '=', roleId)
        .where('status', '=', 'active')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ username }) => username);
    },
    async deletedKeys() {
      const rows = await db.selectFrom('deleted_role_keys').select('key').execute();
      return rows.map(({ key }) => key);
    },
  };
}

function createRoleWrites(db: Kysely<DB>, raw: Raw): Omit<AccessRepo, Reads | Holders> {
  const insertPermissions = async (roleId: string, permissions: readonly string[]) => {
    if (permissions.length === 0) return;
    await db
      .insertInto('role_permissions')
      .values(permissions.map((permission) => ({ role_id: roleId, permission })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  };
  return {
    async add(role, permissions) {
      const added = await db
        .insertInto('roles')
        .values({
          id: role.id,
          key: role.key,
          name: role.name,
          color: role.color,
          rank: role.rank,
          is_default: role.isDefault ? 1 : 0,
          created_ms: role.createdMs,
          updated_ms: role.createdMs,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      if (added.length === 0) return false;
      await insertPermissions(role.id, permissions);
      return true;
    },
    async lock() {
      // SQLite has one writer at a time anyway.
      if (raw.dialect === 'postgres') await raw.run('SELECT pg_advisory_xact_lock(?)', [ROLES_LOCK]);
    },
    async update(id, input, updatedMs) {
      const { name, color, rank, isDefault } = input;
      const values = { name, color, rank, is_default: isDefault ? 1 : 0, updated_ms: updatedMs } as const;
      await db.updateTable('roles').set(values).where('id', '=', id).execute();
    },
    async remove({ id, key }, nowMs) {
      await db.deleteFrom('role_permissions').where('role_id', '=', id).execute();
      await db.deleteFrom('roles').where('id', '=', id).execute();
      if (key !== null) await db.insertInto('deleted_role_keys').values({ key, deleted_ms: nowMs }).execute();
    },
    async changePermissions(id, { grant, revoke }, updatedMs) {
      if (revoke.length > 0)
        await db
          .deleteFrom('role_permissions')
          .where('role_id', '=', id)
          .where('permission', 'in', [...revoke])
          .execute();
      await insertPermissions(id, grant);
      await db.updateTable('roles').set({ updated_ms: updatedMs }).where('id', '=', id).execute();
    },
    async assign(userId, roleId, nowMs) {
      await db.updateTable('users').set({ role_id: roleId, updated_ms: nowMs }).where('id', '=', userId).execute();
    },
    async moveMembers(fromId, toId, nowMs) {
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set({ role_id: toId, updated_ms: nowMs })
        .where('role_id', '=', fromId)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
  };
}

function createHolders(db: Kysely<DB>): Pick<AccessRepo, Holders> {
  const holdersOf = (permissions: readonly string[]) =>
    // From the few roles to their users: with statistics SQLite would read all users instead, a role of whom is common.
    db
      .selectFrom('role_permissions')
      .crossJoin('users')
      .whereRef('users.role_id', '=', 'role_permissions.role_id')
      .select('users.id')
      .where('role_permissions.permission', 'in', [...permissions]);
  return {
    async anyHolder(permission) {
      const query = holdersOf([permission]).where('users.status', '!=', 'deleted');
      return (await query.limit(1).executeTakeFirst()) !== undefined;
    },
    async anyOtherActiveHolder(permission, userId) {
      const active = holdersOf([permission]).where('users.status', '=', 'active');
      const others = userId === null ? active : active.where('users.id', '!=', userId);
      return (await others.limit(1).executeTakeFirst()) !== undefined;
    },
    async holders(permissions, limit) {
      const query = holdersOf(permissions).distinct().where('users.status', '=', 'active');
      const rows = await query.orderBy('users.id').limit(limit).execute();
      return rows.map(({ id }) => id);
    },
  };
}
