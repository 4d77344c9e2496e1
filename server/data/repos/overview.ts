import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import { currentAction } from '#server/modules/audit/former-actions.ts';
import type { OverviewRepo } from '#server/modules/overview/ports.ts';
import { PART_NAMES } from '#shared/overview.ts';
import { OUTAGE_CAUSES } from '#shared/server-codes.ts';
import { DAY } from '#shared/time.ts';

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** Open outages of panels that are connected, each with how many wait there. */
const OUTAGES = `SELECT o.panel AS panel_id, p.name AS panel, CASE WHEN o.node = '' THEN NULL ELSE COALESCE(n.name, o.node) END AS node, o.cause, o.reason, o.since_ms,
    (SELECT COUNT(*) FROM server_queue q JOIN servers v ON v.id = q.server_id WHERE q.state IN ('queued', 'building') AND v.panel = o.panel AND (o.node = '' OR o.node = v.panel_node)) AS waiting
  FROM panel_outages o JOIN panels p ON p.id = o.panel LEFT JOIN node_capacity n ON n.panel_id = o.panel AND n.node = o.node
  ORDER BY o.since_ms, o.panel, o.node`;

/** Rows by the day on which they were made, of so many days before a moment, the oldest first. */
async function newByDay(raw: Raw, from: string, untilMs: number, days: number): Promise<number[]> {
  const rows = await raw.all<{ ago: number; n: number }>(
    `SELECT (? - created_ms) / ${DAY} AS ago, COUNT(*) AS n FROM ${from} AND created_ms >= ? AND created_ms < ? GROUP BY 1`,
    [untilMs - 1, untilMs - days * DAY, untilMs],
  );
  const counts = Array.from({ length: days }, () => 0);
  for (const { ago, n } of rows) counts[days - 1 - ago] = n;
  return counts;
}

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
    newUsers: (untilMs, days) => newByDay(raw, "users WHERE status <> 'deleted'", untilMs, days),
    newServers: (untilMs, days) => newByDay(raw, "servers WHERE state NOT IN ('deleted', 'failed')", untilMs, days),
    async layout(userId) {
      const row = await db
        .selectFrom('overview_layouts')
        .select('layout')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (!row) return null;
      const chosen: readonly unknown[] = JSON.parse(row.layout);
      return chosen.flatMap((name) => PART_NAMES.find((part) => part === name) ?? []);
    },
    async setLayout(userId, parts) {
      await db.deleteFrom('overview_layouts').where('user_id', '=', userId).execute();
      if (parts !== null)
        await db
          .insertInto('overview_layouts')
          .values({ user_id: userId, layout: JSON.stringify(parts) })
          .execute();
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
      return rows.map(({ panel_id: panelId, since_ms: sinceMs, cause, ...row }) => ({
        ...row,
        panelId,
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
        action: currentAction(row.action),
        target: row.target,
        before: parsed(row.before),
        after: parsed(row.after),
      }));
    },
  };
}
