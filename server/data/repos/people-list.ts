import { normaliseName } from '#shared/names.ts';
import { alongIndex, joinInOrder, type Param, type Raw } from '#server/data/raw.ts';
import type { PeopleQuery, PersonRow } from '#server/modules/people/ports.ts';

/** After every text that begins with another one, byte by byte. */
const LAST = '\u{10FFFF}';
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
/** A support PIN, as it is stored or as it is read out. */
const PIN = /^\d{3} ?\d{3}$/;
const DISCORD_ID = /^\d{15,20}$/;
/** What may be an IP address, as sessions have it. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)$/;
/** All wallets. Said so that the index of balances is walked in its order, and not the key's stretch of wallets sorted. */
const WALLETS = "substr(b.account, 1, 5) = 'user:'";
const COLUMNS = { username: 'username_key', created: 'created_ms' } as const;

interface Row {
  id: string;
  username: string;
  email: string;
  status: PersonRow['status'];
  created_ms: number;
  name: string;
  color: string;
}

const marks = (list: readonly unknown[]): string => list.map(() => '?').join(', ');

/** The conditions of a query. Texts are compared by their keys, from the beginning, so that an index finds them. */
function conditions({ search, roleId, status, debt, unverified, nowMs, byAddress }: PeopleQuery): {
  where: string;
  values: Param[];
} {
  const parts: string[] = [];
  const values: Param[] = [];
  const text = normaliseName(search ?? '');
  if (ID.test(text)) {
    parts.push('u.id = ?');
    values.push(text);
  } else if (text !== '') {
    const found = ['(u.username_key >= ? AND u.username_key < ?)', '(u.email_key >= ? AND u.email_key < ?)'];
    values.push(text, text + LAST, text, text + LAST);
    if (PIN.test(text)) {
      found.push('u.id IN (SELECT user_id FROM support_pins WHERE pin = ? AND expires_ms > ?)');
      values.push(text.replace(' ', ''), nowMs);
    }
    if (DISCORD_ID.test(text)) {
      found.push("u.id IN (SELECT user_id FROM linked_identities WHERE provider = 'discord' AND subject = ?)");
      values.push(text);
    }
    if (byAddress && ADDRESS.test(text)) {
      found.push('u.id IN (SELECT user_id FROM sessions WHERE address = ?)');
      values.push(text);
    }
    parts.push(`(${found.join(' OR ')})`);
  }
  if (roleId !== undefined) {
    parts.push('u.role_id = ?');
    values.push(roleId);
  }
  if (status !== undefined) {
    parts.push('u.status = ?');
    values.push(status);
  }
  if (unverified === true) parts.push('u.verified_ms IS NULL');
  if (debt !== undefined) {
    parts.push(
      `u.id ${debt ? 'IN' : 'NOT IN'} (SELECT substr(account, 6) FROM ledger_balances WHERE account >= 'debt:' AND account < 'debt;' AND balance > 0)`,
    );
  }
  return { where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}

/** Users that are counted at most: nobody pages through more, and counting is a walk. */
const COUNTED_MAX = 10_000;
/**
 * As few as are sorted when they are asked for in an order of which the filter's index knows nothing; more are met soon
 * enough along that order's own index.
 */
const FEW = 2000;

/** One page of the users that staff ask for, and how many there are, counted up to a limit. */
export async function listPeople(
  raw: Raw,
  query: PeopleQuery,
): Promise<{ rows: PersonRow[]; total: number; more: boolean }> {
  const { where, values } = conditions(query);
  // Nearly everybody is active, and few are not: whatever else is asked for, these are found by it.
  const users = `users u${query.status !== undefined && query.status !== 'active' ? alongIndex(raw, 'users_status') : ''}`;
  const counted =
    (
      await raw.one<{ n: number }>(
        `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM ${users} ${where} LIMIT ?) AS found`,
        [...values, COUNTED_MAX + 1],
      )
    )?.n ?? 0;
  const few = where !== '' && counted <= FEW;
  const column = query.sort === 'credits' ? null : COLUMNS[query.sort];
  const byCredits = column === null;
  // Few are taken first and then sorted. Of many the order is walked: by credits that of the balances, and each
  // wallet's user is looked up.
  const join = joinInOrder(raw);
  const name = few ? 'few' : 'u';
  const from = few
    ? `(SELECT * FROM ${users} ${where} LIMIT ${FEW}) AS few${byCredits ? ` ${join} ledger_balances b ON b.account = 'user:' || few.id` : ''}`
    : byCredits
      ? `ledger_balances b ${join} users u ON u.id = substr(b.account, 6)`
      : 'users u';
  const narrowed = few ? '' : byCredits ? `${where === '' ? 'WHERE' : `${where} AND`} ${WALLETS}` : where;
  const dir = query.dir === 'desc' ? 'DESC' : 'ASC';
  const rows = await raw.all<Row>(
    `SELECT ${name}.id, ${name}.username, ${name}.email, ${name}.status, ${name}.created_ms, r.name, r.color FROM ${from} ${join} roles r ON r.id = ${name}.role_id ${narrowed}
     ORDER BY ${byCredits ? 'b.balance' : `${name}.${column}`} ${dir}, ${byCredits ? 'b.account' : `${name}.id`} ${dir} LIMIT ? OFFSET ?`,
    [...values, query.limit, query.offset],
  );
  return { rows: await withFigures(raw, rows), total: Math.min(counted, COUNTED_MAX), more: counted > COUNTED_MAX };
}

/** Adds to one page of users what other tables know of them. */
async function withFigures(raw: Raw, rows: readonly Row[]): Promise<PersonRow[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const accounts = ids.flatMap((id) => [`user:${id}`, `debt:${id}`]);
  const balances = await raw.all<{ account: string; balance: number }>(
    `SELECT account, balance FROM ledger_balances WHERE account IN (${marks(accounts)})`,
    accounts,
  );
  const seen = await raw.all<{ user_id: string; seen: number }>(
    `SELECT user_id, MAX(seen_ms) AS seen FROM sessions WHERE user_id IN (${marks(ids)}) GROUP BY user_id`,
    ids,
  );
  const balanceOf = new Map(balances.map(({ account, balance }) => [account, balance]));
  const seenOf = new Map(seen.map((row) => [row.user_id, row.seen]));
  return rows.map((row) => ({
    id: row.id,
    username: row.username,
    email: row.email,
    status: row.status,
    role: { name: row.name, color: row.color },
    credits: balanceOf.get(`user:${row.id}`) ?? 0,
    debt: balanceOf.get(`debt:${row.id}`) ?? 0,
    createdMs: row.created_ms,
    seenMs: seenOf.get(row.id) ?? null,
  }));
}
