import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { NodeAllocations, CapacityReservations, DB } from '#server/data/schema.ts';
import type {
  CapacityRepo,
  ServerAllocation,
  NodeCapacity,
  Reservation,
} from '#server/modules/servers/capacity/ports.ts';
import type { NodeReading } from '#server/modules/servers/core/ports.ts';
import { nodeCatalogue } from './capacity-nodes.ts';

interface NodeRow {
  panel_id: string;
  node: string;
  name: string;
  location: string | null;
  tags: string;
  public: number;
  maintenance: number;
  memory: number;
  disk: number;
  memory_overallocate: number;
  disk_overallocate: number;
  memory_used: number;
  disk_used: number;
  memory_reserved: number;
  disk_reserved: number;
  free_allocations: number;
}

/** A reservation counts until a reading of the panel's sums that was begun after the panel had confirmed it. */
const COUNTS = '(r.confirmed_ms IS NULL OR r.confirmed_ms >= n.seen_ms)';
const reserved = (kind: 'memory' | 'disk') =>
  `(SELECT CAST(COALESCE(SUM(r.${kind}), 0) AS BIGINT) FROM capacity_reservations r WHERE r.panel_id = n.panel_id AND r.node = n.node AND ${COUNTS}) AS ${kind}_reserved`;
const NODES = `SELECT n.*, ${reserved('memory')}, ${reserved('disk')},
    (SELECT COUNT(*) FROM node_allocations p WHERE p.panel_id = n.panel_id AND p.node = n.node AND p.assigned = 0 AND p.server_id IS NULL AND p.vanished_ms IS NULL) AS free_allocations
  FROM node_capacity n JOIN panels ON panels.id = n.panel_id
  WHERE n.vanished_ms IS NULL AND panels.enabled = 1`;

/** Columns of what is known of a node as a place for servers, for any question that has its panel and its id. */
export const nodeReading = (panel: string, node: string): string =>
  `(SELECT MAX(r.seen_ms) FROM node_capacity r WHERE r.panel_id = ${panel}) AS node_read_ms,
    CASE WHEN EXISTS (SELECT 1 FROM node_capacity n JOIN panels p ON p.id = n.panel_id
      WHERE n.panel_id = ${panel} AND n.node = ${node} AND n.maintenance = 0 AND n.vanished_ms IS NULL
        AND p.enabled = 1) THEN 1 ELSE 0 END AS node_is_open`;
export interface NodeReadingRow {
  readonly node_read_ms: number | null;
  readonly node_is_open: number;
}
export const toNodeReading = (row: NodeReadingRow): NodeReading => ({
  readMs: row.node_read_ms,
  isOpen: row.node_is_open === 1,
});
const NODE_READING = `SELECT ${nodeReading('?', '?')}`;

const FREE = 'assigned = 0 AND server_id IS NULL AND vanished_ms IS NULL';
const TAKE = `UPDATE node_allocations SET server_id = ?, is_default = 0
  WHERE panel_id = ? AND ${FREE} AND allocation IN
    (SELECT allocation FROM node_allocations WHERE panel_id = ? AND node = ? AND ${FREE} ORDER BY ip, port, allocation LIMIT ?)`;

const toNode = (row: NodeRow): NodeCapacity => ({
  panel: row.panel_id,
  node: row.node,
  name: row.name,
  location: row.location,
  tags: JSON.parse(row.tags) as string[],
  public: row.public === 1,
  maintenance: row.maintenance === 1,
  memory: row.memory,
  disk: row.disk,
  memoryOverallocate: row.memory_overallocate,
  diskOverallocate: row.disk_overallocate,
  memoryUsed: row.memory_used,
  diskUsed: row.disk_used,
  memoryReserved: row.memory_reserved,
  diskReserved: row.disk_reserved,
  freeAllocations: row.free_allocations,
});
const toPort = (row: Selectable<NodeAllocations>): ServerAllocation => ({
  panel: row.panel_id,
  node: row.node,
  allocation: row.allocation,
  address: `${row.alias ?? row.ip}:${row.port}`,
  isDefault: row.is_default === 1,
});
const toReservation = (row: Selectable<CapacityReservations>): Reservation => ({
  serverId: row.server_id,
  panel: row.panel_id,
  node: row.node,
  memory: row.memory,
  disk: row.disk,
  confirmedMs: row.confirmed_ms,
  untilMs: row.until_ms,
  createdMs: row.created_ms,
});

const HELD = 'SELECT * FROM node_allocations WHERE server_id = ? ORDER BY is_default DESC, ip, port, allocation';
const marks = (values: readonly string[]) => values.map(() => '?').join(', ');
const NO_DEFAULT = 'UPDATE node_allocations SET is_default = 1 WHERE server_id = ? AND allocation = ?';

type NodesPart = Pick<CapacityRepo, 'readNode' | 'lock' | 'nodes'>;
function roomPart(raw: Raw): NodesPart {
  return {
    async lock(panel) {
      const row = await raw.one<{ enabled: number }>(
        `SELECT enabled FROM panels WHERE id = ?${raw.dialect === 'postgres' ? ' FOR UPDATE' : ''}`,
        [panel],
      );
      return row?.enabled === 1;
    },
    async readNode(panel, node) {
      const row = await raw.one<NodeReadingRow>(NODE_READING, [panel, panel, node]);
      return toNodeReading(row ?? { node_read_ms: null, node_is_open: 0 });
    },
    async nodes(panel) {
      const sql = `${NODES}${panel === null ? '' : ' AND n.panel_id = ?'} ORDER BY n.panel_id, n.node`;
      return (await raw.all<NodeRow>(sql, panel === null ? [] : [panel])).map(toNode);
    },
  };
}

