import type { Kysely } from 'kysely';
import { comparable } from '#shared/names.ts';
import type { Param, Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { PeopleQuery, PeopleRepo, PersonRow } from '#server/modules/people/ports.ts';

/** Ids asked for in one statement. */
const STEP = 500;
/** After every text that begins with another one, byte by byte. */
const LAST = '\u{10FFFF}';
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
/** All wallets. Said so that the index of balances is walked in its order, and not the key's stretch of wallets sorted. */
const WALLETS = "substr(b.account, 1, 5) = 'user:'";
const ORDERS = { username: 'u.username_key', created: 'u.created_ms', credits: 'b.balance' } as const;

interface Row {
  id: string;
  username: string;
  email: string;
  status: PersonRow['status'];
  created_ms: number;
  name: string;
  color: string;
}

/** Users in the database, as staff ask for them. */
export function createPeopleRepo(_db: Kysely<DB>, raw: Raw): PeopleRepo {
  return {
    list: (query) => listOf(raw, query),
    async names(ids) {
      const names = new Map<string, string>();
      const wanted = [...new Set(ids)];
      for (let start = 0; start < wanted.length; start += STEP) {
        const part = wanted.slice(start, start + STEP);
        const rows = await raw.all<{ id: string; username: string }>(`SELECT id, username FROM users WHERE id IN (${marks(part)})`, part);
        for (const { id, username } of rows) names.set(id, username);
      }
      return names;
    },
    async seen(userId) {
      return (await raw.one<{ seen: number | null }>('SELECT MAX(seen_ms) AS seen FROM sessions WHERE user_id = ?', [userId]))?.seen ?? null;
    },
    roles: () => raw.all<{ id: string; name: string }>('SELECT id, name FROM roles ORDER BY rank, name'),
  };
}

const marks = (list: readonly unknown[]): string => list.map(() => '?').join(', ');

/** The conditions of a query. Texts are compared by their keys, from the beginning, so that an index finds them. */
function conditions({ search, roleId, status, debt }: PeopleQuery): { where: string; values: Param[] } {
  const parts: string[] = [];
  const values: Param[] = [];
  const text = comparable(search ?? '');
  if (ID.test(text)) {
    parts.push('u.id = ?');
    values.push(text);
  } else if (text !== '') {
    parts.push('((u.username_key >= ? AND u.username_key < ?) OR (u.email_key >= ? AND u.email_key < ?))');
    values.push(text, text + LAST, text, text + LAST);
  }
  if (roleId !== undefined) {
    parts.push('u.role_id = ?');
    values.push(roleId);
  }
  if (status !== undefined) {
    parts.push('u.status = ?');
    values.push(status);
  }
  if (debt !== undefined) {
    parts.push(`u.id ${debt ? 'IN' : 'NOT IN'} (SELECT substr(account, 6) FROM ledger_balances WHERE account >= 'debt:' AND account < 'debt;' AND balance > 0)`);
  }
  return { where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}

async function listOf(raw: Raw, query: PeopleQuery): Promise<{ rows: PersonRow[]; total: number }> {
  const { where, values } = conditions(query);
  const byCredits = query.sort === 'credits';
  // By credits the balances are walked in their order, and each wallet's user is looked up.
  const from = byCredits ? 'ledger_balances b JOIN users u ON u.id = substr(b.account, 6)' : 'users u';
  const narrowed = byCredits ? `${where === '' ? 'WHERE' : `${where} AND`} ${WALLETS}` : where;
  const dir = query.dir === 'desc' ? 'DESC' : 'ASC';
  const rows = await raw.all<Row>(
    `SELECT u.id, u.username, u.email, u.status, u.created_ms, r.name, r.color FROM ${from} JOIN roles r ON r.id = u.role_id ${narrowed}
     ORDER BY ${ORDERS[query.sort]} ${dir}, ${byCredits ? 'b.account' : 'u.id'} ${dir} LIMIT ? OFFSET ?`,
    [...values, query.limit, query.offset],
  );
  const counted = await raw.one<{ n: number }>(`SELECT COUNT(*) AS n FROM users u ${where}`, values);
  return { rows: await withFigures(raw, rows), total: counted?.n ?? 0 };
}

/** Adds to one page of users what other tables know of them. */
async function withFigures(raw: Raw, rows: readonly Row[]): Promise<PersonRow[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const accounts = ids.flatMap((id) => [`user:${id}`, `debt:${id}`]);
  const balances = await raw.all<{ account: string; balance: number }>(`SELECT account, balance FROM ledger_balances WHERE account IN (${marks(accounts)})`, accounts);
  const seen = await raw.all<{ user_id: string; seen: number }>(`SELECT user_id, MAX(seen_ms) AS seen FROM sessions WHERE user_id IN (${marks(ids)}) GROUP BY user_id`, ids);
  const balanceOf = new Map(balances.map(({ account, balance }) => [account, balance]));
  const seenOf = new Map(seen.map((row) => [row.user_id, row.seen]));
  return rows.map((row) => ({
    id: row.id, username: row.username, email: row.email, status: row.status, role: { name: row.name, color: row.color },
    credits: balanceOf.get(`user:${row.id}`) ?? 0, debt: balanceOf.get(`debt:${row.id}`) ?? 0, createdMs: row.created_ms, seenMs: seenOf.get(row.id) ?? null,
  }));
}
