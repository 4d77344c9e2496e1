import { normaliseName } from '#shared/names.ts';
import { alongIndex, joinInOrder, type Param, type Raw } from '#server/data/raw.ts';
import type { PeoplePage, PeopleQuery, ListedUser } from '#server/modules/people/ports.ts';
import { indexedFilters, isReadInOrder } from '#server/modules/people/list-filters.ts';
import { DISCORD_ID, ID, IP_ADDRESS, LAST, PIN } from './search-keys.ts';

/** All wallets. Said so that the index of balances is walked in its order, and not the key's stretch of wallets sorted. */
const WALLETS = "substr(b.account, 1, 5) = 'user:'";
/** The columns of a cursor in each order. */
const CURSOR_COLUMNS = { username: ['username_key'], created: ['created_ms', 'id'], seen: ['seen_ms', 'id'] } as const;

interface Row {
  id: string;
  username: string;
  username_key: string;
  email: string;
  status: ListedUser['status'];
  verified_ms: number | null;
  factor: 0 | 1;
  spent: 0 | 1;
  created_ms: number;
  seen_ms: number;
  name: string;
  color: string;
}
interface Condition {
  readonly sql: string;
  readonly values: readonly Param[];
}

const marks = (list: readonly unknown[]): string => list.map(() => '?').join(', ');

/** What a search finds. Texts are compared by their keys, from the beginning, so that an index finds them. */
function searched({ ids, search, nowMs, byAddress, place }: PeopleQuery): Condition[] {
  if (ids !== undefined) return [{ sql: `u.id IN (${marks(ids)})`, values: [...ids] }];
  const text = normaliseName(search ?? '');
  if (text === '') return [];
  if (ID.test(text)) return [{ sql: 'u.id = ?', values: [text] }];
  const found = ['(u.username_key >= ? AND u.username_key < ?)', '(u.email_key >= ? AND u.email_key < ?)'];
  const values: Param[] = [text, text + LAST, text, text + LAST];
  if (PIN.test(text)) {
    found.push('u.id IN (SELECT user_id FROM support_pins WHERE pin = ? AND expires_ms > ?)');
    values.push(text.replace(' ', ''), nowMs);
  }
  if (DISCORD_ID.test(text)) {
    found.push("u.id IN (SELECT user_id FROM linked_identities WHERE provider = 'discord' AND subject = ?)");
    values.push(text);
  }
  if (byAddress && IP_ADDRESS.test(text)) {
    found.push('u.id IN (SELECT user_id FROM sessions WHERE address = ?)');
    values.push(text);
    if (place) {
      found.push('u.id IN (SELECT user_id FROM abuse_signals WHERE kind = ? AND value = ?)');
      values.push(place.kind, place.value);
    }
  }
  return [{ sql: `(${found.join(' OR ')})`, values }];
}

/** The conditions of the filters, worded as those of the partial indexes are. */
function filtered(query: PeopleQuery): Condition[] {
  const { roleId, status, debt, unverified, factor, unspent } = query;
  const all: Condition[] = [];
  if (roleId !== undefined) all.push({ sql: 'u.role_id = ?', values: [roleId] });
  if (status === 'active') all.push({ sql: 'u.status = ?', values: [status] });
  else if (status !== undefined) all.push({ sql: "u.status <> 'active' AND u.status = ?", values: [status] });
  if (unverified === true) all.push({ sql: 'u.verified_ms IS NULL', values: [] });
  if (factor !== undefined) all.push({ sql: 'u.factor = ?', values: [factor ? 1 : 0] });
  if (unspent === true) all.push({ sql: 'u.spent = 0', values: [] });
  if (debt !== undefined) {
    all.push({
      sql: `u.id ${debt ? 'IN' : 'NOT IN'} (SELECT substr(account, 6) FROM ledger_balances WHERE account >= 'debt:' AND account < 'debt;' AND balance > 0)`,
      values: [],
    });
  }
  return all;
}

/** Whether the rows are read from the lowest value up: backwards for a page before a cursor. */
const isUpwards = ({ dir, before }: PeopleQuery): boolean => (dir === 'asc') !== (before !== undefined);

/**
 * The conditions of a span of the order: when users were last seen, and the cursor that the page begins behind. Of two
 * bounds at one end only the nearer is named: an index is entered by one. In: the name of the users' table; whether the
 * cursor counts.
 */
