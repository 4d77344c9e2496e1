import type { Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB, ServerQueue, Servers } from '#server/data/schema.ts';
import type { BuildContext, ServerBuild, ServersRepo } from '#server/modules/servers/core/ports.ts';
import { nodeReading, toNodeReading, type NodeReadingRow } from './capacity.ts';
import { toEgg, toLocation } from './catalog.ts';
import { toServer } from './server-row.ts';
import { toEntry } from './servers-queue.ts';

type Row<T extends keyof DB> = Selectable<DB[T]>;
type Columns<T extends keyof DB> = readonly (keyof Row<T> & string)[];

const ENTRY = [
  'id',
  'server_id',
  'user_id',
  'state',
  'priority',
  'attempts',
  'last_error',
  'created_ms',
  'started_ms',
  'done_ms',
  'waiting_since_ms',
] as const satisfies Columns<'server_queue'>;
const EGG = [
  'id',
  'category_id',
  'name',
  'description',
  'docker_image',
  'startup',
  'shape',
  'hue',
  'picture',
  'min_memory',
  'min_disk',
  'min_cpu',
  'enabled',
  'vip_only',
  'position',
  'variables',
  'config_files',
  'container',
] as const satisfies Columns<'eggs'>;
const LOCATION = [
  'id',
  'name',
  'description',
  'code',
  'address',
  'slots',
  'online',
  'vip_only',
  'position',
  'panel_id',
  'panel_location',
  'placement',
] as const satisfies Columns<'locations'>;

/**
 * Columns of one table among those of another, each behind a prefix, and the row of them again: a cast, since types
 * cannot follow a prefix.
 */
const prefixed = (table: string, prefix: string, columns: readonly string[]) =>
  columns.map((column) => `${table}.${column} AS ${prefix}${column}`).join(', ');
const unprefixed = <T>(prefix: string, columns: readonly (keyof T & string)[], row: object): T =>
  Object.fromEntries(columns.map((column) => [column, Reflect.get(row, prefix + column) as unknown])) as T;

/** A server, its entry in the queue, who works on it, and whether it cannot be reached. */
const BUILD_COLUMNS = `s.*, ${prefixed('q', 'entry_', ENTRY)}, j.lease_token,
    CASE WHEN EXISTS (SELECT 1 FROM panel_outages o
      WHERE o.panel = COALESCE(s.panel, '') AND (o.node = '' OR o.node = s.panel_node)) THEN 1 ELSE 0 END AS is_away`;
const BUILD_TABLES = 'servers s JOIN server_queue q ON q.server_id = s.id JOIN jobs j ON j.id = q.id';

/** What a build needs to know: its owner, its place in the catalogue, and both as the panel knows them. */
const CONTEXT_COLUMNS = `${prefixed('e', 'catalog_egg_', EGG)}, ${prefixed('l', 'catalog_location_', LOCATION)},
    u.id AS owner_id, u.username AS owner_username, u.email AS owner_email, u.first_name AS owner_first_name,
    u.last_name AS owner_last_name, u.status AS owner_status, a.account AS owner_account,
    CASE WHEN s.panel IS NULL THEN s.egg_id ELSE b.panel_egg END AS panel_egg,
    ${nodeReading('s.panel', 's.panel_node')}`;
const CONTEXT_TABLES = `LEFT JOIN users u ON u.id = s.user_id
    LEFT JOIN eggs e ON e.id = s.egg_id LEFT JOIN locations l ON l.id = s.location_id
    LEFT JOIN panel_accounts a ON a.panel_id = s.panel AND a.user_id = s.user_id
    LEFT JOIN egg_bindings b ON b.panel_id = s.panel AND b.egg_id = s.egg_id`;

const BUILDS = `SELECT ${BUILD_COLUMNS} FROM ${BUILD_TABLES} WHERE q.id IN`;
/** Whether a server took a debt over is asked with the change: most did not. */
const COMPLETE = `UPDATE servers SET state = CASE WHEN desired = 'suspended' THEN 'suspended' ELSE 'active' END,
    panel_state = ?, panel_seen_ms = ?, address = ?, updated_ms = ?
  WHERE id = ? AND state = 'installing'
  RETURNING *, CASE WHEN EXISTS (SELECT 1 FROM server_debts d
    WHERE d.taken_by = servers.id AND d.state = 'taken') THEN 1 ELSE 0 END AS owes`;
const LOCKED = `SELECT ${BUILD_COLUMNS}, ${CONTEXT_COLUMNS} FROM ${BUILD_TABLES} ${CONTEXT_TABLES} WHERE q.id = ?`;

type BuildRow = Selectable<Servers> & { readonly lease_token: string | null; readonly is_away: number };
interface ContextRow extends NodeReadingRow {
  readonly owner_id: string | null;
  readonly owner_username: string;
  readonly owner_email: string;
  readonly owner_first_name: string;
  readonly owner_last_name: string;
  readonly owner_status: string;
  readonly owner_account: string | null;
  readonly panel_egg: string | null;
}

const toBuild = (row: BuildRow): ServerBuild => ({
  entry: toEntry(unprefixed<Selectable<ServerQueue>>('entry_', ENTRY, row)),
  server: toServer(row),
  leaseToken: row.lease_token,
  isAway: row.is_away === 1,
});

function toContext(row: ContextRow): BuildContext {
  if (row.owner_id === null) throw new Error('a server that is built without an owner');
  const egg = unprefixed<Row<'eggs'>>('catalog_egg_', EGG, row);
  const location = unprefixed<Row<'locations'>>('catalog_location_', LOCATION, row);
  return {
    user: {
      id: row.owner_id,
      username: row.owner_username,
      email: row.owner_email,
      firstName: row.owner_first_name,
      lastName: row.owner_last_name,
      isActive: row.owner_status === 'active',
    },
    egg: (egg.id as string | null) === null ? null : toEgg(egg),
    location: (location.id as string | null) === null ? null : toLocation(location),
    account: row.owner_account,
    panelEgg: row.panel_egg,
    node: toNodeReading(row),
  };
}

/** Servers with their entries in the queue, for whoever builds them; by kept texts, since every build asks it. */
export function buildsPart(raw: Raw): Pick<ServersRepo, 'findBuilds' | 'lockBuild' | 'completeBuild'> {
  return {
    async findBuilds(ids) {
      if (ids.length === 0) return [];
      return (await raw.all<BuildRow>(`${BUILDS} (${ids.map(() => '?').join(', ')})`, ids)).map(toBuild);
    },
    async lockBuild(id) {
      // The server before its entry and its job, as everybody locks them.
      const row = await raw.one<BuildRow & ContextRow>(
        raw.dialect === 'postgres' ? `${LOCKED} FOR UPDATE OF s, q, j` : LOCKED,
        [id],
      );
      return row ? { ...toBuild(row), context: toContext(row) } : null;
    },
    async completeBuild(serverId, { panelState, address }, atMs) {
      const row = await raw.one<Selectable<Servers> & { readonly owes: number }>(COMPLETE, [
        panelState,
        atMs,
        address,
        atMs,
        serverId,
      ]);
      return row ? { server: toServer(row), owes: row.owes === 1 } : null;
    },
  };
}