type AllocationsPart = Pick<
  CapacityRepo,
  'assignAllocations' | 'replaceAllocations' | 'allocationsOf' | 'allocationIds' | 'releaseAllocations' | 'markAssigned'
>;
/**
 * A port has one row and one holder: what is taken is written over a condition, so the same port is never given twice
 * whoever is faster.
 */
function portsPart(db: Kysely<DB>, raw: Raw): AllocationsPart {
  const held = (serverId: string) => raw.all<Selectable<NodeAllocations>>(HELD, [serverId]);
  async function appoint(serverId: string): Promise<void> {
    const [first] = await held(serverId);
    if (first && first.is_default === 0) await raw.run(NO_DEFAULT, [serverId, first.allocation]);
  }
  return {
    async assignAllocations({ panel, node, serverId }, count) {
      if (count > 0) await raw.run(TAKE, [serverId, panel, panel, node, count]);
      await appoint(serverId);
      return (await held(serverId)).map(toPort);
    },
    async replaceAllocations({ panel, serverId }, allocations) {
      await raw.run('UPDATE node_allocations SET server_id = NULL, is_default = 0 WHERE server_id = ?', [serverId]);
      if (allocations.length === 0) return;
      const free = `server_id IS NULL AND panel_id = ? AND allocation IN (${marks(allocations)})`;
      await raw.run(
        `UPDATE node_allocations SET server_id = ?, assigned = 1,
           is_default = CASE WHEN allocation = ? THEN 1 ELSE 0 END
         WHERE ${free}`,
        [serverId, allocations[0] ?? '', panel, ...allocations],
      );
    },
    async allocationsOf(serverId) {
      return (await held(serverId)).map(toPort);
    },
    async allocationIds(serverIds) {
      const found = new Map<string, string[]>();
      if (serverIds.length === 0) return found;
      const rows = await db
        .selectFrom('node_allocations')
        .select(['server_id', 'allocation'])
        .where('server_id', 'in', [...serverIds])
        .orderBy('is_default', 'desc')
        .orderBy('ip')
        .orderBy('port')
        .orderBy('allocation')
        .execute();
      for (const { server_id: holder, allocation } of rows)
        if (holder !== null) found.set(holder, [...(found.get(holder) ?? []), allocation]);
      return found;
    },
    async releaseAllocations(serverId, allocations, assigned) {
      if (allocations.length === 0) return;
      const word = assigned === null ? '' : `, assigned = ${assigned ? 1 : 0}`;
      await raw.run(
        `UPDATE node_allocations SET server_id = NULL, is_default = 0${word} WHERE server_id = ? AND allocation IN (${marks(allocations)})`,
        [serverId, ...allocations],
      );
      await appoint(serverId);
    },
    async markAssigned(serverId) {
      await raw.run('UPDATE node_allocations SET assigned = 1 WHERE server_id = ?', [serverId]);
    },
  };
}

type ReservationsPart = Pick<
  CapacityRepo,
  | 'findReservation'
  | 'outstanding'
  | 'saveReservation'
  | 'confirmReservation'
  | 'extendReservation'
  | 'deleteReservation'
  | 'listExpiredReservations'
>;
function promisesPart(db: Kysely<DB>, raw: Raw): ReservationsPart {
  const of = () => db.selectFrom('capacity_reservations').selectAll();
  return {
    async findReservation(serverId) {
      const row = await of().where('server_id', '=', serverId).executeTakeFirst();
      return row ? toReservation(row) : null;
    },
    async outstanding(serverId) {
      const sql = `SELECT r.memory, r.disk FROM capacity_reservations r JOIN node_capacity n ON n.panel_id = r.panel_id AND n.node = r.node WHERE r.server_id = ? AND ${COUNTS}`;
      return (await raw.one<{ memory: number; disk: number }>(sql, [serverId])) ?? { memory: 0, disk: 0 };
    },
    async saveReservation(row) {
      const values = {
        panel_id: row.panel,
        node: row.node,
        memory: row.memory,
        disk: row.disk,
        confirmed_ms: row.confirmedMs,
        until_ms: row.untilMs,
        created_ms: row.createdMs,
      };
      await db
        .insertInto('capacity_reservations')
        .values({ server_id: row.serverId, ...values })
        .onConflict((conflict) => conflict.column('server_id').doUpdateSet(values))
        .execute();
    },
    async confirmReservation(serverId, atMs) {
      await raw.run('UPDATE capacity_reservations SET confirmed_ms = ? WHERE server_id = ? AND confirmed_ms IS NULL', [
        atMs,
        serverId,
      ]);
    },
    async extendReservation(serverId, untilMs) {
      await db
        .updateTable('capacity_reservations')
        .set({ until_ms: untilMs })
        .where('server_id', '=', serverId)
        .execute();
    },
    async deleteReservation(serverId) {
      await db.deleteFrom('capacity_reservations').where('server_id', '=', serverId).execute();
    },
    async listExpiredReservations(nowMs, limit) {
      const rows = await of()
        .where('confirmed_ms', 'is', null)
        .where('until_ms', '<=', nowMs)
        .orderBy('until_ms')
        .orderBy('server_id')
        .limit(limit)
        .execute();
      return rows.map(toReservation);
    },
  };
}

/** The capacity of nodes in the database. */
export function createCapacityRepo(db: Kysely<DB>, raw: Raw): CapacityRepo {
  return { ...roomPart(raw), ...portsPart(db, raw), ...promisesPart(db, raw), ...nodeCatalogue(db) };
}
