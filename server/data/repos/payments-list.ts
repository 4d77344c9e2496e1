import {
  sql,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { CreatedCursor } from '#server/modules/export-steps.ts';
import type {
  ListedElsewhere,
  ListedOrder,
  ListedPayment,
  OrderFilter,
  OrderQuery,
  PaymentsRepo,
} from '#server/modules/payments/ports.ts';
import { currenciesWithDigits } from '#shared/money.ts';
import { toOrder } from './payments-rows.ts';

/** Lists of orders, with the names of their buyers and receipts. */
export function ordersList(db: Kysely<DB>): Pick<PaymentsRepo, 'paidBy' | 'listOrders' | 'exportPayments' | 'listed'> {
  const rows = () =>
    db
      .selectFrom('payment_orders')
      .leftJoin('users', 'users.id', 'payment_orders.user_id')
      .leftJoin('payment_receipts', 'payment_receipts.order_id', 'payment_orders.id')
      .selectAll('payment_orders')
      .select(['users.username as username', 'payment_receipts.label as receipt']);
  type Row = Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>;
  const toListed = (row: Row): ListedOrder => ({ ...toOrder(row), username: row.username, receipt: row.receipt });
  /** What the keys name, of each kind by id. */
  const ofKeys = async (keys: readonly Key[]) => {
    const idsOf = (imported: number) => keys.filter((key) => Number(key.imported) === imported).map(({ id }) => id);
    const [ids, others] = [idsOf(0), idsOf(1)];
    const orders = ids.length > 0 ? await rows().where('payment_orders.id', 'in', ids).execute() : [];
    const elsewhere = others.length > 0 ? await listElsewhere(db, others) : [];
    return {
      orders: new Map(orders.map((row) => [row.id, toListed(row)])),
      elsewhere: new Map(elsewhere.map((row) => [row.id, row])),
    };
  };
  return {
    paidBy: async (userId) => {
      const found = await db
        .selectFrom('payment_orders')
        .select(({ fn, eb }) => [
          'currency',
          fn.sum<number>(eb('amount', '-', eb.ref('refunded'))).as('minor'),
          fn.countAll<number>().as('orders'),
        ])
        .where('user_id', '=', userId)
        .where('state', 'in', ['paid', 'part_refunded'])
        .groupBy('currency')
        .orderBy('minor', 'desc')
        .orderBy('currency')
        .execute();
      return found.map(({ currency, minor, orders }) => ({ currency, minor: Number(minor), orders: Number(orders) }));
    },
    async listOrders(query) {
      const { keys, counts } = await askLists(db, query);
      const { orders, elsewhere } = await ofKeys(keys);
      const inOrder = <T>(found: ReadonlyMap<string, T>): T[] => keys.flatMap(({ id }) => found.get(id) ?? []);
      return {
        rows: inOrder(orders),
        elsewhere: inOrder(elsewhere),
        total: counts.reduce((sum, { n }) => sum + Number(n), 0),
      };
    },
    async exportPayments(query, after, limit) {
      const keys = await newestKeys(db, query, after, limit);
      const { orders, elsewhere } = await ofKeys(keys);
      return keys.flatMap(({ id, at }): ListedPayment[] => {
        const [order, other] = [orders.get(id), elsewhere.get(id)];
        if (order) return [{ id, createdMs: Number(at), order, elsewhere: null }];
        return other ? [{ id, createdMs: Number(at), order: null, elsewhere: other }] : [];
      });
    },
    async listed(id) {
      const row = await rows().where('payment_orders.id', '=', id).executeTakeFirst();
      return row ? toListed(row) : null;
    },
  };
}

/** A payment of either kind by its id. */
interface Key {
  readonly id: string;
  /** What it is ordered by. */
  readonly at: number;
  /** 1: at another dashboard. */
  readonly imported: number;
}

/** The payments of each kind that a filter wants: orders, and what was imported. */
function wantedOf(db: Kysely<DB>, filter: OrderFilter) {
  return {
    orders: db
      .selectFrom('payment_orders')
      .leftJoin('users', 'users.id', 'payment_orders.user_id')
      .where((eb) => wanted(eb, filter)),
    imported: db
      .selectFrom('imported_payments')
      .leftJoin('users', 'users.id', 'imported_payments.user_id')
      .where((eb) => wantedElsewhere(eb, filter)),
  };
}

/** The keys of a page, and how many there are, of each kind that is wanted. */
async function askLists(db: Kysely<DB>, query: OrderQuery): Promise<{ keys: Key[]; counts: { n: number }[] }> {
  const { userId, state, provider, sort } = query;
  const { orders, imported } = wantedOf(db, query);
  const orderKeys = orders.select([
    'payment_orders.id as id',
    (sort.by === 'amount' ? ORDER_AMOUNT : ORDER_TIME).as('at'),
    sql<number>`0`.as('imported'),
  ]);
  const importedKeys = imported.select([
    'imported_payments.id as id',
    (sort.by === 'amount' ? IMPORTED_AMOUNT : IMPORTED_TIME).as('at'),
    sql<number>`1`.as('imported'),
  ]);
  const pageOf = <D, T extends keyof D>(keys: SelectQueryBuilder<D, T, Key>) =>
    sortedKeys(keys, sort.dir).offset(query.offset).limit(query.limit).execute();
  const countOrders = () => orders.select((eb) => eb.fn.countAll<number>().as('n')).execute();
  const countImported = () => imported.select((eb) => eb.fn.countAll<number>().as('n')).execute();
  if (provider === 'imported') return { keys: await pageOf(importedKeys), counts: await countImported() };
  // Of one user they are listed apart.
  if (userId !== undefined || state !== undefined || provider !== undefined)
    return { keys: await pageOf(orderKeys), counts: await countOrders() };
  return {
    keys: await pageOf(orderKeys.unionAll(importedKeys)),
    counts: [...(await countOrders()), ...(await countImported())],
  };
}

/** The keys behind one, the newest first: of both kinds, unless the filter names one. */
function newestKeys(
  db: Kysely<DB>,
  filter: OrderFilter,
  after: CreatedCursor | null,
  limit: number,
): Promise<readonly Key[]> {
  const { state, provider } = filter;
  const { orders, imported } = wantedOf(db, filter);
  const behind = (time: RawBuilder<number>, id: string) =>
    after ? sql<SqlBool>`(${time}, ${sql.ref(id)}) < (${after.createdMs}, ${after.id})` : sql<SqlBool>`1 = 1`;
  const orderKeys = orders
    .where(behind(ORDER_TIME, 'payment_orders.id'))
    .select(['payment_orders.id as id', ORDER_TIME.as('at'), sql<number>`0`.as('imported')]);
  const importedKeys = imported
    .where(behind(IMPORTED_TIME, 'imported_payments.id'))
    .select(['imported_payments.id as id', IMPORTED_TIME.as('at'), sql<number>`1`.as('imported')]);
  const pageOf = <D, T extends keyof D>(keys: SelectQueryBuilder<D, T, Key>) =>
    sortedKeys(keys, 'desc').limit(limit).execute();
  if (provider === 'imported') return pageOf(importedKeys);
  if (state !== undefined || provider !== undefined) return pageOf(orderKeys);
  return pageOf(orderKeys.unionAll(importedKeys));
}

/** Of both kinds it is one statement that has no other around it: so each is read along its index, up to the page. */
const sortedKeys = <D, T extends keyof D>(keys: SelectQueryBuilder<D, T, Key>, dir: 'asc' | 'desc') =>
  keys.orderBy(sql.ref('at'), dir).orderBy(sql.ref('id'), dir);

const ORDER_TIME = sql<number>`${sql.ref('payment_orders.created_ms')}`;
/** As its index has it. */
const IMPORTED_TIME = sql<number>`COALESCE(imported_payments.paid_ms, 0)`;
/** Thousandths of whole units: the size of the number that is read, however many digits the currency has. */
const ORDER_AMOUNT = sql<number>`payment_orders.amount * CASE
  WHEN payment_orders.currency IN (${sql.join(currenciesWithDigits(0))}) THEN 1000
  WHEN payment_orders.currency IN (${sql.join(currenciesWithDigits(3))}) THEN 1 ELSE 10 END`;
const IMPORTED_AMOUNT = sql<number>`COALESCE(CAST(ROUND(CAST(imported_payments.amount AS DOUBLE PRECISION) * 1000) AS BIGINT), 0)`;

async function listElsewhere(db: Kysely<DB>, ids: readonly string[]): Promise<ListedElsewhere[]> {
  const found = await db
    .selectFrom('imported_payments')
    .innerJoin('import_runs', 'import_runs.id', 'imported_payments.run_id')
    .leftJoin('users', 'users.id', 'imported_payments.user_id')
    .selectAll('imported_payments')
    .select(['import_runs.product as product', 'users.username as username'])
    .where('imported_payments.id', 'in', ids)
    .execute();
  return found.map((row) => ({
    id: row.id,
    product: row.product,
    gateway: row.gateway,
    reference: row.reference,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    credits: row.credits,
    paidMs: row.paid_ms,
    userId: row.user_id,
    username: row.username,
  }));
}

type Names = { users: DB['users'] | { [K in keyof DB['users']]: null } };
function wanted(
  eb: ExpressionBuilder<DB & Names, 'payment_orders' | 'users'>,
  { userId, state, provider, q }: OrderFilter,
) {
  const all = [
    ...(userId === undefined ? [] : [eb('payment_orders.user_id', '=', userId)]),
    ...(state === undefined ? [] : [eb('payment_orders.state', '=', state)]),
    ...(provider === undefined || provider === 'imported' ? [] : [eb('payment_orders.provider', '=', provider)]),
  ];
  if (q !== undefined && q !== '') {
    const { key, end } = spanOf(q);
    all.push(
      eb.or([
        eb('payment_orders.id', '=', q),
        eb('payment_orders.ref', '=', q),
        eb('payment_orders.payment_ref', '=', q),
        eb('payment_orders.code', '=', q.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')),
        eb.and([eb('users.username_key', '>=', key), eb('users.username_key', '<', end)]),
      ]),
    );
  }
  return eb.and(all);
}

function wantedElsewhere(
  eb: ExpressionBuilder<DB & Names, 'imported_payments' | 'users'>,
  { userId, state, q }: OrderFilter,
) {
  const all = [
    ...(userId === undefined ? [] : [eb('imported_payments.user_id', '=', userId)]),
    // None of them has a state of ours: what that dashboard called it is its own word.
    ...(state === undefined ? [] : [sql<SqlBool>`1 = 0`]),
  ];
  if (q === undefined || q === '') return eb.and(all);
  const { key, end } = spanOf(q);
  return eb.and([
    ...all,
    eb.or([
      eb('imported_payments.id', '=', q),
      eb('imported_payments.reference', '=', q),
      eb.and([eb('users.username_key', '>=', key), eb('users.username_key', '<', end)]),
    ]),
  ]);
}

/** The keys of names that begin with a text: from `key`, before `end`. */
function spanOf(q: string): { readonly key: string; readonly end: string } {
  const key = q.toLowerCase();
  return { key, end: key.slice(0, -1) + String.fromCodePoint((key.codePointAt(key.length - 1) ?? 0) + 1) };
}