function spanned(query: PeopleQuery, table: string, withCursor: boolean): Condition[] {
  const { seen, sort } = query;
  const cursor = withCursor ? (query.after ?? query.before) : undefined;
  const up = isUpwards(query);
  const [from, to] = [`${table}.seen_ms >= ?`, `${table}.seen_ms < ?`];
  const bounds: Condition[] = [];
  const covers = (end: 'from' | 'to') =>
    sort === 'seen' &&
    typeof cursor?.value === 'number' &&
    (end === 'from' ? up && cursor.value >= (seen?.fromMs ?? 0) : !up && cursor.value < (seen?.toMs ?? 0));
  if (seen && !covers('from')) bounds.push({ sql: from, values: [seen.fromMs] });
  if (seen && !covers('to')) bounds.push({ sql: to, values: [seen.toMs] });
  if (!cursor) return bounds;
  const columns =
    sort === 'credits' ? ['b.balance', 'b.account'] : CURSOR_COLUMNS[sort].map((name) => `${table}.${name}`);
  const values =
    sort === 'username' ? [cursor.value] : [cursor.value, sort === 'credits' ? `user:${cursor.id}` : cursor.id];
  const sides = columns.length === 1 ? [columns[0], '?'] : [`(${columns.join(', ')})`, '(?, ?)'];
  const isPast = seen && sort === 'seen' && !covers(up ? 'from' : 'to');
  return isPast ? bounds : [...bounds, { sql: sides.join(up ? ' > ' : ' < '), values }];
}

const orderOf = (query: PeopleQuery, columns: readonly string[]): string =>
  `ORDER BY ${columns.map((name) => `${name} ${isUpwards(query) ? 'ASC' : 'DESC'}`).join(', ')}`;

/** Users that are counted at most: counting is a walk. */
const COUNTED_MAX = 1000;
/** As few as are sorted when they are asked for in an order of which the filter's index knows nothing. */
const FEW = COUNTED_MAX;

/**
 * One page of the users that staff ask for, and how many there are, counted up to a limit. Where no index has the
 * filters in the order that is asked for, few are taken first and then sorted, and of many that order is walked.
 */
export async function listPeople(raw: Raw, query: PeopleQuery): Promise<PeoplePage> {
  const filters = [...searched(query), ...filtered(query)];
  const { sql: matching, values } = gatheredOf(raw, query);
  const gathered = `${matching} LIMIT ?`;
  const counted =
    (
      await raw.one<{ n: number }>(`SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM ${gathered}) AS found`, [
        ...values,
        COUNTED_MAX + 1,
      ])
    )?.n ?? 0;
  const isFiltered = filters.length > 0 || query.seen !== undefined;
  const isFew = !isReadInOrder(query) && isFiltered && counted <= FEW;
  const found = isFew
    ? await amongFew(raw, query, `(SELECT * FROM ${gathered}) AS few`, [...values, FEW])
    : await inOrder(raw, query, filters);
  const rows = found.slice(0, query.limit);
  return {
    rows: await withFigures(raw, query, query.before ? rows.toReversed() : rows),
    total: Math.min(counted, COUNTED_MAX),
    isMore: counted > COUNTED_MAX,
    goesOn: found.length > query.limit,
  };
}

