import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { OverviewRepo } from '#server/modules/overview/ports.ts';
import { OUTAGE_CAUSES } from '#shared/server-codes.ts';

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** Open outages of panels that are connected, each with how many wait there. */
const OUTAGES = `SELECT o.panel AS panel_id, p.name AS panel, CASE WHEN o.node = '' THEN NULL ELSE COALESCE(n.name, o.node) END AS node, o.cause, o.reason, o.since_ms,
    (SELECT COUNT(*) FROM server_queue q JOIN servers v ON v.id = q.server_id WHERE q.state IN ('queued', 'building') AND v.panel = o.panel AND (o.node = '' OR o.node = v.panel_node)) AS waiting
  FROM panel_outages o JOIN panels p ON p.id = o.panel LEFT JOIN node_capacity n ON n.panel_id = o.panel AND n.node = o.node
  ORDER BY o.since_ms, o.panel, o.node`;

/** The dashboard's counts, each from an index, and what was changed lately. */
export function createOverviewRepo(db: Kysely<DB>, raw: Raw): OverviewRepo {
  const users = () =>
    db
      .selectFrom('users')
      .where('status', '<>', 'deleted')
      .select((eb) => eb.fn.countAll<number>().as('n'));
  const servers = () => db.selectFrom('servers').select((eb) => eb.fn.countAll<number>().as('n'));
  return {
    async counts(sinceMs) {
      const all = await users().executeTakeFirstOrThrow();
      const since = await users().where('created_ms', '>=', sinceMs).executeTakeFirstOrThrow();
      const live = await servers().where('state', 'not in', ['deleted', 'failed']).executeTakeFirstOrThrow();
      const suspended = await servers().where('state', '=', 'suspended').executeTakeFirstOrThrow();
      const queue = await db
        .selectFrom('server_queue')
        .where('state', 'in', ['queued', 'building'])
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return { users: all.n, usersSince: since.n, servers: live.n, suspended: suspended.n, queue: queue.n };
    },
    async outages() {
      const rows = await raw.all<{
        panel_id: string;
        panel: string;
        node: string | null;
        cause: string;
        reason: string | null;
        since_ms: number;
        waiting: number;
      }>(OUTAGES, []);
      return rows.map(({ since_ms: sinceMs, cause, ...row }) => ({
        ...row,
        cause: OUTAGE_CAUSES.find((each) => each === cause) ?? 'panel',
        sinceMs,
      }));
    },
    async activity(sinceMs, limit, areas) {
      if (areas?.length === 0) return [];
      const rows = await db
        .selectFrom('audit')
        .leftJoin('users', 'users.id', 'audit.actor_id')
        .select([
          'audit.id',
          'audit.at_ms',
          'audit.action',
          'audit.target',
          'audit.before',
          'audit.after',
          'users.username as actor',
        ])
        .where('audit.at_ms', '>=', sinceMs)
        .where('audit.action', 'not like', 'account.%')
        .$if(areas !== null, (query) =>
          query.where((eb) =>
            eb.or(
              (areas ?? []).map((area) =>
                eb.and([eb('audit.action', '>=', `${area}.`), eb('audit.action', '<', `${area}/`)]),
              ),
            ),
          ),
        )
        .orderBy('audit.at_ms', 'desc')
        .orderBy('audit.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        atMs: row.at_ms,
        actor: row.actor,
        action: row.action,
        target: row.target,
        before: parsed(row.before),
        after: parsed(row.after),
      }));
    },
  };
}
