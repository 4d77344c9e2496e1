import { define, type Migration } from './migration.ts';

/**
 * One durable queue: jobs get a waiting line (priority, fairness between groups, limits), and the work on each open
 * entry of the server queue becomes a job of its own, under the id of the entry. Leases live with the jobs alone.
 */
export const oneQueue: Migration = {
  name: '0033_one_queue',
  up: (step) =>
    define(step, [
      'ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0',
      // Of jobs that stand in a line: whose they are, what they load and what else they need.
      'ALTER TABLE jobs ADD COLUMN group_key TEXT',
      'ALTER TABLE jobs ADD COLUMN limit_key TEXT',
      'ALTER TABLE jobs ADD COLUMN place_key TEXT',
      // When it left the line; null while it waits there, and for jobs without one.
      'ALTER TABLE jobs ADD COLUMN begun_ms INTEGER',
      'DROP INDEX jobs_due',
      "CREATE INDEX jobs_due ON jobs (run_at_ms, id) WHERE state = 'ready' AND group_key IS NULL",
      "CREATE INDEX jobs_waiting ON jobs (kind, group_key, priority DESC, created_ms, id) WHERE state = 'ready' AND begun_ms IS NULL AND group_key IS NOT NULL",
      "CREATE INDEX jobs_begun ON jobs (kind, limit_key, run_at_ms, id) WHERE state = 'ready' AND begun_ms IS NOT NULL",
      'CREATE INDEX jobs_served ON jobs (kind, group_key, begun_ms) WHERE begun_ms IS NOT NULL',
      "DELETE FROM jobs WHERE kind = 'servers.queue'",
      "DELETE FROM schedules WHERE name = 'servers.queue'",
      `INSERT INTO jobs (id, kind, payload, unique_key, run_at_ms, attempts, max_attempts, lease_until_ms, lease_token, rerun, state, last_error, created_ms, done_ms, priority, group_key, limit_key, place_key, begun_ms)
        SELECT q.id, 'servers.build', 'null', NULL, q.run_at_ms, 0, 1000000000, 0, NULL, 0, 'ready', NULL, q.created_ms, NULL, q.priority, q.user_id,
          COALESCE(v.panel, ''), COALESCE(v.panel, '') || '/' || COALESCE(v.panel_node, ''), CASE WHEN q.state = 'building' THEN COALESCE(q.started_ms, q.run_at_ms) ELSE NULL END
        FROM server_queue q JOIN servers v ON v.id = q.server_id WHERE q.state IN ('queued', 'building')`,
      'DROP INDEX server_queue_begun',
      'ALTER TABLE server_queue DROP COLUMN run_at_ms',
      'ALTER TABLE server_queue DROP COLUMN lease_until_ms',
      'ALTER TABLE server_queue DROP COLUMN lease_token',
    ]),
};
