import type { Kysely } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { DB } from '#server/data/schema.ts';
import type { UptimeRepo } from '#server/modules/uptime/index.ts';

/** The one row that all processes over this database share. */
const HERE = 'here';

/** When the product ran, in the database. */
export function createUptimeRepo(db: Kysely<DB>): UptimeRepo {
  return {
    async lockBeat() {
      const row = await forUpdate(db.selectFrom('uptime').select('beat_ms').where('id', '=', HERE)).executeTakeFirst();
      return row?.beat_ms ?? null;
    },
    async saveBeat(atMs) {
      await db
        .insertInto('uptime')
        .values({ id: HERE, beat_ms: atMs })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ beat_ms: atMs }))
        .execute();
    },
    async addDowntime({ fromMs, untilMs }) {
      await db
        .insertInto('downtimes')
        .values({ from_ms: fromMs, until_ms: untilMs })
        .onConflict((conflict) => conflict.column('from_ms').doUpdateSet({ until_ms: untilMs }))
        .execute();
    },
    async forget(range) {
      const all = db.deleteFrom('downtimes');
      const ended =
        'afterMs' in range ? all.where('until_ms', '>', range.afterMs) : all.where('until_ms', '<', range.beforeMs);
      await ended.execute();
    },
    async downtimes() {
      const rows = await db.selectFrom('downtimes').select(['from_ms', 'until_ms']).orderBy('from_ms').execute();
      return rows.map(({ from_ms, until_ms }) => ({ fromMs: from_ms, untilMs: until_ms }));
    },
  };
}
