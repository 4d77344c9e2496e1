import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB, ServerWaits } from '#server/data/schema.ts';
import type { WaitingListEntry, WaitingListRepo } from '#server/modules/servers/waiting-list/ports.ts';

const toWait = (row: Selectable<ServerWaits>): WaitingListEntry => ({
  id: row.id,
  userId: row.user_id,
  locationId: row.location_id,
  eggId: row.egg_id,
  memory: row.memory,
  disk: row.disk,
  ports: row.ports,
  createdMs: row.created_ms,
  notifiedMs: row.told_ms,
});

/** Who waits for room at a location. */
export function createWaitingListRepo(db: Kysely<DB>, raw: Raw): WaitingListRepo {
  const untold = (locationId: string) =>
    db.selectFrom('server_waits').where('location_id', '=', locationId).where('told_ms', 'is', null);
  return {
    async join({ id, userId, locationId, eggId, memory, disk, ports, createdMs }) {
      const row = await raw.one<Selectable<ServerWaits>>(
        `INSERT INTO server_waits (id, user_id, location_id, egg_id, memory, disk, ports, created_ms, told_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)
         ON CONFLICT (user_id, location_id) DO UPDATE SET
           id = CASE WHEN server_waits.told_ms IS NULL THEN server_waits.id ELSE excluded.id END,
           created_ms = CASE WHEN server_waits.told_ms IS NULL THEN server_waits.created_ms ELSE excluded.created_ms END,
           egg_id = excluded.egg_id, memory = excluded.memory, disk = excluded.disk, ports = excluded.ports, told_ms = NULL
         RETURNING *`,
        [id, userId, locationId, eggId, memory, disk, ports, createdMs],
      );
      if (!row) throw new Error('a waiting row was neither added nor found');
      return toWait(row);
    },
    async leave(userId, locationId) {
      const gone = await db
        .deleteFrom('server_waits')
        .where('user_id', '=', userId)
        .where('location_id', '=', locationId)
        .returning('id')
        .execute();
      return gone.length > 0;
    },
    async listByUser(userId) {
      return (
        await db
          .selectFrom('server_waits')
          .selectAll()
          .where('user_id', '=', userId)
          .orderBy('created_ms')
          .orderBy('id')
          .execute()
      ).map(toWait);
    },
    async countAhead({ id, locationId, createdMs }) {
      const row = await untold(locationId)
        .where((eb) => eb(eb.refTuple('created_ms', 'id'), '<', eb.tuple(createdMs, id)))
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
    },
    async lengths() {
      const rows = await db
        .selectFrom('server_waits')
        .where('told_ms', 'is', null)
        .groupBy('location_id')
        .select((eb) => ['location_id', eb.fn.countAll<number>().as('n')])
        .execute();
      return new Map(rows.map((row) => [row.location_id, row.n]));
    },
    async listWaiting(locationId, limit) {
      return (await untold(locationId).selectAll().orderBy('created_ms').orderBy('id').limit(limit).execute()).map(
        toWait,
      );
    },
    async countNotifiedSince(locationId, sinceMs) {
      const row = await db
        .selectFrom('server_waits')
        .where('location_id', '=', locationId)
        .where('told_ms', '>', sinceMs)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
    },
    async markNotified(id, atMs) {
      const told = await db
        .updateTable('server_waits')
        .set({ told_ms: atMs })
        .where('id', '=', id)
        .where('told_ms', 'is', null)
        .returning('id')
        .execute();
      return told.length > 0;
    },
    async purge(told, begun) {
      const gone = await raw.all(
        `DELETE FROM server_waits WHERE told_ms < ? OR created_ms < ?
           OR NOT EXISTS (SELECT 1 FROM locations WHERE locations.id = server_waits.location_id)
           OR NOT EXISTS (SELECT 1 FROM eggs WHERE eggs.id = server_waits.egg_id)
           OR EXISTS (SELECT 1 FROM servers WHERE servers.user_id = server_waits.user_id AND servers.location_id = server_waits.location_id
                AND servers.created_ms > server_waits.created_ms AND servers.state NOT IN ('failed', 'deleted'))
         RETURNING id`,
        [told.beforeMs, begun.beforeMs],
      );
      return gone.length;
    },
    async countFreedSince(locationId, sinceMs) {
      const row = await db
        .selectFrom('servers')
        .where('location_id', '=', locationId)
        .where('state', '=', 'deleted')
        .where('deleted_ms', '>=', sinceMs)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
    },
  };
}
