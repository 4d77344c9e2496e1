import type { Kysely, Selectable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import type { DB, PaymentDisputes, PaymentEvents, PaymentRefunds } from '#server/data/schema.ts';
import type {
  Dispute,
  EventContent,
  PaymentsRepo,
  ReceiptFacts,
  Refund,
  StoredEvent,
} from '#server/modules/payments/ports.ts';
import { paymentProblems } from './payments-problems.ts';

type Part = Omit<
  PaymentsRepo,
  | 'paidBy'
  | 'packages'
  | 'package'
  | 'addOrder'
  | 'order'
  | 'lockOrder'
  | 'hasCode'
  | 'openOrders'
  | 'patchOrder'
  | 'byRef'
  | 'byPayment'
  | 'due'
  | 'listOrders'
  | 'exportPayments'
  | 'listed'
>;

const toEvent = (row: Selectable<PaymentEvents>): StoredEvent => ({
  id: row.id,
  provider: row.provider,
  eventId: row.event_id,
  type: row.type,
  orderId: row.order_id,
  outcome: row.outcome,
  reason: row.reason,
  content: JSON.parse(row.content) as EventContent,
  payload: row.payload,
  receivedMs: row.received_ms,
});
const toDispute = (row: Selectable<PaymentDisputes>): Dispute => ({
  provider: row.provider,
  disputeId: row.dispute_id,
  paymentRef: row.payment_ref,
  amount: row.amount,
  currency: row.currency,
  state: row.state,
  updatedMs: row.updated_ms,
});
const toRefund = (row: Selectable<PaymentRefunds>): Refund => ({
  id: row.id,
  orderId: row.order_id,
  amount: row.amount,
  state: row.state,
  reason: row.reason,
  actorId: row.actor_id,
  failure: row.failure,
  createdMs: row.created_ms,
});

/** What gateways said, refunds, receipts, and the people payments write to. */
export function paymentEventsRepo(db: Kysely<DB>, raw: Raw): Part {
  return {
    async addEvent(event) {
      const added = await db
        .insertInto('payment_events')
        .values({
          id: event.id,
          provider: event.provider,
          event_id: event.eventId,
          type: event.type,
          order_id: event.orderId,
          outcome: event.outcome,
          reason: event.reason,
          content: JSON.stringify(event.content),
          payload: event.payload,
          received_ms: event.receivedMs,
        })
        .onConflict((conflict) => conflict.columns(['provider', 'event_id']).doNothing())
        .returning('id')
        .execute();
      return added.length > 0;
    },
    async event(id) {
      const row = await db.selectFrom('payment_events').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toEvent(row) : null;
    },
    async lockEvent(id) {
      const row = await forUpdate(db.selectFrom('payment_events').selectAll().where('id', '=', id)).executeTakeFirst();
      return row ? toEvent(row) : null;
    },
    async endEvent(id, outcome, reason, orderId) {
      await db.updateTable('payment_events').set({ outcome, reason, order_id: orderId }).where('id', '=', id).execute();
    },
    async reopenEvent(id) {
      const revived = await db
        .updateTable('payment_events')
        .set({ outcome: 'received', reason: null })
        .where('id', '=', id)
        .where('outcome', 'in', ['received', 'unknown'])
        .where('reason', 'is not', null)
        .executeTakeFirst();
      return revived.numUpdatedRows === 1n;
    },
    async eventsOf(orderId) {
      const rows = await db
        .selectFrom('payment_events')
        .selectAll()
        .where('order_id', '=', orderId)
        .orderBy('received_ms')
        .orderBy('id')
        .limit(200)
        .execute();
      return rows.map(toEvent);
    },
    problems: (sinceMs, limit) => paymentProblems(raw, sinceMs, limit),
    ...disputes(db),
    ...refunds(db),
    ...receipts(db),
  };
}

function disputes(db: Kysely<DB>): Pick<Part, 'lockDispute' | 'saveDispute' | 'disputesOf'> {
  return {
    async lockDispute(dispute) {
      const { provider, disputeId, amount, currency, state } = dispute;
      await db
        .insertInto('payment_disputes')
        .values({
          provider,
          dispute_id: disputeId,
          payment_ref: dispute.paymentRef,
          amount,
          currency,
          state,
          updated_ms: dispute.updatedMs,
        })
        .onConflict((conflict) => conflict.columns(['provider', 'dispute_id']).doNothing())
        .execute();
      const one = db
        .selectFrom('payment_disputes')
        .selectAll()
        .where('provider', '=', provider)
        .where('dispute_id', '=', disputeId);
      return toDispute(await forUpdate(one).executeTakeFirstOrThrow());
    },
    async saveDispute({ provider, disputeId, amount, state, updatedMs }) {
      await db
        .updateTable('payment_disputes')
        .set({ amount, state, updated_ms: updatedMs })
        .where('provider', '=', provider)
        .where('dispute_id', '=', disputeId)
        .execute();
    },
    async disputesOf(provider, paymentRef) {
      const rows = await db
        .selectFrom('payment_disputes')
        .selectAll()
        .where('provider', '=', provider)
        .where('payment_ref', '=', paymentRef)
        .orderBy('dispute_id')
        .execute();
      return rows.map(toDispute);
    },
  };
}

function refunds(db: Kysely<DB>): Pick<Part, 'addRefund' | 'refund' | 'endRefund' | 'refundsOf'> {
  return {
    async addRefund(refund) {
      await db
        .insertInto('payment_refunds')
        .values({
          id: refund.id,
          order_id: refund.orderId,
          amount: refund.amount,
          state: refund.state,
          reason: refund.reason,
          actor_id: refund.actorId,
          failure: refund.failure,
          ref: null,
          created_ms: refund.createdMs,
          done_ms: null,
        })
        .execute();
    },
    async refund(id) {
      const row = await db.selectFrom('payment_refunds').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toRefund(row) : null;
    },
    async endRefund(id, state, failure, ref, nowMs) {
      const ended = await db
        .updateTable('payment_refunds')
        .set({ state, failure, ref, done_ms: nowMs })
        .where('id', '=', id)
        .where('state', '=', 'requested')
        .returning('id')
        .execute();
      return ended.length > 0;
    },
    async refundsOf(orderId) {
      const rows = await db
        .selectFrom('payment_refunds')
        .leftJoin('users', 'users.id', 'payment_refunds.actor_id')
        .selectAll('payment_refunds')
        .select('users.username as by')
        .where('payment_refunds.order_id', '=', orderId)
        .orderBy('payment_refunds.created_ms')
        .orderBy('payment_refunds.id')
        .execute();
      return rows.map((row) => ({ ...toRefund(row), by: row.by }));
    },
  };
}

function receipts(db: Kysely<DB>): Pick<Part, 'nextNumber' | 'addReceipt' | 'receipt' | 'customer'> {
  return {
    async nextNumber(sequence) {
      // The row stays locked until the transaction ends, and goes back with it: no number is left out, none is given
      // twice.
      const row = await db
        .updateTable('payment_sequences')
        .set((eb) => ({ last: eb('last', '+', 1) }))
        .where('name', '=', sequence)
        .returning('last')
        .executeTakeFirst();
      if (!row) throw new Error(`no sequence ${sequence}`);
      return row.last;
    },
    async addReceipt(orderId, { number, label, facts, issuedMs }) {
      await db
        .insertInto('payment_receipts')
        .values({ order_id: orderId, number, label, facts: JSON.stringify(facts), issued_ms: issuedMs })
        .execute();
    },
    async receipt(orderId) {
      const row = await db
        .selectFrom('payment_receipts')
        .selectAll()
        .where('order_id', '=', orderId)
        .executeTakeFirst();
      return row
        ? {
            number: row.number,
            label: row.label,
            facts: JSON.parse(row.facts) as ReceiptFacts,
            issuedMs: row.issued_ms,
          }
        : null;
    },
    async customer(userId) {
      const row = await db
        .selectFrom('users')
        .select(['username', 'email', 'first_name', 'last_name'])
        .where('id', '=', userId)
        .executeTakeFirst();
      return row
        ? { name: `${row.first_name} ${row.last_name}`.trim(), username: row.username, email: row.email }
        : null;
    },
  };
}
