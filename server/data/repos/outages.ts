import type { Kysely, Selectable } from 'kysely';
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
export function createOutagesRepo(db: Kysely<DB>): OutagesRepo {
  const all = () => db.selectFrom('panel_outages').selectAll();
  const update = (panel: string, node: string) =>
    db.updateTable('panel_outages').where('panel', '=', panel).where('node', '=', node);
  return {
    async list() {
      return (await all().orderBy('panel').orderBy('node').execute()).map(toOutage);
    },
    async find(panel, node) {
      const row = await all().where('panel', '=', panel).where('node', '=', node).executeTakeFirst();
      return row ? toOutage(row) : null;
    },
    async save({ panel, node, cause, reason, sinceMs, nextMs, tries, notifiedMs }) {
      const values = { cause, reason, next_ms: nextMs, tries };
      await db
        .insertInto('panel_outages')
        .values({ panel, node, since_ms: sinceMs, notified_ms: notifiedMs, ...values })
        .onConflict((conflict) =>
          conflict.columns(['panel', 'node']).doUpdateSet((eb) => ({
            ...values,
            // Another cause is news, which nobody was notified of.
            notified_ms: eb
              .case()
              .when('panel_outages.cause', '=', eb.ref('excluded.cause'))
              .then(eb.ref('panel_outages.notified_ms'))
              .else(null)
              .end(),
          })),
        )
        .execute();
    },
    async claimRetry(panel, node, nowMs, nextMs) {
      const claimed = await update(panel, node)
        .set({ next_ms: nextMs })
        .where('next_ms', '<=', nowMs)
        .executeTakeFirst();
      return claimed.numUpdatedRows > 0n;
    },
    async markNotified(panel, node, atMs) {
      const marked = await update(panel, node)
        .set({ notified_ms: atMs })
        .where('notified_ms', 'is', null)
        .executeTakeFirst();
      return marked.numUpdatedRows > 0n;
    },
    async hasWaiting(panel, node) {
      const waiting = db
        .selectFrom('server_queue')
        .innerJoin('servers', 'servers.id', 'server_queue.server_id')
        .select('server_queue.id')
        .where('server_queue.state', 'in', ['queued', 'building'])
        .where((eb) => eb(eb.fn.coalesce('servers.panel', eb.val('')), '=', panel))
        .limit(1);
      const there = node === '' ? waiting : waiting.where('servers.panel_node', '=', node);
      return (await there.executeTakeFirst()) !== undefined;
    },
    async end(panel, node) {
      const ended = await db
        .deleteFrom('panel_outages')
        .where('panel', '=', panel)
        .where('node', '=', node)
        .executeTakeFirst();
      return ended.numDeletedRows > 0n;
    },
  };
}
