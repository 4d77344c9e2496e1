import type { Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB, ServerQueue, Servers } from '#server/data/schema.ts';
import type { ServersRepo } from '#server/modules/servers/core/ports.ts';
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

/** Columns of one table among those of another, each behind a prefix, and the row of them again. */
const prefixed = (table: string, prefix: string, columns: readonly string[]) =>
  columns.map((column) => `${table}.${column} AS ${prefix}${column}`).join(', ');
const unprefixed = (prefix: string, columns: readonly string[], row: object) =>
  Object.fromEntries(columns.map((column) => [column, Reflect.get(row, prefix + column) as unknown]));

/**
 * A server, its entry in the queue, who works on it, and whether it cannot be reached: one question, which every look
 * at a build asks.
 */
const BUILD = `SELECT s.*, ${prefixed('q', 'entry_', ENTRY)}, j.lease_token,
    CASE WHEN EXISTS (SELECT 1 FROM panel_outages o WHERE o.panel = COALESCE(s.panel, '') AND (o.node = '' OR o.node = s.panel_node)) THEN 1 ELSE 0 END AS is_away
  FROM servers s JOIN server_queue q ON q.server_id = s.id JOIN jobs j ON j.id = q.id WHERE q.id = ?`;

/** What a build needs to know: its owner, its place in the catalogue, and both as the panel knows them. */
const CONTEXT = `SELECT e.*, ${prefixed('l', 'location_', LOCATION)}, u.id AS owner_id, u.username AS owner_username,
    u.email AS owner_email, u.first_name AS owner_first_name, u.last_name AS owner_last_name, u.status AS owner_status,
    a.account, CASE WHEN s.panel IS NULL THEN s.egg_id ELSE b.panel_egg END AS panel_egg
  FROM servers s JOIN users u ON u.id = s.user_id
    LEFT JOIN eggs e ON e.id = s.egg_id LEFT JOIN locations l ON l.id = s.location_id
    LEFT JOIN panel_accounts a ON a.panel_id = s.panel AND a.user_id = s.user_id
    LEFT JOIN egg_bindings b ON b.panel_id = s.panel AND b.egg_id = s.egg_id
  WHERE s.id = ?`;

interface OwnerRow {
  readonly owner_id: string;
  readonly owner_username: string;
  readonly owner_email: string;
  readonly owner_first_name: string;
  readonly owner_last_name: string;
  readonly owner_status: string;
  readonly account: string | null;
  readonly panel_egg: string | null;
}

/** Servers with their entries in the queue, for whoever builds them; by kept texts, since every build asks it. */
export function buildsPart(raw: Raw): Pick<ServersRepo, 'findBuild' | 'lockBuild' | 'findBuildContext'> {
  const find = async (sql: string, id: string) => {
    const row = await raw.one<Selectable<Servers> & { readonly lease_token: string | null; readonly is_away: number }>(
      sql,
      [id],
    );
    if (!row) return null;
    // The columns that BUILD names are those of the table: types cannot follow the prefix.
    const entry = unprefixed('entry_', ENTRY, row) as unknown as Selectable<ServerQueue>;
    return { entry: toEntry(entry), server: toServer(row), leaseToken: row.lease_token, isAway: row.is_away === 1 };
  };
  return {
    findBuild: (id) => find(BUILD, id),
    // The server before its entry and its job, as everybody locks them.
    lockBuild: (id) => find(raw.dialect === 'postgres' ? `${BUILD} FOR UPDATE OF s, q, j` : BUILD, id),
    async findBuildContext(serverId) {
      const row = await raw.one<Row<'eggs'> & OwnerRow>(CONTEXT, [serverId]);
      if (!row) throw new Error('a server that is built without an owner');
      // The columns that CONTEXT names are those of the table: types cannot follow the prefix.
      const location = unprefixed('location_', LOCATION, row) as unknown as Row<'locations'>;
      return {
        user: {
          id: row.owner_id,
          username: row.owner_username,
          email: row.owner_email,
          firstName: row.owner_first_name,
          lastName: row.owner_last_name,
          isActive: row.owner_status === 'active',
        },
        egg: (row.id as string | null) === null ? null : toEgg(row),
        location: (location.id as string | null) === null ? null : toLocation(location),
        account: row.account,
        panelEgg: row.panel_egg,
      };
    },
  };
}
