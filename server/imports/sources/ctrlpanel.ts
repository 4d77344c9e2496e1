import * as z from 'zod/mini';
import type { Resources } from '#shared/constants.ts';
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
  toFractions,
  toMs,
  toSnowflake,
  trimmed,
  type Source,
  type SourceSpec,
  type SourceTables,
} from '../model.ts';
import { putPayment, linesOf, PRIORITIES } from './common.ts';

/** From 1.1 on amounts are whole thousandths. */
const inThousandths = (tables: SourceTables): boolean =>
  (tables.get('users')?.get('credits') ?? '').startsWith('bigint');

/** An amount of the source as ten-thousandths of a credit. */
const scaled = ({ tables }: Source, value: bigint): bigint => (inThousandths(tables) ? value / 1000n : value);

/** CtrlPanel 1.0 to 1.2. */
export const ctrlpanel: SourceSpec = {
  product: 'ctrlpanel',
  tables: {
    users: [
      'id',
      'name',
      'email',
      'password',
      'credits',
      'server_limit',
      'pterodactyl_id',
      'email_verified_at',
      'suspended',
      'created_at',
    ],
    model_has_roles: ['role_id', 'model_type', 'model_id'],
    roles: ['id', 'name', 'power'],
    permissions: ['id', 'name'],
    role_has_permissions: ['permission_id', 'role_id'],
    discord_users: ['id', 'user_id'],
    servers: ['id', 'name', 'user_id', 'product_id', 'pterodactyl_id', 'suspended', 'last_billed'],
    products: ['id', 'memory', 'disk', 'cpu', 'databases', 'backups', 'billing_period'],
    vouchers: ['id', 'code', 'credits', 'uses', 'expires_at'],
    user_voucher: ['user_id', 'voucher_id'],
    shop_products: ['id', 'type', 'price', 'quantity', 'currency_code', 'display'],
    payments: [
      'id',
      'user_id',
      'payment_id',
      'payment_method',
      'type',
      'status',
      'amount',
      'total_price',
      'currency_code',
      'created_at',
    ],
    tickets: ['id', 'user_id', 'ticketcategory_id', 'title', 'priority', 'message', 'status', 'created_at'],
    ticket_comments: ['id', 'ticket_id', 'user_id', 'ticketcomment', 'created_at'],
    ticket_categories: ['id', 'name'],
    settings: ['group', 'name', 'payload'],
  },
  assertIs(tables) {
    if (!tables.has('shop_products') || !tables.has('vouchers') || !tables.get('users')?.has('pterodactyl_id'))
      throw new ImportFault('other_product', 'These are not the tables of CtrlPanel.');
    if (!tables.get('settings')?.has('payload'))
      throw new ImportFault('version', 'This is CtrlPanel 0.9: bring it to 1.0 or later first.');
    // Every release has decimals, floats or whole thousandths (bigint); changes that were never released had other units.
    if (!/^(?:decimal|double|float|bigint|$)/.test(tables.get('users')?.get('credits') ?? ''))
      throw new ImportFault('version', 'The credits of this database are in a unit that no release of CtrlPanel has.');
    // The update to 1.1 changes both; between them units are mixed.
    const priced = tables.get('products')?.get('price');
    if (priced !== undefined && priced.startsWith('bigint') !== inThousandths(tables))
      throw new ImportFault(
        'version',
        'An update of CtrlPanel was stopped half way: finish "php artisan migrate" first.',
      );
  },
  map(source) {
    mapRights(source);
    mapUsers(source);
    mapServers(source);
    mapCodes(source);
    mapPackages(source);
    mapPayments(source);
    mapTickets(source);
    mapSettings(source);
  },
};

const user = z.object({
  id: key,
  name: trimmed,
  email: trimmed,
  password: text,
  credits: amount,
  server_limit: count,
  pterodactyl_id: optional,
  email_verified_at: optional,
  suspended: flag,
  created_at: optional,
  role: trimmed,
  discord: as(toSnowflake),
  servers: count,
  memory: count,
  disk: count,
  cpu: count,
  databases: count,
  backups: count,
});
const USERS = `SELECT u.id, u.name, u.name AS label, u.email, u.password, u.credits, u.server_limit, u.pterodactyl_id, u.email_verified_at,
    u.suspended, u.created_at, d.id AS discord,
    (SELECT r.name FROM raw_model_has_roles m JOIN raw_roles r ON r.id = m.role_id
      WHERE m.model_id = u.id AND m.model_type LIKE '%User' ORDER BY CAST(r.power AS INTEGER) DESC, CAST(r.id AS INTEGER) LIMIT 1) AS role,
    CAST(s.n AS TEXT) AS servers, CAST(s.memory AS TEXT) AS memory, CAST(s.disk AS TEXT) AS disk, CAST(s.cpu AS TEXT) AS cpu,
    CAST(s.databases AS TEXT) AS databases, CAST(s.backups AS TEXT) AS backups
  FROM raw_users u
  LEFT JOIN (SELECT user_id, MIN(id) AS id FROM raw_discord_users GROUP BY user_id) d ON d.user_id = u.id
  LEFT JOIN (SELECT s.user_id, COUNT(*) AS n, CAST(SUM(p.memory) AS INTEGER) AS memory, CAST(SUM(p.disk) AS INTEGER) AS disk,
      CAST(SUM(p.cpu) AS INTEGER) AS cpu, CAST(SUM(p.databases) AS INTEGER) AS databases, CAST(SUM(p.backups) AS INTEGER) AS backups
    FROM raw_servers s LEFT JOIN raw_products p ON p.id = s.product_id WHERE s.pterodactyl_id IS NOT NULL GROUP BY s.user_id) s
    ON s.user_id = u.id
  ORDER BY CAST(u.id AS INTEGER)`;

