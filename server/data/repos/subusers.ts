import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { SubusersRepo } from '#server/modules/servers/core/subuser-ports.ts';
import { MOST_SHARED_SERVERS, MOST_SUBUSERS, SUBUSER_RIGHTS, type SubuserRight } from '#shared/subusers.ts';

/** Rights as stored; what this version does not know is no right. */
function toRights(stored: string): SubuserRight[] {
  const names = JSON.parse(stored) as string[];
  return SUBUSER_RIGHTS.filter((right) => names.includes(right));
}

/** Who works on servers of others. */
export function createSubusersRepo(db: Kysely<DB>, raw: Raw): SubusersRepo {
  const open = () => db.selectFrom('server_subusers').where('ended_ms', 'is', null);
  const change = (serverId: string, userId: string) =>
    db
      .updateTable('server_subusers')
      .where('server_id', '=', serverId)
      .where('user_id', '=', userId)
      .where('ended_ms', 'is', null);
  return {
    async findRights(serverId, userId) {
      const row = await findRow(raw, 'server_subusers', { server_id: serverId, user_id: userId });
      return row?.ended_ms === null ? toRights(row.rights) : null;
    },
    async list(serverId) {
      const rows = await open()
        .innerJoin('users', 'users.id', 'server_subusers.user_id')
        .select(['user_id', 'users.username', 'rights', 'server_subusers.created_ms'])
        .where('server_id', '=', serverId)
        .orderBy('users.username_key')
        .limit(MOST_SUBUSERS)
        .execute();
      return rows.map((row) => ({
        userId: row.user_id,
        username: row.username,
        rights: toRights(row.rights),
        createdMs: row.created_ms,
      }));
    },
    async listShared(userId) {
      const rows = await open()
        .innerJoin('servers', 'servers.id', 'server_subusers.server_id')
        .innerJoin('users', 'users.id', 'servers.user_id')
        .select(['server_id', 'users.username as owner', 'rights'])
        .where('server_subusers.user_id', '=', userId)
        .where('servers.state', '<>', 'deleted')
        .orderBy('server_subusers.created_ms', 'desc')
        .orderBy('server_id')
        .limit(MOST_SHARED_SERVERS)
        .execute();
      return rows.map((row) => ({ serverId: row.server_id, owner: row.owner, rights: toRights(row.rights) }));
    },
    async count(of) {
      const row = await open()
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where(
          'serverId' in of ? 'server_id' : 'server_subusers.user_id',
          '=',
          'serverId' in of ? of.serverId : of.userId,
        )
        .executeTakeFirstOrThrow();
      return Number(row.n);
    },
    async add({ serverId, userId, rights, createdMs }) {
      const granted = { rights: JSON.stringify(rights), created_ms: createdMs, ended_ms: null };
      const added = await db
        .insertInto('server_subusers')
        .values({ server_id: serverId, user_id: userId, ...granted })
        .onConflict((conflict) =>
          conflict
            .columns(['server_id', 'user_id'])
            .doUpdateSet(granted)
            .where('server_subusers.ended_ms', 'is not', null),
        )
        .returning('user_id')
        .execute();
      return added.length > 0;
    },
    async setRights(serverId, userId, rights) {
      const done = await change(serverId, userId)
        .set({ rights: JSON.stringify(rights) })
        .executeTakeFirst();
      return done.numUpdatedRows > 0n;
    },
    async end(serverId, userId, atMs) {
      const done = await change(serverId, userId).set({ ended_ms: atMs }).executeTakeFirst();
      return done.numUpdatedRows > 0n;
    },
    async endAllOf(serverId, atMs) {
      await db
        .updateTable('server_subusers')
        .set({ ended_ms: atMs })
        .where('server_id', '=', serverId)
        .where('ended_ms', 'is', null)
        .execute();
    },
  };
}
