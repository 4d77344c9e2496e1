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
  toSnowflake,
  trimmed,
  type Source,
  type SourceSpec,
  type UserRecord,
} from '../model.ts';
import { openSealed } from '../sealed.ts';
import { putPayment, linesOf, PRIORITIES } from './common.ts';

const P = 'mythicaldash_';
/** Rows that nobody deleted: they say so in words. */
const LIVE = "COALESCE(deleted, 'false') <> 'true'";

/** MythicalDash 4. */
export const mythicaldash4: SourceSpec = {
  product: 'mythicaldash4',
  tables: {
    [`${P}users`]: [
      'id',
      'uuid',
      'username',
      'first_name',
      'last_name',
      'email',
      'password',
      'role',
      'credits',
      'pterodactyl_user_id',
      'memory_limit',
      'disk_limit',
      'cpu_limit',
      'server_limit',
      'backup_limit',
      'database_limit',
      'allocation_limit',
      'banned',
      'verified',
      'discord_id',
      'discord_linked',
      'first_seen',
      'deleted',
    ],
    [`${P}roles`]: ['id', 'name', 'real_name', 'deleted'],
    [`${P}roles_permissions`]: ['id', 'role_id', 'permission', 'granted', 'deleted'],
    [`${P}servers`]: ['id', 'pterodactyl_id', 'user', 'expires_at', 'deleted'],
    [`${P}redeem_codes`]: ['id', 'code', 'coins', 'uses', 'enabled', 'deleted'],
    [`${P}redeem_codes_redeems`]: ['id', 'code', 'user', 'deleted'],
    [`${P}stripe_payments`]: ['id', 'code', 'coins', 'user', 'status', 'date'],
    [`${P}paypal_payments`]: ['id', 'code', 'coins', 'user', 'status', 'date'],
    [`${P}departments`]: ['id', 'name'],
    [`${P}tickets`]: ['id', 'user', 'department', 'priority', 'status', 'title', 'description', 'date', 'deleted'],
    [`${P}tickets_messages`]: ['id', 'ticket', 'user', 'message', 'date', 'deleted'],
    [`${P}settings`]: ['id', 'name', 'value'],
  },
  assertIs(tables) {
    if (!tables.has(`${P}migrations`) || !tables.get(`${P}users`)?.has('uuid'))
      throw new ImportFault('other_product', 'These are not the tables of MythicalDash 4.');
  },
  map(source) {
    mapRights(source);
    mapUsers(source);
    mapServers(source);
    mapCodes(source);
    mapPayments(source, 'stripe');
    mapPayments(source, 'paypal');
    mapTickets(source);
    mapSettings(source);
  },
};

const user = z.object({
  uuid: key,
  username: trimmed,
  first_name: text,
  last_name: text,
  email: trimmed,
  password: text,
  role: count,
  role_name: trimmed,
  credits: amount,
  pterodactyl_user_id: as((value) => (value === null || value === '0' || value === '' ? null : value)),
  memory_limit: count,
  disk_limit: count,
  cpu_limit: count,
  server_limit: count,
  backup_limit: count,
  database_limit: count,
  allocation_limit: count,
  banned: trimmed,
  discord_id: as(toSnowflake),
  discord_linked: flag,
  first_seen: optional,
});

/** What each role may do. */
function mapRights({ staging, addRight }: Source): void {
  const sql = `SELECT r.name AS role, h.permission FROM raw_${P}roles_permissions h JOIN raw_${P}roles r ON r.id = h.role_id
    WHERE COALESCE(h.granted, 'true') = 'true' AND COALESCE(h.deleted, 'false') <> 'true'`;
  for (const { role, permission } of staging.rows<{ role: string | null; permission: string | null }>(sql))
    if (role !== null && permission !== null) addRight(role.trim(), permission.trim());
}

/** Roles that every installation of it has, by their numbers. */
function roleOf(role: number | null): UserRecord['role'] {
  if (role === 2) return 'vip';
  if (role !== null && role >= 3 && role <= 6) return 'support';
  return role === 7 || role === 8 ? 'admin' : 'member';
}