/** What each role may do. */
function mapRights({ staging, addRight }: Source): void {
  const sql =
    'SELECT r.name AS role, p.name AS permission FROM raw_role_has_permissions h JOIN raw_roles r ON r.id = h.role_id JOIN raw_permissions p ON p.id = h.permission_id';
  for (const { role, permission } of staging.rows<{ role: string | null; permission: string | null }>(sql))
    if (role !== null && permission !== null) addRight(role.trim(), permission);
}

function mapUsers(source: Source): void {
  source.staging.run('CREATE INDEX raw_roles_of ON raw_model_has_roles (model_id)');
  eachRow(source, { sql: USERS, schema: user, kind: 'user' }, (row) => {
    if (row.credits === null) source.leave('user', row.id, row.name, 'credits_unreadable');
    const role = row.role === 'Admin' ? 'admin' : row.role === 'Support-Team' ? 'support' : 'member';
    source.put('user', row.id, {
      name: row.name,
      email: row.email,
      hash: row.password,
      firstName: row.name,
      lastName: '',
      createdMs: toMs(row.created_at, source.zoneMs),
      verified: toMs(row.email_verified_at, source.zoneMs) !== null,
      ban: row.suspended ? { reason: 'Suspended in CtrlPanel', untilMs: null } : null,
      role,
      roleName: row.role,
      limits: limitsOf(source.defaults, row),
      discord: row.discord,
      panelUser: row.pterodactyl_id,
      credits: String(scaled(source, row.credits ?? 0n)),
    });
  });
}

/** CtrlPanel knows slots alone: what the servers have, and the defaults for each slot that is free. */
function limitsOf(defaults: Resources, row: z.output<typeof user>): Partial<Resources> {
  const live = row.servers ?? 0;
  const slots = Math.max(row.server_limit ?? defaults.slots, live);
  const share = (kind: 'memory' | 'disk' | 'cpu' | 'databases' | 'backups') =>
    (row[kind] ?? 0) + (slots - live) * defaults[kind];
  return {
    slots,
    memory: share('memory'),
    disk: share('disk'),
    cpu: share('cpu'),
    databases: share('databases'),
    backups: share('backups'),
    ports: Math.max(slots, defaults.ports),
  };
}

const server = z.object({
  id: key,
  name: trimmed,
  user_id: key,
  pterodactyl_id: optional,
  last_billed: optional,
  billing_period: trimmed,
});
/** Days of what a product is paid for; hourly and daily ones begin with a period of this installation. */
const PERIOD_DAYS: Readonly<Record<string, number>> = {
  weekly: 7,
  monthly: 30,
  quarterly: 91,
  'half-annually': 182,
  annually: 365,
};

function mapServers(source: Source): void {
  const sql = `SELECT s.id, s.name, s.name AS label, s.user_id, s.pterodactyl_id, s.last_billed, p.billing_period
    FROM raw_servers s LEFT JOIN raw_products p ON p.id = s.product_id ORDER BY s.seq`;
  eachRow(source, { sql, schema: server, kind: 'server' }, (row) => {
    if (row.pterodactyl_id === null) return source.leave('server', row.id, row.name, 'server_not_made');
    const billedMs = toMs(row.last_billed, source.zoneMs);
    const days = PERIOD_DAYS[row.billing_period];
    source.put('server', row.id, {
      user: row.user_id,
      name: row.name,
      panelId: row.pterodactyl_id,
      externalId: row.id,
      expiresMs: billedMs !== null && days !== undefined ? billedMs + days * 86_400_000 : null,
    });
  });
}

