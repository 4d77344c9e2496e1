import { joinInOrder, type Raw } from '#server/data/raw.ts';
import type {
  StaffEntry,
  StaffOwner,
  StaffQueueFilter,
  StaffServersRepo,
  StaffStep,
} from '#server/modules/servers/core/index.ts';
import type { QueueState, ServerState } from '#shared/schemas/server.ts';
import { counted, createdPage, placed, textWhere, Where } from './staff-where.ts';

const fromOf = (raw: Raw) =>
  `FROM server_queue q ${joinInOrder(raw)} servers s ON s.id = q.server_id ${joinInOrder(raw)} users u ON u.id = q.user_id LEFT JOIN locations l ON l.id = s.location_id LEFT JOIN panels p ON p.id = s.panel LEFT JOIN jobs j ON j.id = q.id`;
const selectOf = (
  raw: Raw,
) => `SELECT q.id, q.state, q.priority, q.attempts, q.last_error, q.waiting_since_ms, s.panel_node, s.panel_id, COALESCE(j.run_at_ms, q.created_ms) AS run_at_ms, q.created_ms, q.started_ms, q.done_ms, q.user_id, u.username, u.status,
  q.server_id, s.name, s.state AS server_state, s.location_id, l.name AS location_name, s.panel, p.name AS panel_name ${fromOf(raw)}`;

interface Row {
  id: string;
  state: QueueState;
  priority: number;
  attempts: number;
  last_error: string | null;
  waiting_since_ms: number | null;
  panel_node: string | null;
  panel_id: string | null;
  run_at_ms: number;
  created_ms: number;
  started_ms: number | null;
  done_ms: number | null;
  user_id: string;
  username: string;
  status: StaffOwner['status'];
  server_id: string;
  name: string;
  server_state: ServerState;
  location_id: string;
  location_name: string | null;
  panel: string | null;
  panel_name: string | null;
}
const toEntry = (row: Row): StaffEntry => ({
  id: row.id,
  state: row.state,
  priority: row.priority,
  attempts: row.attempts,
  lastError: row.last_error,
  waitingSinceMs: row.waiting_since_ms,
  panelNode: row.panel_node,
  panelId: row.panel_id,
  runAtMs: row.run_at_ms,
  createdMs: row.created_ms,
  startedMs: row.started_ms,
  doneMs: row.done_ms,
  owner: { id: row.user_id, username: row.username, status: row.status },
  server: { id: row.server_id, name: row.name, state: row.server_state },
  ...placed(row),
});

function conditions({ state, search }: StaffQueueFilter): Where {
  const where = new Where();
  if (state !== undefined) where.and('q.state = ?', state);
  textWhere(where, search, ['q.id', 'q.server_id', 'q.user_id']);
  return where;
}

type QueuePart = Pick<
  StaffServersRepo,
  'listEntries' | 'exportEntries' | 'findEntry' | 'countEntryStates' | 'deleteEntry' | 'listLog'
>;

/** The queue and its log, as staff ask for them. */
export function staffQueuePart(raw: Raw): QueuePart {
  return {
    async listEntries(query) {
      const where = conditions(query);
      const dir = query.dir === 'desc' ? 'DESC' : 'ASC';
      const rows = await raw.all<Row>(
        `${selectOf(raw)} ${where.sql} ORDER BY q.created_ms ${dir}, q.id ${dir} LIMIT ? OFFSET ?`,
        [...where.values, query.limit, query.offset],
      );
      const total = await counted(
        raw,
        `SELECT COUNT(*) AS n FROM server_queue q ${joinInOrder(raw)} servers s ON s.id = q.server_id ${where.sql}`,
        where.values,
      );
      return { rows: rows.map(toEntry), total };
    },
    async exportEntries(query, after, limit) {
      const page = createdPage(conditions(query), 'q', after, limit);
      return (await raw.all<Row>(`${selectOf(raw)} ${page.sql}`, page.values)).map(toEntry);
    },
    async findEntry(id) {
      const row = await raw.one<Row>(`${selectOf(raw)} WHERE q.id = ?`, [id]);
      return row ? toEntry(row) : null;
    },
    async countEntryStates() {
      const rows = await raw.all<{ state: QueueState; n: number }>(
        'SELECT state, COUNT(*) AS n FROM server_queue GROUP BY state',
      );
      return new Map(rows.map((row) => [row.state, row.n]));
    },
    async deleteEntry(id) {
      const { changes } = await raw.run(
        "DELETE FROM server_queue WHERE id = ? AND state IN ('completed', 'failed', 'cancelled')",
        [id],
      );
      if (changes > 0) await raw.run('DELETE FROM server_queue_log WHERE queue_id = ?', [id]);
      return changes > 0;
    },
    async listLog({ code, search, offset, limit }) {
      const where = new Where();
      if (code !== undefined) where.and('g.code = ?', code);
      textWhere(where, search, ['g.server_id', 'g.queue_id']);
      const from = `FROM server_queue_log g LEFT JOIN servers s ON s.id = g.server_id`;
      const rows = await raw.all<StepRow>(
        `SELECT g.id, g.at_ms, g.code, g.detail, g.server_id, q.id AS queue_id, s.name, u.username ${from}
         LEFT JOIN users u ON u.id = s.user_id LEFT JOIN server_queue q ON q.id = g.queue_id ${where.sql} ORDER BY g.at_ms DESC, g.id DESC LIMIT ? OFFSET ?`,
        [...where.values, limit, offset],
      );
      return {
        rows: rows.map(toStep),
        total: await counted(raw, `SELECT COUNT(*) AS n ${from} ${where.sql}`, where.values),
      };
    },
  };
}

interface StepRow {
  id: string;
  at_ms: number;
  code: string;
  detail: string | null;
  server_id: string;
  queue_id: string | null;
  name: string | null;
  username: string | null;
}
const toStep = (row: StepRow): StaffStep => ({
  id: row.id,
  atMs: row.at_ms,
  code: row.code,
  detail: row.detail,
  queueId: row.queue_id,
  serverId: row.server_id,
  server: row.name,
  username: row.username,
});
