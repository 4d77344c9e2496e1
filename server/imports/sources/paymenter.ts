import * as z from 'zod/mini';
import { ImportFault } from '../fault.ts';
import {
  amount,
  as,
  eachRow,
  fromHtml,
  key,
  optional,
  text,
  toFractions,
  toMs,
  trimmed,
  type Source,
  type SourceSpec,
} from '../model.ts';
import { putPayment, linesOf, PRIORITIES } from './common.ts';

/** Paymenter 1: users, services and balances in money. */
export const paymenter: SourceSpec = {
  product: 'paymenter',
  tables: {
    users: ['id', 'first_name', 'last_name', 'email', 'password', 'role_id', 'email_verified_at', 'created_at'],
    roles: ['id', 'name', 'permissions'],
    credits: ['id', 'user_id', 'currency_code', 'amount'],
    services: ['id', 'user_id', 'status', 'quantity', 'expires_at', 'label'],
    plans: ['id'],
    invoices: ['id', 'user_id', 'number', 'status', 'currency_code', 'created_at'],
    invoice_transactions: [
      'id',
      'invoice_id',
      'amount',
      'transaction_id',
      'gateway_id',
      'status',
      'is_credit_transaction',
      'created_at',
    ],
    tickets: ['id', 'user_id', 'subject', 'status', 'priority', 'department', 'created_at'],
    ticket_messages: ['id', 'ticket_id', 'user_id', 'message', 'created_at'],
    settings: ['key', 'value', 'encrypted', 'settingable_type'],
  },
  assertIs(tables) {
    if (tables.has('order_products') && !tables.has('services'))
      throw new ImportFault('version', 'This is Paymenter 0.9: bring it to 1.0 or later first.');
    if (!tables.has('services') || !tables.has('plans') || !tables.has('credits'))
      throw new ImportFault('other_product', 'These are not the tables of Paymenter.');
  },
  map(source) {
    mapRights(source);
    mapUsers(source);
    mapServers(source);
    mapPayments(source);
    mapTickets(source);
    mapSettings(source);
  },
};

const user = z.object({
  id: key,
  first_name: trimmed,
  last_name: trimmed,
  email: trimmed,
  password: text,
  email_verified_at: optional,
  created_at: optional,
  role: trimmed,
  permissions: text,
});
const balance = z.object({ currency_code: trimmed, amount: text });

function mapUsers(source: Source): void {
  source.staging.run('CREATE INDEX raw_credits_of ON raw_credits (user_id)');
  const sql = `SELECT u.id, u.first_name, u.last_name, u.email, u.email AS label, u.password, u.email_verified_at, u.created_at, r.name AS role, r.permissions
    FROM raw_users u LEFT JOIN raw_roles r ON r.id = u.role_id ORDER BY CAST(u.id AS INTEGER)`;
  eachRow(source, { sql, schema: user, kind: 'user' }, (row) =>
    source.put('user', row.id, {
      name: row.email.split('@')[0] ?? '',
      email: row.email,
      hash: row.password,
      firstName: row.first_name,
      lastName: row.last_name,
      createdMs: toMs(row.created_at, source.zoneMs),
      verified: toMs(row.email_verified_at, source.zoneMs) !== null,
      ban: null,
      role: roleOf(row.permissions),
      roleName: row.role,
      limits: {},
      discord: null,
      panelUser: null,
      credits: String(balanceOf(source, row.id, row.email)),
    }),
  );
}

/** `["*"]` may do everything. */
const roleOf = (permissions: string): 'member' | 'admin' => (permissions.includes('"*"') ? 'admin' : 'member');

/** What each role may do: names in a list of JSON. */
function mapRights({ staging, addRight }: Source): void {
  for (const { name, permissions } of staging.rows('SELECT name, permissions FROM raw_roles'))
    for (const [, permission = ''] of (permissions ?? '').matchAll(/"([^"\\]+)"/g))
      addRight((name ?? '').trim(), permission);
}