const voucher = z.object({ id: key, code: trimmed, credits: amount, uses: count, expires_at: optional });
function mapCodes(source: Source): void {
  eachRow(
    source,
    { sql: 'SELECT *, code AS label FROM raw_vouchers ORDER BY seq', schema: voucher, kind: 'code' },
    (row) => {
      const users = [
        ...source.staging.rows<{ user_id: string | null }>(
          'SELECT DISTINCT user_id FROM raw_user_voucher WHERE voucher_id = ? ORDER BY user_id',
          row.id,
        ),
      ].flatMap(({ user_id: id }) => (id === null ? [] : [id]));
      source.put('code', row.id, {
        code: row.code,
        credits: String(scaled(source, row.credits ?? 0n)),
        usesTotal: row.uses ?? 0,
        usesCount: users.length,
        endsMs: toMs(row.expires_at, source.zoneMs),
        users,
      });
    },
  );
}

const shopProduct = z.object({
  id: key,
  type: trimmed,
  price: amount,
  quantity: amount,
  currency_code: trimmed,
  display: trimmed,
});
function mapPackages(source: Source): void {
  const sql = 'SELECT *, display AS label FROM raw_shop_products ORDER BY seq';
  eachRow(source, { sql, schema: shopProduct, kind: 'package' }, (row) => {
    if (row.type !== 'Credits') return source.leave('package', row.id, row.display, 'no_counterpart');
    source.put('package', row.id, {
      name: row.display || `${row.quantity ?? 0n}`,
      priceMinor: Number(scaled(source, row.price ?? 0n) / 100n),
      currency: row.currency_code.toUpperCase(),
      credits: String(scaled(source, row.quantity ?? 0n)),
    });
  });
}

const payment = z.object({
  id: key,
  user_id: key,
  payment_id: trimmed,
  payment_method: trimmed,
  type: trimmed,
  status: trimmed,
  amount,
  total_price: amount,
  currency_code: trimmed,
  created_at: optional,
});
function mapPayments(source: Source): void {
  eachRow(
    source,
    { sql: 'SELECT *, id AS label FROM raw_payments ORDER BY seq', schema: payment, kind: 'payment' },
    (row) =>
      putPayment(source, row.id, {
        user: row.user_id,
        gateway: row.payment_method,
        reference: row.payment_id,
        status: row.status,
        amount: row.total_price === null ? null : scaled(source, row.total_price),
        currency: row.currency_code,
        credits: row.type === 'Credits' && row.amount !== null ? scaled(source, row.amount) : null,
        atMs: toMs(row.created_at, source.zoneMs),
      }),
  );
}

const ticket = z.object({
  id: key,
  user_id: key,
  title: trimmed,
  priority: trimmed,
  message: text,
  status: trimmed,
  created_at: optional,
  department: trimmed,
});
function mapTickets(source: Source): void {
  source.staging.run('CREATE INDEX raw_comments_of ON raw_ticket_comments (ticket_id)');
  const sql = `SELECT t.id, t.user_id, t.title, t.title AS label, t.priority, t.message, t.status, t.created_at, c.name AS department
    FROM raw_tickets t LEFT JOIN raw_ticket_categories c ON c.id = t.ticketcategory_id ORDER BY t.seq`;
  eachRow(source, { sql, schema: ticket, kind: 'ticket' }, (row) => {
    const atMs = toMs(row.created_at, source.zoneMs);
    source.put('ticket', row.id, {
      user: row.user_id,
      subject: row.title,
      department: row.department,
      status: row.status === 'Closed' ? 'closed' : row.status === 'Answered' ? 'answered' : 'open',
      priority: PRIORITIES[row.priority.toLowerCase()] ?? 'normal',
      atMs,
      lines: [
        { author: row.user_id, staff: false, text: fromHtml(row.message), atMs },
        ...linesOf(source, {
          sql: 'SELECT user_id AS author, ticketcomment AS text, created_at AS at FROM raw_ticket_comments WHERE ticket_id = ? ORDER BY CAST(id AS INTEGER)',
          ticket: row.id,
          owner: row.user_id,
        }),
      ],
    });
  });
}

/** Settings of ours by the group and name of theirs; `thousandths`: an amount of credits. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  'invoice.company_name': 'company_name',
  'invoice.company_adress': 'company_address',
  'invoice.company_address': 'company_address',
  'invoice.company_vat': 'company_vat',
  'invoice.prefix': 'receipt_prefix',
};
const setting = z.object({ group: trimmed, name: trimmed, payload: text });
function mapSettings(source: Source): void {
  eachRow(source, { sql: 'SELECT * FROM raw_settings ORDER BY seq', schema: setting, kind: 'setting' }, (row) => {
    const path = `${row.group}.${row.name}`;
    const value = parseJson(row.payload);
    const ours = COUNTERPARTS[path];
    if (ours !== undefined && typeof value === 'string' && value !== '')
      source.put('setting', path, { key: ours, value });
    const percent = path === 'general.sales_tax' ? toFractions(String(value)) : null;
    if (percent !== null) source.put('setting', path, { key: 'tax_rate', value: Number(percent / 100n) });
  });
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
