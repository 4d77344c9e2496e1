import type { ExpressionBuilder, Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { ListedOrder, OrderFilter, PaymentsRepo } from '#server/modules/payments/ports.ts';
import { toOrder } from './payments-rows.ts';

/** Lists of orders, with the names of their buyers and receipts. */
export function ordersList(db: Kysely<DB>): Pick<PaymentsRepo, 'paidBy' | 'listOrders' | 'exportOrders' | 'listed'> {
  const rows = () =>
    db
      .selectFrom('payment_orders')
      .leftJoin('users', 'users.id', 'payment_orders.user_id')
      .leftJoin('payment_receipts', 'payment_receipts.order_id', 'payment_orders.id')
      .selectAll('payment_orders')
      .select(['users.username as username', 'payment_receipts.label as receipt']);
  type Row = Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>;
  const toListed = (row: Row): ListedOrder => ({ ...toOrder(row), username: row.username, receipt: row.receipt });
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
      const column = query.sort.by === 'amount' ? 'payment_orders.amount' : 'payment_orders.created_ms';
      const found = await rows()
        .where((eb) => wanted(eb, query))
        .orderBy(column, query.sort.dir)
        .orderBy('payment_orders.id', query.sort.dir)
        .offset(query.offset)
        .limit(query.limit)
        .execute();
      const counted = await db
        .selectFrom('payment_orders')
        .leftJoin('users', 'users.id', 'payment_orders.user_id')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where((eb) => wanted(eb, query))
        .executeTakeFirstOrThrow();
      return { rows: found.map(toListed), total: Number(counted.n) };
    },
    async exportOrders(query, after, limit) {
      let found = rows().where((eb) => wanted(eb, query));
      if (after)
        found = found.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('payment_orders.created_ms', 'payment_orders.id'), '<', tuple(after.createdMs, after.id)),
        );
      const ordered = found.orderBy('payment_orders.created_ms', 'desc').orderBy('payment_orders.id', 'desc');
      return (await ordered.limit(limit).execute()).map(toListed);
    },
    async listed(id) {
      const row = await rows().where('payment_orders.id', '=', id).executeTakeFirst();
      return row ? toListed(row) : null;
    },
  };
}

function wanted(
  eb: ExpressionBuilder<DB & { users: DB['users'] | { [K in keyof DB['users']]: null } }, 'payment_orders' | 'users'>,
  { userId, state, provider, q }: OrderFilter,
) {
  const all = [
    ...(userId === undefined ? [] : [eb('payment_orders.user_id', '=', userId)]),
    ...(state === undefined ? [] : [eb('payment_orders.state', '=', state)]),
    ...(provider === undefined ? [] : [eb('payment_orders.provider', '=', provider)]),
  ];
  if (q !== undefined && q !== '') {
    const key = q.toLowerCase();
    const end = key.slice(0, -1) + String.fromCodePoint((key.codePointAt(key.length - 1) ?? 0) + 1);
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
