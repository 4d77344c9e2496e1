import * as z from 'zod/mini';
import { declareEvent, type StaffGroup } from './declare.ts';

/** Who is notified of what goes wrong with money: whoever manages payments. */
const PAYMENT_STAFF: StaffGroup = { permissions: ['admin.root', 'admin.payments.edit'], limit: 100 };

/** What goes wrong with money, so that somebody has to look. */
export const PAYMENT_EVENTS = {
  /** Money came that does not fit its order; said each time the gateway says it. */
  'order.mismatched': declareEvent({
    version: 1,
    payload: z.object({
      orderId: z.string(),
      /** Code of what does not fit. */
      reason: z.string(),
      /** What the gateway calls the payment. */
      paymentRef: z.string(),
    }),
    outside: ['orderId', 'reason'],
    description: 'A payment does not fit its order.',
    notifications: [
      {
        kind: 'paymentMismatch',
        to: PAYMENT_STAFF,
        data: ({ orderId }) => ({ order: orderId }),
        key: ({ orderId, reason, paymentRef }) => `paymentMismatch:${orderId}:${reason}:${paymentRef}`,
      },
    ],
  }),
  /** Money of an order went back to the payer, and its credits were spent: `amount` of them is a debt. */
  'order.debt_incurred': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), orderId: z.string(), amount: z.number(), reference: z.string() }),
    outside: ['userId', 'orderId', 'amount'],
    description: 'Money of an order went back after its credits were spent.',
    notifications: [
      {
        kind: 'paymentDebt',
        to: PAYMENT_STAFF,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ reference }) => `paymentDebt:${reference}`,
      },
    ],
  }),
  /** A payer disputes a payment, or the dispute goes on; said each time the gateway says it. */
  'order.disputed': declareEvent({
    version: 1,
    payload: z.object({
      orderId: z.string(),
      disputeId: z.string(),
      /** The dispute's. */
      state: z.string(),
      /** Where it was won before and is opened anew: when (UTC ms), which tells this round from the one before. */
      reopenedMs: z.nullable(z.number()),
    }),
    outside: ['orderId', 'state'],
    description: 'A payer disputes a payment, or the dispute moved on.',
    notifications: [
      {
        kind: 'paymentDispute',
        to: PAYMENT_STAFF,
        data: ({ orderId }) => ({ order: orderId }),
        key: ({ disputeId, state, reopenedMs }) =>
          `paymentDispute:${disputeId}:${state}${reopenedMs === null ? '' : `:${reopenedMs}`}`,
      },
    ],
  }),
  /** A gateway did not say in all tries how an order stands; `day` is today's in UTC (YYYY-MM-DD). */
  'order.sync_failed': declareEvent({
    version: 1,
    payload: z.object({ orderId: z.string(), provider: z.string(), day: z.string() }),
    outside: ['orderId'],
    description: 'A payment service did not say how an order stands.',
    notifications: [
      {
        kind: 'paymentStuck',
        to: PAYMENT_STAFF,
        // Where a gateway is away, many orders are stuck.
        key: ({ provider, day }) => `paymentStuck:${provider}:${day}`,
      },
    ],
  }),
  /** Money came under our names for an order that is not known here. */
  'payment.unknown': declareEvent({
    version: 1,
    payload: z.object({
      /** Id of the gateway's event. */
      eventId: z.string(),
    }),
    outside: [],
    notifications: [{ kind: 'paymentUnknown', to: PAYMENT_STAFF, key: ({ eventId }) => `paymentUnknown:${eventId}` }],
  }),
  /** An event of a gateway could not be applied in all its tries. */
  'payment.event_failed': declareEvent({
    version: 1,
    payload: z.object({ eventId: z.string() }),
    outside: [],
    notifications: [{ kind: 'paymentStuck', to: PAYMENT_STAFF, key: ({ eventId }) => `paymentStuck:${eventId}` }],
  }),
  /** A refund was refused by the gateway, or never answered. */
  'refund.failed': declareEvent({
    version: 1,
    payload: z.object({ orderId: z.string(), refundId: z.string() }),
    outside: ['orderId', 'refundId'],
    description: 'A refund did not go through.',
    notifications: [
      {
        kind: 'paymentRefundFailed',
        to: PAYMENT_STAFF,
        data: ({ orderId }) => ({ order: orderId }),
        key: ({ refundId }) => `paymentRefundFailed:${refundId}`,
      },
    ],
  }),
};
