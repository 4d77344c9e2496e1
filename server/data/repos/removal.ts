import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { DependantCounts } from '#server/modules/deletion/ports.ts';

/**
 * Records of a user that must stay, and with them the user's row: tables and the columns that name the user. Gifts,
 * redeemed codes, purchases and rewards are found by their postings, debts of servers by the server.
 */
const RECORDS: readonly (readonly [table: string, column: string])[] = [
  ['payment_orders', 'user_id'],
  ['imported_payments', 'user_id'],
  ['servers', 'user_id'],
  ['panel_accounts', 'user_id'],
  ['referrals', 'newcomer_id'],
  ['referrals', 'referrer_id'],
  ['link_claims', 'user_id'],
  ['j4r_claims', 'user_id'],
  ['identity_history', 'user_id'],
  ['ledger_blocks', 'user_id'],
];
/** A user's accounts in the ledger. */
const accountsOf = (userId: string) => [`user:${userId}`, `debt:${userId}`, `hold:${userId}`];
/** Numbers of a user that nobody needs once the user is gone. */
const NUMBERS = ['user_limits', 'earn_counters', 'gift_days', 'afk_sessions', 'early_supporters'] as const;

/** Whether records name the user: movements of credits, payments, servers, claims, or what they did as staff. */
export async function hasRecords({ one }: Raw, userId: string): Promise<boolean> {
  const accounts = accountsOf(userId);
  const marks = accounts.map(() => '?').join(', ');
  const found = [
    `EXISTS (SELECT 1 FROM ledger_postings WHERE source IN (${marks}))`,
    `EXISTS (SELECT 1 FROM ledger_postings WHERE destination IN (${marks}))`,
    `EXISTS (SELECT 1 FROM ledger_accruals WHERE account IN (${marks}))`,
    ...RECORDS.map(([table, column]) => `EXISTS (SELECT 1 FROM ${table} WHERE ${column} = ?)`),
    "EXISTS (SELECT 1 FROM audit WHERE actor_id = ? AND substr(action, 1, 8) <> 'account.')",
  ];
  const values = [...accounts, ...accounts, ...accounts, ...RECORDS.map(() => userId), userId];
  return (await one(`SELECT 1 AS found WHERE ${found.join(' OR ')}`, values)) !== undefined;
}

/** Tables that staff see counted before they delete an account. */
const COUNTED: Readonly<Record<keyof DependantCounts, string>> = {
  payments: 'payment_orders',
  purchases: 'store_purchases',
  identities: 'linked_identities',
  passkeys: 'passkeys',
  tokens: 'api_tokens',
  sessions: 'sessions',
};

/** How many rows of each kind hang on a user. */
export async function countDependants({ one }: Raw, userId: string): Promise<DependantCounts> {
  const counts = Object.entries(COUNTED).map(
    ([name, table]) => `(SELECT COUNT(*) FROM ${table} WHERE user_id = ?) AS ${name}`,
  );
  const row = await one<DependantCounts>(
    `SELECT ${counts.join(', ')}`,
    counts.map(() => userId),
  );
  if (!row) throw new Error('a question for counts had no answer');
  return row;
}

/** Removes the row of an erased user that no records name. */
export async function removeUser(db: Kysely<DB>, userId: string): Promise<void> {
  for (const table of NUMBERS) await db.deleteFrom(table).where('user_id', '=', userId).execute();
  await db.deleteFrom('ledger_balances').where('account', 'in', accountsOf(userId)).execute();
  await db.deleteFrom('users').where('id', '=', userId).execute();
}
