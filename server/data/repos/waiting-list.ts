import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB, WaitingList } from '#server/data/schema.ts';
import type { WaitingListEntry, WaitingListRepo } from '#server/modules/servers/waiting-list/ports.ts';

const toEntry = (row: Selectable<WaitingList>): WaitingListEntry => ({
  id: row.id,
  userId: row.user_id,
  locationId: row.location_id,
  eggId: row.egg_id,
  memory: row.memory,
  disk: row.disk,
  ports: row.ports,
  createdMs: row.created_ms,
  notifiedMs: row.notified_ms,
});

/** Who waits for free capacity at a location. */
export const createWaitingListRepo = (db: Kysely<DB>, raw: Raw): WaitingListRepo => ({
  ...entriesPart(db, raw),
  ...countsPart(db),
});

/** Entries of a location that have not been notified. */
const notNotified = (db: Kysely<DB>, locationId: string) =>
  db.selectFrom('waiting_list').where('location_id', '=', locationId).where('notified_ms', 'is', null);

type CountsPart = Pick<WaitingListRepo, 'countAhead' | 'lengths' | 'countNotifiedSince' | 'countFreedSince'>;

/** The entries: joining, leaving, notifying and clearing away. */
function entriesPart(db: Kysely<DB>, raw: Raw): Omit<WaitingListRepo, keyof CountsPart> {
  return {
    async join({ id, userId, locationId, eggId, memory, disk, ports, createdMs }) {
      const row = await raw.one<Selectable<WaitingList>>(
        `INSERT INTO waiting_list (id, user_id, location_id, egg_id, memory, disk, ports, created_ms, notified_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)
         ON CONFLICT (user_id, location_id) DO UPDATE SET
           id = CASE WHEN waiting_list.notified_ms IS NULL THEN waiting_list.id ELSE excluded.id END,
           created_ms = CASE WHEN waiting_list.notified_ms IS NULL THEN waiting_list.created_ms ELSE excluded.created_ms END,
           egg_id = excluded.egg_id, memory = excluded.memory, disk = excluded.disk, ports = excluded.ports, notified_ms = NULL
         RETURNING *`,
        [id, userId, locationId, eggId, memory, disk, ports, createdMs],
      );
      if (!row) throw new Error('a waiting list entry was neither added nor found');
      return toEntry(row);
    },
    async leave(userId, locationId) {
      const gone = await db
        .deleteFrom('waiting_list')
        .where('user_id', '=', userId)
        .where('location_id', '=', locationId)
        .returning('id')
        .execute();
      return gone.length > 0;
    },
    async listByUser(userId) {
      return (
        await db
          .selectFrom('waiting_list')
          .selectAll()
          .where('user_id', '=', userId)
          .orderBy('created_ms')
          .orderBy('id')
          .execute()
      ).map(toEntry);
    },
    async listWaiting(locationId, limit) {
      return (
        await notNotified(db, locationId).selectAll().orderBy('created_ms').orderBy('id').limit(limit).execute()
      ).map(toEntry);
    },
    async markNotified(id, atMs) {
      const notified = await db
        .updateTable('waiting_list')
        .set({ notified_ms: atMs })
        .where('id', '=', id)
        .where('notified_ms', 'is', null)
        .returning('id')
        .execute();
      return notified.length > 0;
    },
    async purge(notified, joined) {
      const gone = await raw.all(
        `DELETE FROM waiting_list WHERE notified_ms < ? OR created_ms < ?
           OR NOT EXISTS (SELECT 1 FROM locations WHERE locations.id = waiting_list.location_id)
           OR NOT EXISTS (SELECT 1 FROM eggs WHERE eggs.id = waiting_list.egg_id)
           OR EXISTS (SELECT 1 FROM servers WHERE servers.user_id = waiting_list.user_id AND servers.location_id = waiting_list.location_id
                AND servers.created_ms > waiting_list.created_ms AND servers.state NOT IN ('failed', 'deleted'))
         RETURNING id`,
        [notified.beforeMs, joined.beforeMs],
      );
      return gone.length;
    },
  };
}

/** How many wait, were notified, and made place. */
function countsPart(db: Kysely<DB>): CountsPart {
  return {
    async countAhead({ id, locationId, createdMs }) {
      const row = await notNotified(db, locationId)
        .where((eb) => eb(eb.refTuple('created_ms', 'id'), '<', eb.tuple(createdMs, id)))
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
    },
    async lengths() {
      const rows = await db
        .selectFrom('waiting_list')
        .where('notified_ms', 'is', null)
        .groupBy('location_id')
        .select((eb) => ['location_id', eb.fn.countAll<number>().as('n')])
        .execute();
      return new Map(rows.map((row) => [row.location_id, row.n]));
    },
    async countNotifiedSince(locationId, sinceMs) {
      const row = await db
        .selectFrom('waiting_list')
        .where('location_id', '=', locationId)
        .where('notified_ms', '>', sinceMs)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
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
