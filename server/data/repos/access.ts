import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { listRows } from '#server/data/row.ts';
import type { DB, Roles } from '#server/data/schema.ts';
import type { AccessRepo, RoleKey, RoleRow } from '#server/modules/access/ports.ts';

const toRole = (row: Selectable<Roles>): RoleRow => ({
  id: row.id,
  key: row.key as RoleKey | null,
  name: row.name,
  color: row.color,
  rank: row.rank,
  isDefault: row.is_default === 1,
});

/** Roles and their permissions in the database. */
export function createAccessRepo(db: Kysely<DB>, raw: Raw): AccessRepo {
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
      if (permissions.length > 0) {
        await db
          .insertInto('role_permissions')
          .values(permissions.map((permission) => ({ role_id: role.id, permission })))
          .execute();
      }
      return true;
    },
    async role(id) {
      const row = await db.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toRole(row) : null;
    },
    async roleByKey(key) {
      const row = await db.selectFrom('roles').selectAll().where('key', '=', key).executeTakeFirst();
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
    async anyHolder(permission) {
      const row = await db
        .selectFrom('users')
        .innerJoin('role_permissions', 'role_permissions.role_id', 'users.role_id')
        .select('users.id')
        .where('role_permissions.permission', '=', permission)
        .where('users.status', '!=', 'deleted')
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async lock() {
      // SQLite has one writer.
      if (raw.dialect === 'postgres') await db.selectFrom('roles').select('id').orderBy('id').forUpdate().execute();
    },
    async anyOtherActiveHolder(permission, userId) {
      const others = db
        .selectFrom('users')
        .innerJoin('role_permissions', 'role_permissions.role_id', 'users.role_id')
        .select('users.id')
        .where('role_permissions.permission', '=', permission)
        .where('users.status', '=', 'active');
      const row = await (userId === null ? others : others.where('users.id', '!=', userId)).limit(1).executeTakeFirst();
      return row !== undefined;
    },
    async holders(permissions, limit) {
      const rows = await db
        .selectFrom('users')
        .innerJoin('role_permissions', 'role_permissions.role_id', 'users.role_id')
        .select('users.id')
        .distinct()
        .where('users.status', '=', 'active')
        .where('role_permissions.permission', 'in', [...permissions])
        .orderBy('users.id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