/** How many users fit, to the last one. */
export async function countPeople(raw: Raw, query: PeopleQuery): Promise<number> {
  const { sql, values } = gatheredOf(raw, query);
  return (await raw.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${sql}`, values))?.n ?? 0;
}

/** All users who fit, wherever a page of them begins: what follows FROM. */
function gatheredOf(raw: Raw, query: PeopleQuery): Condition {
  const all = [...searched(query), ...filtered(query), ...spanned(query, 'u', false)];
  return {
    sql: `${gatheredFrom(raw, query)} WHERE ${[raw.stopCondition, ...all.map(({ sql }) => sql)].join(' AND ')}`,
    values: all.flatMap((condition) => condition.values),
  };
}

/** The table of users along the index that has fewest of those who fit; what is searched for finds its own. */
function gatheredFrom(raw: Raw, query: PeopleQuery): string {
  const [filter] = indexedFilters(query);
  if (filter === undefined || query.debt === true || searched(query).length > 0) return 'users u';
  return `users u${alongIndex(raw, `users_${filter}_${query.sort === 'credits' ? 'created' : query.sort}`)}`;
}

const COLUMNS = [
  'id',
  'username',
  'username_key',
  'email',
  'status',
  'verified_ms',
  'factor',
  'spent',
  'created_ms',
  'seen_ms',
];
const selected = (table: string) => `SELECT ${COLUMNS.map((name) => `${table}.${name}`).join(', ')}, r.name, r.color`;

/** The page of users who are few: taken, then sorted. In: where they come from. */
function amongFew(raw: Raw, query: PeopleQuery, few: string, values: readonly Param[]): Promise<Row[]> {
  const join = joinInOrder(raw);
  const byCredits = query.sort === 'credits';
  const wallets = byCredits ? ` ${join} ledger_balances b ON b.account = 'user:' || few.id` : '';
  const columns =
    query.sort === 'credits' ? ['b.balance', 'b.account'] : CURSOR_COLUMNS[query.sort].map((name) => `few.${name}`);
  const span = spanned({ ...query, seen: undefined }, 'few', true);
  return raw.all<Row>(
    `${selected('few')} FROM ${few}${wallets} ${join} roles r ON r.id = few.role_id
     WHERE ${[raw.stopCondition, ...span.map(({ sql }) => sql)].join(' AND ')} ${orderOf(query, columns)} LIMIT ?`,
    [...values, ...span.flatMap((condition) => condition.values), query.limit + 1],
  );
}

/**
 * The page along the index of the wallets. Whether somebody is passed over stands in an index of what the list is
 * filtered by; read are only those who are shown.
 */
function byCredits(raw: Raw, query: PeopleQuery, filters: readonly Condition[]): Promise<Row[]> {
  const join = joinInOrder(raw);
  const all = [...filters, ...spanned(query, 'u', true)];
  const orderBy = (table: string) => orderOf(query, [`${table}.balance`, `${table}.account`]);
  // What is searched for is found by names, which that index has not.
  const traits = searched(query).length > 0 ? '' : alongIndex(raw, 'users_traits');
  const page = `SELECT b.balance, b.account FROM ledger_balances b${alongIndex(raw, 'ledger_balances_wealth')}
    ${join} users u${traits} ON u.id = substr(b.account, 6)
    WHERE ${[raw.stopCondition, WALLETS, ...all.map(({ sql }) => sql)].join(' AND ')} ${orderBy('b')} LIMIT ?`;
  return raw.all<Row>(
    `${selected('u')} FROM (${page}) AS page ${join} users u${alongIndex(raw, 'sqlite_autoindex_users_1')} ON u.id = substr(page.account, 6)
     ${join} roles r ON r.id = u.role_id ${orderBy('page')}`,
    [...all.flatMap((condition) => condition.values), query.limit + 1],
  );
}

/** The page along the order's own index. */
function inOrder(raw: Raw, query: PeopleQuery, filters: readonly Condition[]): Promise<Row[]> {
  if (query.sort === 'credits') return byCredits(raw, query, filters);
  const join = joinInOrder(raw);
  const all = [...filters, ...spanned(query, 'u', true)];
  const [filter = 'all'] = indexedFilters(query);
  // The key of usernames is an index in itself.
  const index = query.sort === 'username' && filter === 'all' ? '' : alongIndex(raw, `users_${filter}_${query.sort}`);
  const columns = CURSOR_COLUMNS[query.sort].map((name) => `u.${name}`);
  const where = [raw.stopCondition, ...all.map(({ sql }) => sql)];
  return raw.all<Row>(
    `${selected('u')} FROM users u${index} ${join} roles r ON r.id = u.role_id WHERE ${where.join(' AND ')} ${orderOf(query, columns)} LIMIT ?`,
    [...all.flatMap((condition) => condition.values), query.limit + 1],
  );
}

/** Adds to one page of users what the ledger knows of them. */
async function withFigures(raw: Raw, { sort }: PeopleQuery, rows: readonly Row[]): Promise<ListedUser[]> {
  if (rows.length === 0) return [];
  const accounts = rows.flatMap(({ id }) => [`user:${id}`, `debt:${id}`]);
  const balances = await raw.all<{ account: string; balance: number }>(
    `SELECT account, balance FROM ledger_balances WHERE account IN (${marks(accounts)})`,
    accounts,
  );
  const balanceOf = new Map(balances.map(({ account, balance }) => [account, balance]));
  return rows.map((row) => {
    const credits = balanceOf.get(`user:${row.id}`) ?? 0;
    const values = { username: row.username_key, created: row.created_ms, seen: row.seen_ms, credits };
    return {
      id: row.id,
      cursor: { value: values[sort], id: row.id },
      username: row.username,
      email: row.email,
      status: row.status,
      role: { name: row.name, color: row.color },
      credits,
      debt: balanceOf.get(`debt:${row.id}`) ?? 0,
      isVerified: row.verified_ms !== null,
      hasFactor: row.factor === 1,
      hasSpent: row.spent === 1,
      createdMs: row.created_ms,
      seenMs: row.seen_ms === 0 ? null : row.seen_ms,
    };
  });
}
