import * as z from 'zod/mini';
import { ImportFault } from '../fault.ts';
import {
  amount,
  as,
  count,
  eachRow,
  flag,
  fromHtml,
  key,
  optional,
  text,
  toMs,
  toOurLocale,
  toSnowflake,
  trimmed,
  type Source,
  type SourceSpec,
} from '../model.ts';
import { linesOf } from './common.ts';

/** Jexactyl 3: a game panel with a shop inside, so its users and servers are the panel's own. */
export const jexactyl: SourceSpec = {
  product: 'jexactyl',
  tables: {
    users: [
      'id',
      'username',
      'email',
      'name_first',
      'name_last',
      'password',
      'language',
      'root_admin',
      'discord_id',
      'approved',
      'verified',
      'store_balance',
      'store_cpu',
      'store_memory',
      'store_disk',
      'store_slots',
      'store_ports',
      'store_backups',
      'store_databases',
      'created_at',
    ],
    servers: [
      'id',
      'name',
      'owner_id',
      'external_id',
      'memory',
      'disk',
      'cpu',
      'allocation_limit',
      'backup_limit',
      'database_limit',
      'renewable',
      'renewal',
    ],
    coupons: ['id', 'code', 'uses', 'cr_amount', 'expires', 'expired'],
    tickets: ['id', 'client_id', 'title', 'status', 'content', 'created_at'],
    ticket_messages: ['id', 'ticket_id', 'user_id', 'content', 'created_at'],
    settings: ['key', 'value'],
  },
  assertIs(tables) {
    const users = tables.get('users');
    if (!users?.has('store_balance') || !users.has('name_first'))
      throw new ImportFault(
        users?.has('name_first') ? 'version' : 'other_product',
        'These are not the tables of Jexactyl 3: the users have no balance.',
      );
  },
  map(source) {
    mapUsers(source);
    mapServers(source);
    mapCodes(source);
    mapTickets(source);
    mapSettings(source);
  },
};

/** What is left in the shop, and what the servers have: the sources of a limit. */
const KINDS = {
  memory: ['store_memory', 'memory'],
  disk: ['store_disk', 'disk'],
  cpu: ['store_cpu', 'cpu'],
  slots: ['store_slots', 'n'],
  ports: ['store_ports', 'allocation_limit'],
  databases: ['store_databases', 'database_limit'],
  backups: ['store_backups', 'backup_limit'],
} as const;

const user = z.object({
  id: key,
  username: trimmed,
  email: trimmed,
  name_first: trimmed,
  name_last: trimmed,
  password: text,
  language: as(toOurLocale),
  root_admin: flag,
  discord_id: as(toSnowflake),
  approved: as((value) => value !== '0'),
  verified: as((value) => value !== '0'),
  store_balance: amount,
  created_at: optional,
  memory: count,
  disk: count,
  cpu: count,
  slots: count,
  ports: count,
  databases: count,
  backups: count,
});

function mapUsers(source: Source): void {
  const totals = Object.entries(KINDS).map(
    ([kind, [left, used]]) =>
      `CAST(MAX(0, CAST(COALESCE(u.${left}, 0) AS INTEGER)) + COALESCE(s.${used}, 0) AS TEXT) AS ${kind}`,
  );
  const sums = Object.values(KINDS).flatMap(([, used]) =>
    used === 'n' ? [] : [`SUM(MAX(0, CAST(COALESCE(${used}, 0) AS INTEGER))) AS ${used}`],
  );
  const sql = `SELECT u.id, u.username, u.username AS label, u.email, u.name_first, u.name_last, u.password, u.language, u.root_admin, u.discord_id, u.approved,
      u.verified, u.store_balance, u.created_at, ${totals.join(', ')}
    FROM raw_users u LEFT JOIN (SELECT owner_id, COUNT(*) AS n, ${sums.join(', ')} FROM raw_servers GROUP BY owner_id) s ON s.owner_id = u.id
    ORDER BY CAST(u.id AS INTEGER)`;
  eachRow(source, { sql, schema: user, kind: 'user' }, (row) => {
    if (row.store_balance === null) source.leave('user', row.id, row.username, 'credits_unreadable');
    const { memory, disk, cpu, slots, ports, databases, backups } = row;
    const limits = Object.fromEntries(
      Object.entries({ memory, disk, cpu, slots, ports, databases, backups }).filter(([, value]) => value !== null),
    );
    source.put('user', row.id, {
      name: row.username,
      email: row.email,
      hash: row.password,
      firstName: row.name_first,
      lastName: row.name_last,
      createdMs: toMs(row.created_at, source.zoneMs),
      verified: row.approved && row.verified,
      ban: null,
      role: row.root_admin ? 'admin' : 'member',
      roleName: row.root_admin ? 'root_admin' : '',
      limits,
      discord: row.discord_id,
      panelUser: row.id,
      ...(row.language ? { locale: row.language } : {}),
      credits: String(row.store_balance ?? 0n),
    });
  });
}