/** The balances in the chosen currency together; those in others are listed. */
function balanceOf(source: Source, userId: string, label: string): bigint {
  let sum = 0n;
  for (const raw of source.staging.rows('SELECT currency_code, amount FROM raw_credits WHERE user_id = ?', userId)) {
    const { currency_code: currency, amount: held } = balance.parse(raw);
    const size = toFractions(held);
    if (size === null) source.leave('user', userId, label, 'credits_unreadable');
    else if (currency.toUpperCase() === source.currency) sum += size;
    else if (size !== 0n) source.leave('user', userId, `${label}: ${held} ${currency}`, 'other_currency');
  }
  return sum;
}

const service = z.object({
  id: key,
  user_id: key,
  status: trimmed,
  quantity: trimmed,
  expires_at: optional,
  label: trimmed,
});
function mapServers(source: Source): void {
  eachRow(
    source,
    { sql: 'SELECT * FROM raw_services ORDER BY CAST(id AS INTEGER)', schema: service, kind: 'server' },
    (row) => {
      const name = row.label || `#${row.id}`;
      if (row.status !== 'active' && row.status !== 'suspended')
        return source.leave('server', row.id, name, 'server_not_made');
      if (row.quantity !== '' && row.quantity !== '1') return source.leave('server', row.id, name, 'no_counterpart');
      source.put('server', row.id, {
        user: row.user_id,
        name,
        panelId: null,
        externalId: row.id,
        expiresMs: toMs(row.expires_at, source.zoneMs),
      });
    },
  );
}

const transaction = z.object({
  id: key,
  user_id: key,
  number: trimmed,
  amount,
  transaction_id: trimmed,
  gateway_id: trimmed,
  status: trimmed,
  currency_code: trimmed,
  created_at: optional,
});
function mapPayments(source: Source): void {
  const sql = `SELECT t.id, i.number AS label, i.user_id, i.number, t.amount, t.transaction_id, t.gateway_id, t.status, i.currency_code, t.created_at
    FROM raw_invoice_transactions t LEFT JOIN raw_invoices i ON i.id = t.invoice_id ORDER BY CAST(t.id AS INTEGER)`;
  eachRow(source, { sql, schema: transaction, kind: 'payment' }, (row) =>
    putPayment(source, row.id, {
      user: row.user_id,
      gateway: row.gateway_id,
      reference: row.transaction_id || row.number,
      status: row.status || 'succeeded',
      amount: row.amount,
      currency: row.currency_code,
      credits: null,
      atMs: toMs(row.created_at, source.zoneMs),
    }),
  );
}

const ticket = z.object({
  id: key,
  user_id: key,
  subject: trimmed,
  status: trimmed,
  priority: as((value) => PRIORITIES[(value ?? '').toLowerCase()] ?? 'normal'),
  department: trimmed,
  created_at: optional,
});
function mapTickets(source: Source): void {
  source.staging.run('CREATE INDEX raw_messages_of ON raw_ticket_messages (ticket_id)');
  eachRow(
    source,
    { sql: 'SELECT *, subject AS label FROM raw_tickets ORDER BY CAST(id AS INTEGER)', schema: ticket, kind: 'ticket' },
    (row) =>
      source.put('ticket', row.id, {
        user: row.user_id,
        subject: fromHtml(row.subject),
        department: row.department,
        status: row.status === 'closed' ? 'closed' : row.status === 'replied' ? 'answered' : 'open',
        priority: row.priority,
        atMs: toMs(row.created_at, source.zoneMs),
        lines: linesOf(source, {
          sql: 'SELECT user_id AS author, message AS text, created_at AS at FROM raw_ticket_messages WHERE ticket_id = ? ORDER BY CAST(id AS INTEGER)',
          ticket: row.id,
          owner: row.user_id,
        }),
      }),
  );
}

const setting = z.object({ key: trimmed, value: text });
function mapSettings(source: Source): void {
  const names = ['company_name', 'company_address', 'company_city', 'company_state', 'company_zip', 'company_country'];
  const sql =
    "SELECT key, value FROM raw_settings WHERE COALESCE(encrypted, '0') = '0' AND settingable_type IS NULL ORDER BY seq";
  eachRow(source, { sql, schema: setting, kind: 'setting' }, (row) => {
    if (names.includes(row.key) && row.value !== '') source.put('setting', row.key, { key: row.key, value: row.value });
  });
}
