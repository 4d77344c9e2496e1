import type { Kysely } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { UptimeRepo } from '#server/modules/uptime/index.ts';

/** The one row that all processes over this database share. */
const HERE = 'here';

/** When the product ran, in the database. */
export function createUptimeRepo(db: Kysely<DB>, raw: Raw): UptimeRepo {
  return {
    async lockBeat() {
      const row = await forUpdate(db.selectFrom('uptime').select('beat_ms').where('id', '=', HERE)).executeTakeFirst();
      return row?.beat_ms ?? null;
    },
    async saveBeat(atMs) {
      await raw.run(
        'INSERT INTO uptime (id, beat_ms) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms',
        [HERE, atMs],
      );
    },
    async addDowntime({ fromMs, untilMs }) {
      await raw.run(
        'INSERT INTO downtimes (from_ms, until_ms) VALUES (?, ?) ON CONFLICT (from_ms) DO UPDATE SET until_ms = excluded.until_ms',
        [fromMs, untilMs],
      );
    },
    async forget(range) {
      if ('afterMs' in range) await raw.run('DELETE FROM downtimes WHERE until_ms > ?', [range.afterMs]);
      else await raw.run('DELETE FROM downtimes WHERE until_ms < ?', [range.beforeMs]);
    },
    async downtimes() {
      const rows = await raw.all<{ from_ms: number; until_ms: number }>(
        'SELECT from_ms, until_ms FROM downtimes ORDER BY from_ms',
        [],
      );
      return rows.map(({ from_ms, until_ms }) => ({ fromMs: from_ms, untilMs: until_ms }));
    },
  };
}
