import type { Kysely } from 'kysely';
import { DomainError } from '#shared/errors.ts';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import type { DB, PaymentOrders } from '#server/data/schema.ts';
import type { Order, OrderPatch, PaymentsRepo } from '#server/modules/payments/ports.ts';
import { paymentEventsRepo } from './payments-events.ts';
import { ordersList } from './payments-list.ts';
import { toOrder } from './payments-rows.ts';

/** Columns of a patch's fields. */
const COLUMNS = {
  state: 'state',
  ref: 'ref',
  paymentRef: 'payment_ref',
  payUrl: 'pay_url',
  failure: 'failure',
  creditedTx: 'credited_tx',
  clawedBack: 'clawed_back',
  moves: 'moves',
  refunded: 'refunded',
  checks: 'checks',
  nextCheckMs: 'next_check_ms',
  expiresMs: 'expires_ms',
  paidMs: 'paid_ms',
} as const satisfies Record<keyof OrderPatch, keyof PaymentOrders>;

/** Packages, orders, events, refunds and receipts in the database. */
export function createPaymentsRepo(db: Kysely<DB>, raw: Raw): PaymentsRepo {
  const orders = () => db.selectFrom('payment_orders').selectAll();
  const packages = () =>
    db
      .selectFrom('credit_packages')
      .select(['id', 'name', 'price_minor as priceMinor', 'currency', 'credits', 'bonus'])
      .where('visible', '=', 1);
  return {
    ...paymentEventsRepo(db, raw),
    ...ordersList(db),
    packages: () => packages().orderBy('position').orderBy('id').execute(),
    package: async (id) => (await packages().where('id', '=', id).executeTakeFirst()) ?? null,
    addOrder: (order) => addOrder(db, order),
    async order(id) {
      const row = await orders().where('id', '=', id).executeTakeFirst();
      return row ? toOrder(row) : null;
    },
    async lockOrder(id) {
      const row = await forUpdate(orders().where('id', '=', id)).executeTakeFirst();
      return row ? toOrder(row) : null;
    },
    hasCode: async (code) =>
      (await db.selectFrom('payment_orders').select('id').where('code', '=', code).executeTakeFirst()) !== undefined,
    async openOrders(userId) {
      await forUpdate(db.selectFrom('users').select('id').where('id', '=', userId)).executeTakeFirst();
      const row = await db
        .selectFrom('payment_orders')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('user_id', '=', userId)
        .where('state', 'in', ['created', 'pending'])
        .executeTakeFirstOrThrow();
      return Number(row.n);
    },
    patchOrder: (id, patch, nowMs) => patchOrder(db, id, patch, nowMs),
    async byRef(provider, ref) {
      const row = await orders().where('provider', '=', provider).where('ref', '=', ref).executeTakeFirst();
      return row ? toOrder(row) : null;
    },
    async byPayment(provider, paymentRef) {
      const row = await orders()
        .where('provider', '=', provider)
        .where('payment_ref', '=', paymentRef)
        .executeTakeFirst();
      return row ? toOrder(row) : null;
    },
    async due(nowMs, limit) {
      const rows = await orders()
        .where('next_check_ms', 'is not', null)
        .where('next_check_ms', '<=', nowMs)
        .orderBy('next_check_ms')
        .limit(limit)
        .execute();
      return rows.map(toOrder);
    },
  };
}

/**
 * Throws CONFLICT where an order of its id, checkout or payment has come into being meanwhile: two staff may credit one
 * payment at once.
 */
async function addOrder(db: Kysely<DB>, order: Order): Promise<void> {
  const added = await db
    .insertInto('payment_orders')
    .values({
      id: order.id,
      code: order.code,
      user_id: order.userId,
      provider: order.provider,
      state: order.state,
      package_id: order.packageId,
      label: order.label,
      currency: order.currency,
      amount: order.amount,
      tax: order.tax,
      tax_rate: order.taxRate,
      credits: order.credits,
      bonus: order.bonus,
      rate: order.rate,
      locale: order.locale,
      ref: order.ref,
      payment_ref: order.paymentRef,
      pay_url: order.payUrl,
      failure: order.failure,
      credited_tx: order.creditedTx,
      clawed_back: order.clawedBack,
      moves: order.moves,
      refunded: order.refunded,
      revision: order.revision,
      checks: order.checks,
      next_check_ms: order.nextCheckMs,
      created_ms: order.createdMs,
      updated_ms: order.createdMs,
      expires_ms: order.expiresMs,
      paid_ms: order.paidMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  if (added.length === 0) throw new DomainError('CONFLICT');
}

async function patchOrder(db: Kysely<DB>, id: string, patch: OrderPatch, nowMs: number): Promise<boolean> {
  const order = await db.selectFrom('payment_orders').select(['provider']).where('id', '=', id).executeTakeFirst();
  if (!order) return false;
  // Looked at first, because on PostgreSQL a unique index that refuses ends the transaction; the index stays as the
  // wall behind it.
  for (const [field, column] of [
    ['ref', 'ref'],
    ['paymentRef', 'payment_ref'],
  ] as const) {
    const value = patch[field];
    if (value === undefined || value === null) continue;
    const other = await db
      .selectFrom('payment_orders')
      .select('id')
      .where('provider', '=', order.provider)
      .where(column, '=', value)
      .executeTakeFirst();
    if (other && other.id !== id) return false;
  }
  const set = Object.fromEntries(
    Object.entries(patch).map(([field, value]) => [COLUMNS[field as keyof OrderPatch], value]),
  );
  await db
    .updateTable('payment_orders')
    .set((eb) => ({ ...set, updated_ms: nowMs, revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute();
  return true;
}