function mapUsers(source: Source): void {
  const sql = `SELECT u.*, u.uuid AS id, u.username AS label, r.name AS role_name FROM raw_${P}users u LEFT JOIN raw_${P}roles r ON r.id = u.role
    WHERE COALESCE(u.deleted, 'false') <> 'true' ORDER BY CAST(u.id AS INTEGER)`;
  eachRow(source, { sql, schema: user, kind: 'user' }, (row) => {
    if (row.credits === null) source.leave('user', row.uuid, row.username, 'credits_unreadable');
    const limits = {
      memory: row.memory_limit,
      disk: row.disk_limit,
      cpu: row.cpu_limit,
      slots: row.server_limit,
      ports: row.allocation_limit,
      databases: row.database_limit,
      backups: row.backup_limit,
    };
    // A value that begins with a dollar is a hash of a changed version; any other is the password, sealed.
    const isHash = row.password.startsWith('$');
    source.put('user', row.uuid, {
      name: row.username,
      email: row.email,
      hash: isHash ? row.password : null,
      ...(isHash || row.password === '' ? {} : { sealedPassword: row.password }),
      firstName: openSealed(source.key, row.first_name) ?? row.username,
      lastName: openSealed(source.key, row.last_name) ?? '',
      createdMs: toMs(row.first_seen, source.zoneMs),
      // The source says so of everybody where it sends no mails: it is no proof.
      verified: false,
      ban: row.banned === '' || row.banned.toUpperCase() === 'NO' ? null : { reason: row.banned, untilMs: null },
      role: roleOf(row.role),
      roleName: row.role_name || (roleOf(row.role) === 'member' ? '' : `#${row.role}`),
      limits: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null)),
      discord: row.discord_linked ? row.discord_id : null,
      panelUser: row.pterodactyl_user_id,
      credits: String(row.credits ?? 0n),
    });
  });
}

const server = z.object({ id: key, pterodactyl_id: optional, user: key, expires_at: optional });
function mapServers(source: Source): void {
  // While renewals are off, the date is only that of the server's making.
  const renews = settingOf(source, 'server_renew_enabled') === 'true';
  const sql = `SELECT *, '#' || pterodactyl_id AS label FROM raw_${P}servers WHERE ${LIVE} ORDER BY seq`;
  eachRow(source, { sql, schema: server, kind: 'server' }, (row) => {
    const name = `#${row.pterodactyl_id ?? row.id}`;
    if (row.pterodactyl_id === null || row.pterodactyl_id === '0')
      return source.leave('server', row.id, name, 'server_not_made');
    source.put('server', row.id, {
      user: row.user,
      name,
      panelId: row.pterodactyl_id,
      externalId: null,
      expiresMs: renews ? toMs(row.expires_at, source.zoneMs) : null,
    });
  });
}

const code = z.object({
  id: key,
  code: trimmed,
  coins: amount,
  uses: count,
  enabled: as((value) => value !== 'false' && value !== '0'),
});
function mapCodes(source: Source): void {
  const sql = `SELECT *, code AS label FROM raw_${P}redeem_codes WHERE ${LIVE} ORDER BY seq`;
  eachRow(source, { sql, schema: code, kind: 'code' }, (row) => {
    if (!row.enabled) return source.leave('code', row.id, row.code, 'code_over');
    const used = `SELECT DISTINCT user FROM raw_${P}redeem_codes_redeems WHERE code = ? ORDER BY user`;
    const users = [...source.staging.rows<{ user: string | null }>(used, row.id)].flatMap((each) =>
      each.user === null ? [] : [each.user],
    );
    source.put('code', row.id, {
      code: row.code,
      credits: String(row.coins ?? 0n),
      usesTotal: (row.uses ?? 0) + users.length,
      usesCount: users.length,
      endsMs: null,
      users,
    });
  });
}

