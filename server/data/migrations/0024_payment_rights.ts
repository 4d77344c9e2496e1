import { dayIn } from '#shared/time.ts';
import { eightCharacterCode } from '#shared/readable-code.ts';
import type { Param } from '../raw.ts';
import { define, type Migration, type Step } from './migration.ts';

/**
 * Payments and credit packages get rights of their own, orders a reference that a person can read aloud, codes the name
 * of who changed them last, payments of unknown orders a place on the list of problems; and what users owe moves to an
 * account of its own.
 */
export const paymentRights: Migration = {
  name: '0024_payment_rights',
  async up(step) {
    await define(step, [
      'ALTER TABLE payment_orders ADD COLUMN code TEXT',
      'ALTER TABLE redeem_codes ADD COLUMN changed_by TEXT',
      "CREATE INDEX payment_events_unknown ON payment_events (received_ms, id) WHERE outcome = 'unknown' AND reason IS NOT NULL",
    ]);
    await giveRights(step);
    await nameOrders(step);
    await moveDebts(step);
    await define(step, ['CREATE UNIQUE INDEX payment_orders_code ON payment_orders (code) WHERE code IS NOT NULL']);
  },
};

/** Whoever had the right of before keeps what it was good for. */
const INHERITED: readonly (readonly [string, string])[] = [
  ['admin.users.list', 'admin.payments.list'],
  ['admin.users.list', 'admin.payments.view'],
  ['admin.users.edit', 'admin.payments.edit'],
  ...['create', 'edit', 'delete', 'list'].map(
    (verb) => [`admin.redeem.codes.${verb}`, `admin.credit.packages.${verb}`] as const,
  ),
];

async function giveRights({ raw }: Step): Promise<void> {
  for (const [before, now] of INHERITED) {
    await raw.run(
      'INSERT INTO role_permissions (role_id, permission) SELECT role_id, ? FROM role_permissions WHERE permission = ? ON CONFLICT DO NOTHING',
      [now, before],
    );
  }
}

/** Orders of before: eight signs from the random end of their id, or from further ahead where two would have the same. */
async function nameOrders({ raw }: Step): Promise<void> {
  const taken = new Set<string>();
  for (const { id } of await raw.all<{ id: string }>('SELECT id FROM payment_orders ORDER BY id')) {
    const bits = BigInt(`0x${id.replaceAll('-', '')}`);
    let code = '';
    for (let shift = 0n; code === '' || taken.has(code); shift += 1n) code = eightCharacterCode(bits >> shift);
    taken.add(code);
    await raw.run('UPDATE payment_orders SET code = ? WHERE id = ?', [code, id]);
  }
}

interface Moved {
  account: string;
  direction: 'owed' | 'off';
  kind: string;
  total: number;
}

/**
 * Debts stood against the account whose credits were spent, with the wrong sign: it was off by twice what was owed. One
 * transaction puts each account where its orders are and gives the difference to `system:debt`, where new debts stand.
 */
async function moveDebts({ raw, nowMs }: Step): Promise<void> {
  const moved = await raw.all<Moved>(`SELECT account, direction, kind, CAST(SUM(amount) AS BIGINT) AS total FROM (
      SELECT CASE WHEN substr(source, 1, 5) = 'debt:' THEN destination ELSE source END AS account,
        CASE WHEN substr(source, 1, 5) = 'debt:' THEN 'off' ELSE 'owed' END AS direction, kind, amount
      FROM ledger_postings WHERE substr(source, 1, 5) = 'debt:' OR substr(destination, 1, 5) = 'debt:'
    ) AS debts WHERE substr(account, 1, 7) = 'system:' GROUP BY account, direction, kind`);
  const short = new Map<string, number>();
  for (const { account, direction, total } of moved)
    short.set(account, (short.get(account) ?? 0) + (direction === 'owed' ? 2 : -2) * total);
  const postings = [...short].filter(([, amount]) => amount !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (postings.length === 0) return;
  const [id, kind] = ['00000000-0000-7000-8000-000000000024', 'debt.moved'];
  const run = (sql: string, values: readonly Param[]) => raw.run(sql, values);
  await run(
    'INSERT INTO ledger_transactions (id, kind, reference, subject, actor, reason, reverses, created_ms) VALUES (?, ?, ?, NULL, NULL, NULL, NULL, ?)',
    [id, kind, 'debt.moved:0024', nowMs],
  );
  const add =
    'INSERT INTO ledger_balances (account, balance) VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET balance = ledger_balances.balance + excluded.balance RETURNING balance';
  const day =
    'INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves) VALUES (?, ?, ?, 0, 0, 0, ?, ?)';
  let lent = 0;
  for (const [seq, [account, amount]] of postings.entries()) {
    const balance = (await raw.one<{ balance: number }>(add, [account, amount]))?.balance ?? 0;
    lent -= amount;
    const [from, to] = amount > 0 ? ['system:debt', account] : [account, 'system:debt'];
    const [fromAfter, toAfter] = amount > 0 ? [lent, balance] : [balance, lent];
    await run(
      'INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [id, seq, from, to, Math.abs(amount), fromAfter, toAfter, nowMs, kind],
    );
    await run(day, [dayIn(nowMs, 'UTC'), account, kind, amount, 1]);
  }
  await run(add, ['system:debt', lent]);
  await run(day, [dayIn(nowMs, 'UTC'), 'system:debt', kind, lent, postings.length]);
}
