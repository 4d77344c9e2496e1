import type { Param, Raw } from '#server/data/raw.ts';
import type { SuspendReason } from '#server/modules/servers/core/ports.ts';
import type {
  StaffOwner,
  StaffServer,
  StaffServerFilter,
  StaffServerQuery,
  StaffServersRepo,
  StaffServerSort,
} from '#server/modules/servers/core/index.ts';
import type { ServerState } from '#shared/schemas/server.ts';
import { toResources } from './server-row.ts';
import { driftPart } from './staff-drift.ts';
import { counted, createdPage, placed, textWhere, Where } from './staff-where.ts';
import { staffQueuePart } from './staff-queue.ts';

/** What expires never stands last; the index has the same expression (0021_panels). */
const EXPIRY = 'COALESCE(s.expires_ms, 9007199254740991)';
const ORDERS: Readonly<Record<StaffServerSort, string>> = {
  name: 'lower(s.name)',
  owner: 'u.username_key',
  created: 's.created_ms',
  expires: EXPIRY,
};

const NAMES = 'LEFT JOIN locations l ON l.id = s.location_id LEFT JOIN panels p ON p.id = s.panel';
const FROM = `FROM servers s JOIN users u ON u.id = s.user_id ${NAMES}`;
/**
 * By owner the users are walked in their order and each one's servers looked up; CROSS JOIN keeps SQLite from turning
 * that round.
 */
const FROM_OWNERS = `FROM users u CROSS JOIN servers s ${NAMES}`;
const COLUMNS = ` s.id, s.name, s.state, s.suspend_reason, s.suspend_note, s.failure, s.user_id, u.username, u.status, s.location_id, l.name AS location_name, s.panel,
  p.name AS panel_name, s.panel_node, s.address, s.memory, s.disk, s.cpu, s.ports, s.databases, s.backups, s.revision, s.synced_revision, s.expires_ms, s.created_ms, s.adopted_ms`;

type Row = StaffServer['resources'] & {
  id: string;
  name: string;
  state: ServerState;
  suspend_reason: SuspendReason | null;
  suspend_note: string | null;
  failure: string | null;
  user_id: string;
  username: string;
  status: StaffOwner['status'];
  location_id: string;
  location_name: string | null;
  panel: string | null;
  panel_name: string | null;
  panel_node: string | null;
  address: string | null;
  revision: number;
  synced_revision: number;
  expires_ms: number | null;
  created_ms: number;
  adopted_ms: number | null;
};
const toServer = (row: Row): StaffServer => ({
  id: row.id,
  name: row.name,
  state: row.state,
  suspendReason: row.suspend_reason,
  suspendNote: row.suspend_reason === 'admin' ? row.suspend_note : null,
  failure: row.failure,
  owner: { id: row.user_id, username: row.username, status: row.status },
  ...placed(row),
  panelNode: row.panel_node,
  address: row.address,
  resources: toResources(row),
  pending: (row.state === 'active' || row.state === 'suspended') && row.synced_revision < row.revision,
  expiresMs: row.expires_ms,
  createdMs: row.created_ms,
  adoptedMs: row.adopted_ms,
});

function conditions({ search, state, locationId, ownerId, panel }: StaffServerFilter): Where {
  const where = new Where().and('s.deleted_ms IS NULL');
  textWhere(where, search, ['s.id']);
  if (state !== undefined) where.and('s.state = ?', state);
  if (locationId !== undefined) where.and('s.location_id = ?', locationId);
  if (ownerId !== undefined) where.and('s.user_id = ?', ownerId);
  if (panel === '') where.and('s.panel IS NULL');
  else if (panel !== undefined) where.and('s.panel = ?', panel);
  return where;
}

/** The statement of a page and its values. Exported for the proof that an index serves each order. */
export function serversStatement(query: StaffServerQuery): { sql: string; values: Param[] } {
  const byOwner = query.sort === 'owner';
  const where = conditions(query);
  if (byOwner) where.and('s.user_id = u.id');
  const dir = query.dir === 'desc' ? 'DESC' : 'ASC';
  return {
    sql: `SELECT ${COLUMNS} ${byOwner ? FROM_OWNERS : FROM} ${where.sql} ORDER BY ${ORDERS[query.sort]} ${dir}, s.id ${dir} LIMIT ? OFFSET ?`,
    values: [...where.values, query.limit, query.offset],
  };
}

type ServersPart = Pick<
  StaffServersRepo,
  'listServers' | 'exportServers' | 'findServer' | 'countStates' | 'setNote' | 'listPanels'
>;
function serversPart(raw: Raw): ServersPart {
  return {
    async listServers(query) {
      const { sql, values } = serversStatement(query);
      const where = conditions(query);
      return {
        rows: (await raw.all<Row>(sql, values)).map(toServer),
        total: await counted(raw, `SELECT COUNT(*) AS n FROM servers s ${where.sql}`, where.values),
      };
    },
    async exportServers(query, after, limit) {
      const page = createdPage(conditions(query), 's', after, limit);
      return (await raw.all<Row>(`SELECT ${COLUMNS} ${FROM} ${page.sql}`, page.values)).map(toServer);
    },
    async findServer(id) {
      const row = await raw.one<Row>(`SELECT ${COLUMNS} ${FROM} WHERE s.id = ? AND s.deleted_ms IS NULL`, [id]);
      return row ? toServer(row) : null;
    },
    async countStates() {
      const rows = await raw.all<{ state: ServerState; n: number }>(
        'SELECT state, COUNT(*) AS n FROM servers WHERE deleted_ms IS NULL GROUP BY state',
      );
      return new Map(rows.map((row) => [row.state, row.n]));
    },
    async setNote(id, note) {
      await raw.run('UPDATE servers SET suspend_note = ? WHERE id = ?', [note, id]);
    },
    listPanels: () => raw.all<{ id: string; name: string }>('SELECT id, name FROM panels ORDER BY name'),
  };
}

/** Servers, their queue and the drift list, as staff ask for them. */
export function createStaffServersRepo(raw: Raw): StaffServersRepo {
  return { ...serversPart(raw), ...staffQueuePart(raw), ...driftPart(raw) };
}
