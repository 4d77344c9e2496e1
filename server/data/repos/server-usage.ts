import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import { USAGE_KINDS, type ServerUsageRepo, type UsageFigures } from '#server/modules/servers/core/usage-ports.ts';

const COLUMNS = [
  'server_id',
  'hour_ms',
  'measurements',
  ...USAGE_KINDS.flatMap((kind) => [`${kind}_sum`, `${kind}_max`]),
];
const ROW = `(${COLUMNS.map(() => '?').join(', ')})`;
const MERGED = USAGE_KINDS.map(
  (kind) => `${kind}_sum = server_usage_hours.${kind}_sum + excluded.${kind}_sum,
    ${kind}_max = CASE WHEN excluded.${kind}_max > server_usage_hours.${kind}_max THEN excluded.${kind}_max
      ELSE server_usage_hours.${kind}_max END`,
);

/** Usage of servers by hour, in the database. */
export function createServerUsageRepo(db: Kysely<DB>, raw: Raw): ServerUsageRepo {
  return {
    async add(hourMs, servers) {
      if (servers.length === 0) return;
      await raw.run(
        `INSERT INTO server_usage_hours (${COLUMNS.join(', ')}) VALUES ${servers.map(() => ROW).join(', ')}
         ON CONFLICT (server_id, hour_ms) DO UPDATE SET
           measurements = server_usage_hours.measurements + 1, ${MERGED.join(', ')}`,
        servers.flatMap(({ serverId, figures }) => [
          serverId,
          hourMs,
          1,
          ...USAGE_KINDS.flatMap((kind) => [figures[kind], figures[kind]]),
        ]),
      );
    },
    async list(serverId, fromMs) {
      const rows = await db
        .selectFrom('server_usage_hours')
        .selectAll()
        .where('server_id', '=', serverId)
        .where('hour_ms', '>=', fromMs)
        .orderBy('hour_ms')
        .execute();
      return rows.map((row) => {
        const each = (of: (kind: (typeof USAGE_KINDS)[number]) => number) =>
          Object.fromEntries(USAGE_KINDS.map((kind) => [kind, of(kind)])) as Record<keyof UsageFigures, number>;
        return {
          hourMs: row.hour_ms,
          average: each((kind) => Math.round(row[`${kind}_sum`] / row.measurements)),
          highest: each((kind) => row[`${kind}_max`]),
        };
      });
    },
    async purge(beforeMs, limit) {
      const { changes } = await raw.run(
        `DELETE FROM server_usage_hours WHERE (server_id, hour_ms) IN
           (SELECT server_id, hour_ms FROM server_usage_hours WHERE hour_ms < ? ORDER BY hour_ms LIMIT ?)`,
        [beforeMs, limit],
      );
      return changes;
    },
  };
}
