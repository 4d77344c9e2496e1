import { bit, define, type Migration } from './migration.ts';

/** Filters of the list of users, as conditions; each has an index for every order but that by credits. */
const FILTERS: Readonly<Record<string, { first?: string; last?: string; where?: string }>> = {
  role: { first: 'role_id, ' },
  factor: { first: 'factor, ' },
  status: { first: 'status, ', where: " WHERE status <> 'active'" },
  // The column stands in its indexes, so that users are counted without being read.
  unverified: { last: ', verified_ms', where: ' WHERE verified_ms IS NULL' },
  unspent: { where: ' WHERE spent = 0' },
};
/** Orders of the list, by the columns of a cursor. */
const ORDERS = { username: 'username_key', created: 'created_ms, id', seen: 'seen_ms, id' } as const;

const indexes = Object.entries(ORDERS).flatMap(([order, cursor]) =>
  // Usernames have an index of all users by their key.
  Object.entries(order === 'username' ? FILTERS : { ...FILTERS, all: {} }).map(
    ([filter, { first = '', last = '', where = '' }]) =>
      `CREATE INDEX users_${filter}_${order} ON users (${first}${cursor}${last})${where}`,
  ),
);

/**
 * The list of users for staff (behaviour 8.3): when somebody was last seen, whether their second factor is on, and
 * whether they ever spent credits stand with the user, because an index holds columns of one table only. All wallets by
 * balance, without the accounts between them.
 */
export const userList: Migration = {
  name: '0047_user_list',
  up: (step) =>
    define(step, [
      'ALTER TABLE users ADD COLUMN seen_ms INTEGER NOT NULL DEFAULT 0',
      `ALTER TABLE users ADD COLUMN ${bit('factor').replace('NOT NULL', 'NOT NULL DEFAULT 0')}`,
      `ALTER TABLE users ADD COLUMN ${bit('spent').replace('NOT NULL', 'NOT NULL DEFAULT 0')}`,
      'UPDATE users SET seen_ms = COALESCE((SELECT MAX(s.seen_ms) FROM sessions s WHERE s.user_id = users.id), 0)',
      'UPDATE users SET factor = 1 WHERE id IN (SELECT user_id FROM second_factors WHERE secret IS NOT NULL)',
      `UPDATE users SET spent = 1 WHERE EXISTS (SELECT 1 FROM ledger_postings p
         WHERE p.source IN ('user:' || users.id, 'hold:' || users.id) AND p.kind IN ('store.buy', 'server.renew'))`,
      'DROP INDEX users_role',
      'DROP INDEX users_created',
      'DROP INDEX users_status',
      'DROP INDEX users_unverified',
      ...indexes,
      'DROP INDEX ledger_balances_wealth',
      "CREATE INDEX ledger_balances_wealth ON ledger_balances (balance, account) WHERE substr(account, 1, 5) = 'user:'",
    ]),
};
