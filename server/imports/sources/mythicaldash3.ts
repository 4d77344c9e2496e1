import * as z from 'zod/mini';
import { ImportFault } from '../fault.ts';
import {
  amount,
  as,
  count,
  eachRow,
  flag,
  fromSeconds,
  key,
  optional,
  text,
  toMs,
  toSnowflake,
  trimmed,
  type Source,
  type SourceSpec,
} from '../model.ts';
import { putPayment, linesOf } from './common.ts';

const P = 'mythicaldash_';

/** MythicalDash 3 (and 2, whose tables are the same): every number is a text. */
export const mythicaldash3: SourceSpec = {
  product: 'mythicaldash3',
  tables: {
    [`${P}users`]: [
      'id',
      'panel_id',
      'email',
      'username',
      'first_name',
      'last_name',
      'password',
      'api_key',
      'role',
      'coins',
      'ram',
      'disk',
      'cpu',
      'server_limit',
      'ports',
      'databases',
      'backups',
      'banned',
      'discord_linked',
      'discord_id',
      'registred',
    ],
    [`${P}servers`]: ['id', 'pid', 'uid'],
    [`${P}redeem`]: [
      'id',
      'code',
      'uses',
      'coins',
      'ram',
      'disk',
      'cpu',
      'server_limit',
      'ports',
      'databases',
      'backups',
    ],
    [`${P}payments`]: ['id', 'code', 'coins', 'ownerkey', 'getaway', 'status', 'created'],
    [`${P}tickets`]: ['id', 'ownerkey', 'ticketuuid', 'subject', 'priority', 'description', 'status', 'created'],
    [`${P}tickets_messages`]: ['id', 'ticketuuid', 'userkey', 'message', 'created'],
    [`${P}settings`]: [
      'id',
      'def_memory',
      'def_disk_space',
      'def_cpu',
      'def_server_limit',
      'def_port',
      'def_db',
      'def_backups',
    ],
  },
  assertIs(tables) {
    if (!tables.has(`${P}users`) || !tables.get(`${P}users`)?.has('coins'))
      throw new ImportFault('other_product', 'These are not the tables of MythicalDash 3.');
  },
  map(source) {
    mapUsers(source);
    mapServers(source);
    mapCodes(source);
    mapPayments(source);
    mapTickets(source);
    mapSettings(source);
  },
};

const user = z.object({
  id: key,
  api_key: trimmed,
  panel_id: optional,
  email: trimmed,
  username: trimmed,
  first_name: text,
  last_name: text,
  password: text,
  role: trimmed,
  coins: as((value) => value),
  ram: count,
  disk: count,
  cpu: count,
  server_limit: count,
  ports: count,
  databases: count,
  backups: count,
  banned: trimmed,
  discord_linked: flag,
  discord_id: as(toSnowflake),
  registred: optional,
});
const coins = z.object({ coins: amount });

function mapUsers(source: Source): void {
  const sql = `SELECT *, username AS label FROM raw_${P}users ORDER BY CAST(id AS INTEGER)`;
  eachRow(source, { sql, schema: user, kind: 'user' }, (row) => {
    const held = coins.parse({ coins: row.coins }).coins;
    if (held === null && (row.coins ?? '').trim() !== '')
      source.leave('user', row.id, row.username, 'credits_unreadable');
    const unread = [row.ram, row.disk, row.cpu, row.server_limit].some((each) => each === null);
    if (unread) source.leave('user', row.id, row.username, 'limits_unreadable');
    source.put('user', row.id, {
      name: row.username,
      email: row.email,
      hash: row.password,
      firstName: clearName(source, row.first_name) ?? row.username,
      lastName: clearName(source, row.last_name) ?? '',
      createdMs: toMs(row.registred, source.zoneMs) ?? fromSeconds(row.registred),
      verified: false,
      ban: row.banned === '' ? null : { reason: row.banned, untilMs: null },
      role: row.role === 'Administrator' ? 'admin' : row.role === 'Support' ? 'support' : 'member',
      roleName: row.role,
      limits: kept({
        memory: row.ram,
        disk: row.disk,
        cpu: row.cpu,
        slots: row.server_limit,
        ports: row.ports,
        databases: row.databases,
        backups: row.backups,
      }),
      discord: row.discord_linked ? row.discord_id : null,
      panelUser: row.panel_id,
      credits: String(held ?? 0n),
    });
  });
}

/** What is known of some limits. */
const kept = (limits: Readonly<Record<string, number | null>>) =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null)) as Record<string, number>;

/**
 * A name that the source hides: base64 of bytes, to each of which one of the key's is added. A wrong key gives rubbish:
 * what is no text, or has signs that no name has, is null.
 */
