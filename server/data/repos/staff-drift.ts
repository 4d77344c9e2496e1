import type { Raw } from '#server/data/raw.ts';
import type { StaffDrift, StaffServersRepo } from '#server/modules/servers/core/index.ts';
import type { ServerState } from '#shared/schemas/server.ts';
import { counted, Where } from './staff-where.ts';

const SELECT = `SELECT d.panel, d.kind, d.ref, d.server_id, d.name, d.detail, d.first_ms, d.seen_ms, p.name AS panel_name, s.name AS server_name, s.state, u.username
  FROM panel_drift d LEFT JOIN panels p ON p.id = d.panel LEFT JOIN servers s ON s.id = d.server_id LEFT JOIN users u ON u.id = s.user_id`;
const ORDERS = { first: 'd.first_ms', name: 'd.name' } as const;

interface Row {
  panel: string;
  kind: StaffDrift['kind'];
  ref: string;
  server_id: string | null;
  name: string;
  detail: string;
  first_ms: number;
  seen_ms: number;
  panel_name: string | null;
  server_name: string | null;
  state: ServerState | null;
  username: string | null;
}
const toDrift = (row: Row): StaffDrift => ({
  panel: row.panel,
  panelName: row.panel_name,
  kind: row.kind,
  ref: row.ref,
  serverId: row.server_id,
  name: row.name,
  detail: row.detail,
  firstMs: row.first_ms,
  seenMs: row.seen_ms,
  server:
    row.server_name === null || row.state === null
      ? null
      : { name: row.server_name, state: row.state, owner: row.username ?? '' },
});

type DriftPart = Pick<
  StaffServersRepo,
  'listDrift' | 'listDriftOfServer' | 'findDrift' | 'countDriftKinds' | 'deleteDrift' | 'isJobOpen' | 'deleteJob'
>;

/** What differs between panels and us, as staff ask for it. */
export function driftPart(raw: Raw): DriftPart {
  return {
    async listDrift({ kind, panel, sort, dir, offset, limit }) {
      const where = new Where();
      if (kind !== undefined) where.and('d.kind = ?', kind);
      if (panel !== undefined) where.and('d.panel = ?', panel);
      const to = dir === 'desc' ? 'DESC' : 'ASC';
      const rows = await raw.all<Row>(
        `${SELECT} ${where.sql} ORDER BY ${ORDERS[sort]} ${to}, d.panel ${to}, d.kind ${to}, d.ref ${to} LIMIT ? OFFSET ?`,
        [...where.values, limit, offset],
      );
      return {
        rows: rows.map(toDrift),
        total: await counted(raw, `SELECT COUNT(*) AS n FROM panel_drift d ${where.sql}`, where.values),
      };
    },
    async listDriftOfServer(serverId) {
      return (await raw.all<Row>(`${SELECT} WHERE d.server_id = ? ORDER BY d.kind, d.ref`, [serverId])).map(toDrift);
    },
    async findDrift(panel, kind, ref) {
      const row = await raw.one<Row>(`${SELECT} WHERE d.panel = ? AND d.kind = ? AND d.ref = ?`, [panel, kind, ref]);
      return row ? toDrift(row) : null;
    },
    async countDriftKinds() {
      const rows = await raw.all<{ kind: StaffDrift['kind']; n: number }>(
        'SELECT kind, COUNT(*) AS n FROM panel_drift GROUP BY kind',
      );
      return new Map(rows.map((row) => [row.kind, row.n]));
    },
    async deleteDrift(panel, kind, ref) {
      await raw.run('DELETE FROM panel_drift WHERE panel = ? AND kind = ? AND ref = ?', [panel, kind, ref]);
    },
    async isJobOpen(uniqueKey) {
      return (
        (await raw.one("SELECT 1 AS one FROM jobs WHERE unique_key = ? AND state = 'ready'", [uniqueKey])) !== undefined
      );
    },
    async deleteJob(uniqueKey) {
      await raw.run("DELETE FROM jobs WHERE unique_key = ? AND state = 'ready' AND lease_token IS NULL", [uniqueKey]);
    },
  };
}