const server = z.object({
  id: key,
  name: trimmed,
  owner_id: key,
  external_id: optional,
  renewable: flag,
  renewal: count,
});
function mapServers(source: Source): void {
  eachRow(
    source,
    { sql: 'SELECT *, name AS label FROM raw_servers ORDER BY seq', schema: server, kind: 'server' },
    (row) =>
      source.put('server', row.id, {
        user: row.owner_id,
        name: row.name,
        panelId: row.id,
        externalId: row.external_id,
        expiresMs: row.renewable ? source.nowMs + (row.renewal ?? 0) * 86_400_000 : null,
      }),
  );
}

const coupon = z.object({ id: key, code: trimmed, uses: count, cr_amount: amount, expires: optional, expired: flag });
function mapCodes(source: Source): void {
  eachRow(
    source,
    { sql: 'SELECT *, code AS label FROM raw_coupons ORDER BY seq', schema: coupon, kind: 'code' },
    (row) => {
      if (row.expired) return source.leave('code', row.id, row.code, 'code_over');
      source.put('code', row.id, {
        code: row.code,
        credits: String(row.cr_amount ?? 0n),
        usesTotal: row.uses ?? 0,
        usesCount: 0,
        endsMs: toMs(row.expires, source.zoneMs),
        users: [],
      });
    },
  );
}

const ticket = z.object({
  id: key,
  client_id: key,
  title: trimmed,
  status: trimmed,
  content: text,
  created_at: optional,
});
function mapTickets(source: Source): void {
  eachRow(
    source,
    { sql: 'SELECT *, title AS label FROM raw_tickets ORDER BY seq', schema: ticket, kind: 'ticket' },
    (row) => {
      const atMs = toMs(row.created_at, source.zoneMs);
      const lines = linesOf(source, {
        sql: 'SELECT user_id AS author, content AS text, created_at AS at FROM raw_ticket_messages WHERE ticket_id = ? ORDER BY CAST(id AS INTEGER)',
        ticket: row.id,
        owner: row.client_id,
      });
      source.put('ticket', row.id, {
        user: row.client_id,
        subject: row.title,
        department: '',
        status: row.status === 'resolved' ? 'closed' : 'open',
        priority: 'normal',
        atMs,
        lines: [{ author: row.client_id, staff: false, text: fromHtml(row.content), atMs }, ...lines],
      });
    },
  );
}

const setting = z.object({ key: trimmed, value: text });
function mapSettings(source: Source): void {
  const counterparts: Readonly<Record<string, string>> = {
    'jexactyl::renewal:cost': 'server_renew_cost',
    'jexactyl::renewal:default': 'server_renew_days',
  };
  eachRow(source, { sql: 'SELECT * FROM raw_settings ORDER BY seq', schema: setting, kind: 'setting' }, (row) => {
    const ours = counterparts[row.key.replace(/^settings::/, '')];
    if (ours !== undefined && /^\d{1,9}$/.test(row.value))
      source.put('setting', row.key, { key: ours, value: Number(row.value) });
  });
}