function clearName({ key: secret }: Source, hidden: string): string | null {
  if (!secret || secret.byteLength === 0 || hidden === '') return null;
  const bytes = Buffer.from(hidden, 'base64');
  const clear = bytes.map((byte, i) => (byte - (secret[i % secret.byteLength] ?? 0) + 256) % 256);
  try {
    const name = new TextDecoder('utf-8', { fatal: true }).decode(clear).trim();
    return /^[\p{L}\p{M}\p{N}\p{Zs}'’.,-]{1,64}$/u.test(name) ? name : null;
  } catch {
    return null;
  }
}

const server = z.object({ id: key, pid: optional, user: optional });
function mapServers(source: Source): void {
  source.staging.run(`CREATE INDEX raw_keys ON raw_${P}users (api_key)`);
  const sql = `SELECT s.id, s.pid, s.pid AS label, (SELECT MIN(u.id) FROM raw_${P}users u WHERE u.api_key = s.uid) AS user FROM raw_${P}servers s ORDER BY s.seq`;
  eachRow(source, { sql, schema: server, kind: 'server' }, (row) => {
    if (row.pid === null) return source.leave('server', row.id, row.id, 'server_not_made');
    if (row.user === null) return source.leave('server', row.id, `#${row.pid}`, 'owner_missing');
    source.put('server', row.id, {
      user: row.user,
      name: `#${row.pid}`,
      panelId: row.pid,
      externalId: null,
      expiresMs: null,
    });
  });
}

const code = z.object({ id: key, code: trimmed, uses: count, coins: amount, others: flag });
function mapCodes(source: Source): void {
  const others = ['ram', 'disk', 'cpu', 'server_limit', 'ports', 'databases', 'backups'].map(
    (name) => `CAST(COALESCE(${name}, 0) AS INTEGER) > 0`,
  );
  const sql = `SELECT id, code, code AS label, uses, coins, CASE WHEN ${others.join(' OR ')} THEN '1' ELSE '0' END AS others FROM raw_${P}redeem ORDER BY seq`;
  eachRow(source, { sql, schema: code, kind: 'code' }, (row) => {
    if (row.others) return source.leave('code', row.id, row.code, 'no_counterpart');
    const uses = row.uses ?? 0;
    source.put('code', row.id, {
      code: row.code,
      credits: String(row.coins ?? 0n),
      usesTotal: uses,
      usesCount: 0,
      endsMs: null,
      users: [],
    });
  });
}

const payment = z.object({
  id: key,
  code: trimmed,
  coins: amount,
  user: optional,
  getaway: trimmed,
  status: trimmed,
  created: optional,
});
function mapPayments(source: Source): void {
  const sql = `SELECT p.id, p.code, p.code AS label, p.coins, p.getaway, p.status, p.created,
    (SELECT MIN(u.id) FROM raw_${P}users u WHERE u.api_key = p.ownerkey) AS user FROM raw_${P}payments p ORDER BY p.seq`;
  eachRow(source, { sql, schema: payment, kind: 'payment' }, (row) => {
    if (row.user === null) return source.leave('payment', row.id, row.code, 'owner_missing');
    putPayment(source, row.id, {
      user: row.user,
      gateway: row.getaway,
      reference: row.code,
      status: row.status,
      // What a coin cost then is not kept, so there is no money to name a currency of.
      amount: null,
      currency: '',
      credits: row.coins,
      atMs: toMs(row.created, source.zoneMs),
    });
  });
}

const ticket = z.object({
  id: key,
  ticketuuid: trimmed,
  ownerkey: trimmed,
  user: optional,
  subject: trimmed,
  description: text,
  status: trimmed,
  created: optional,
});
function mapTickets(source: Source): void {
  const sql = `SELECT t.*, t.subject AS label, (SELECT MIN(u.id) FROM raw_${P}users u WHERE u.api_key = t.ownerkey) AS user FROM raw_${P}tickets t ORDER BY t.seq`;
  eachRow(source, { sql, schema: ticket, kind: 'ticket' }, (row) => {
    if (row.user === null) return source.leave('ticket', row.id, row.subject, 'owner_missing');
    const atMs = toMs(row.created, source.zoneMs);
    const lines = linesOf(source, {
      sql: `SELECT COALESCE((SELECT MIN(u.id) FROM raw_${P}users u WHERE u.api_key = m.userkey), '') AS author, m.message AS text, m.created AS at
        FROM raw_${P}tickets_messages m WHERE m.ticketuuid = ? ORDER BY CAST(m.id AS INTEGER)`,
      ticket: row.ticketuuid,
      owner: row.user,
    });
    source.put('ticket', row.id, {
      user: row.user,
      subject: row.subject,
      department: '',
      status: row.status === 'open' ? 'open' : 'closed',
      priority: 'normal',
      atMs,
      lines: [{ author: row.user, staff: false, text: row.description, atMs }, ...lines],
    });
  });
}

const DEFAULTS: Readonly<Record<string, string>> = {
  def_memory: 'default_ram',
  def_disk_space: 'default_disk',
  def_cpu: 'default_cpu',
  def_server_limit: 'default_server_slots',
  def_port: 'default_ports',
  def_db: 'default_databases',
  def_backups: 'default_backups',
};
const defaults = z.object(Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, count])));
function mapSettings(source: Source): void {
  eachRow(source, { sql: `SELECT * FROM raw_${P}settings LIMIT 1`, schema: defaults, kind: 'setting' }, (row) => {
    for (const [name, value] of Object.entries(row))
      if (value !== null) source.put('setting', name, { key: DEFAULTS[name] ?? name, value });
  });
}