const payment = z.object({ id: key, code: trimmed, coins: amount, user: key, status: trimmed, date: optional });
function mapPayments(source: Source, gateway: 'stripe' | 'paypal'): void {
  const sql = `SELECT *, code AS label FROM raw_${P}${gateway}_payments ORDER BY seq`;
  const own = (settingOf(source, 'currency') ?? '').trim().toUpperCase();
  const currency = /^[A-Z]{3}$/.test(own) ? own : source.currency;
  eachRow(source, { sql, schema: payment, kind: 'payment' }, (row) =>
    putPayment(source, `${gateway}:${row.id}`, {
      user: row.user,
      gateway,
      reference: row.code,
      status: row.status,
      // One coin cost one unit of the currency.
      amount: row.coins,
      currency,
      credits: row.coins,
      atMs: toMs(row.date, source.zoneMs),
    }),
  );
}

const ticket = z.object({
  id: key,
  user: key,
  department: trimmed,
  priority: trimmed,
  status: trimmed,
  title: trimmed,
  description: text,
  date: optional,
});
function mapTickets(source: Source): void {
  const sql = `SELECT t.id, t.user, t.priority, t.status, t.title, t.title AS label, t.description, t.date, COALESCE(d.name, '') AS department
    FROM raw_${P}tickets t LEFT JOIN raw_${P}departments d ON d.id = t.department WHERE COALESCE(t.deleted, 'false') <> 'true' ORDER BY t.seq`;
  eachRow(source, { sql, schema: ticket, kind: 'ticket' }, (row) => {
    const atMs = toMs(row.date, source.zoneMs);
    const lines = linesOf(source, {
      sql: `SELECT user AS author, message AS text, date AS at FROM raw_${P}tickets_messages WHERE ticket = ? AND ${LIVE} ORDER BY CAST(id AS INTEGER)`,
      ticket: row.id,
      owner: row.user,
    });
    source.put('ticket', row.id, {
      user: row.user,
      subject: row.title,
      department: row.department,
      status: row.status === 'closed' ? 'closed' : row.status === 'replied' ? 'answered' : 'open',
      priority: PRIORITIES[row.priority.toLowerCase()] ?? 'normal',
      atMs,
      lines: [{ author: row.user, staff: false, text: fromHtml(row.description), atMs }, ...lines],
    });
  });
}

/** Settings of ours by the names of theirs; those with numbers. */
const TEXTS: Readonly<Record<string, string>> = {
  company_name: 'company_name',
  company_address: 'company_address',
  company_city: 'company_city',
  company_state: 'company_state',
  company_country: 'company_country',
  company_zip: 'company_zip',
  company_vat: 'company_vat',
};
const NUMBERS: Readonly<Record<string, string>> = {
  default_ram: 'default_ram',
  default_disk: 'default_disk',
  default_cpu: 'default_cpu',
  default_ports: 'default_ports',
  default_databases: 'default_databases',
  default_server_slots: 'default_server_slots',
  default_backups: 'default_backups',
  server_renew_cost: 'server_renew_cost',
  server_renew_days: 'server_renew_days',
};
/** A setting's value: the newest row counts. Null where there is none, or it cannot be read. */
function settingOf({ staging, key: secret }: Source, name: string): string | null {
  const row = staging.one(
    `SELECT value FROM raw_${P}settings WHERE name = ? ORDER BY CAST(id AS INTEGER) DESC LIMIT 1`,
    name,
  );
  return row?.['value'] ? openSealed(secret, row['value']) : null;
}
function mapSettings(source: Source): void {
  for (const [theirs, ours] of Object.entries(TEXTS)) {
    const value = settingOf(source, theirs);
    if (value) source.put('setting', theirs, { key: ours, value });
  }
  for (const [theirs, ours] of Object.entries(NUMBERS)) {
    const value = settingOf(source, theirs);
    if (value !== null && /^\d{1,9}$/.test(value)) source.put('setting', theirs, { key: ours, value: Number(value) });
  }
}
