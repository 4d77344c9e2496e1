import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB, PanelOutages } from '#server/data/schema.ts';
import type { Outage, OutagesRepo } from '#server/modules/servers/outages/ports.ts';
import { OUTAGE_CAUSES } from '#shared/server-codes.ts';

const toOutage = (row: Selectable<PanelOutages>): Outage => ({
  panel: row.panel,
  node: row.node,
  cause: OUTAGE_CAUSES.find((cause) => cause === row.cause) ?? 'panel',
  reason: row.reason,
  sinceMs: row.since_ms,
  nextMs: row.next_ms,
  tries: row.tries,
  notifiedMs: row.notified_ms,
});

/** Outages in the database. */
export function createOutagesRepo(_db: Kysely<DB>, raw: Raw): OutagesRepo {
  const changed = async (sql: string, values: readonly (string | number)[]) =>
    (await raw.run(sql, [...values])).changes > 0;
  return {
    async list() {
      return (await raw.all<Selectable<PanelOutages>>('SELECT * FROM panel_outages ORDER BY panel, node', [])).map(
        toOutage,
      );
    },
    async find(panel, node) {
      const row = await raw.one<Selectable<PanelOutages>>('SELECT * FROM panel_outages WHERE panel = ? AND node = ?', [
        panel,
        node,
      ]);
      return row ? toOutage(row) : null;
    },
    async save({ panel, node, cause, reason, sinceMs, nextMs, tries, notifiedMs }) {
      await raw.run(
        `INSERT INTO panel_outages (panel, node, cause, reason, since_ms, next_ms, tries, notified_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (panel, node) DO UPDATE SET cause = excluded.cause, reason = excluded.reason, next_ms = excluded.next_ms, tries = excluded.tries,
           notified_ms = CASE WHEN panel_outages.cause = excluded.cause THEN panel_outages.notified_ms ELSE NULL END`,
        [panel, node, cause, reason, sinceMs, nextMs, tries, notifiedMs],
      );
    },
    claimRetry: (panel, node, nowMs, nextMs) =>
      changed('UPDATE panel_outages SET next_ms = ? WHERE panel = ? AND node = ? AND next_ms <= ?', [
        nextMs,
        panel,
        node,
        nowMs,
      ]),
    markNotified: (panel, node, atMs) =>
      changed('UPDATE panel_outages SET notified_ms = ? WHERE panel = ? AND node = ? AND notified_ms IS NULL', [
        atMs,
        panel,
        node,
      ]),
    async hasWaiting(panel, node) {
      const sql = `SELECT 1 AS n FROM server_queue q JOIN servers v ON v.id = q.server_id WHERE q.state IN ('queued', 'building') AND COALESCE(v.panel, '') = ?${node === '' ? '' : ' AND v.panel_node = ?'} LIMIT 1`;
      return Boolean(await raw.one<{ n: number }>(sql, node === '' ? [panel] : [panel, node]));
    },
    end: (panel, node) => changed('DELETE FROM panel_outages WHERE panel = ? AND node = ?', [panel, node]),
  };
}
