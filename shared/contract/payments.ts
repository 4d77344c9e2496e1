import * as z from 'zod/mini';
import { creditInput, ORDER_STATES, orderInput, PROVIDERS, reasonInput, refundInput } from '../schemas/payment.ts';
import { id, listQuery, paging, isoTime } from '../schemas/primitives.ts';
import { IMPORT_PRODUCTS } from '../imports.ts';
import { group } from './endpoint.ts';

const provider = z.enum(PROVIDERS);
const state = z.enum(ORDER_STATES);

/** An order as its owner sees it. Money in minor units of `currency`. */
const order = z.object({
  id: z.string(),
  /** The payment reference for transfers: `XXXX-XXXX`. */
  code: z.string(),
  provider,
  state,
  /** Name of the package; null: a free amount. */
  label: z.nullable(z.string()),
  currency: z.string(),
  amount: z.int(),
  tax: z.int(),
  /** Hundredths of a per cent. */
  tax_rate: z.int(),
  credits: z.int(),
  bonus: z.int(),
  refunded: z.int(),
  /** The payment page; null unless it can still be paid there. */
  pay_url: z.nullable(z.string()),
  /** The host's payment instructions, for `manual`. */
  instructions: z.nullable(z.string()),
  /** The account it is paid to, for `manual`; null if the host has set none. */
  account: z.nullable(z.string()),
  /** Number of the receipt; null until it is paid. */
  receipt: z.nullable(z.string()),
  created_at: isoTime,
  paid_at: z.nullable(isoTime),
  expires_at: z.nullable(isoTime),
});
export type OrderView = z.infer<typeof order>;

/** A payment at the dashboard that a user was brought from: for the books, nothing is credited for it here. */
const elsewhere = z.object({
  id: z.string(),
  product: z.enum(IMPORT_PRODUCTS),
  gateway: z.string(),
  reference: z.string(),
  /** That dashboard’s own word. */
  status: z.string(),
  /** Minor units, below 0 where money went back; null: it is not known. */
  amount: z.nullable(z.int()),
  /** As that dashboard has it; '': it is not known. */
  currency: z.string(),
  /** Credits that were bought there; null: none, or it is not known. */
  credits: z.nullable(z.int()),
  paid_at: z.nullable(isoTime),
});
export type PaymentElsewhereView = z.infer<typeof elsewhere>;

const receipt = z.object({
  number: z.string(),
  issued_at: isoTime,
  order: z.string(),
  seller: z.object({ name: z.string(), lines: z.array(z.string()), vat: z.string() }),
  customer: z.object({ name: z.string(), username: z.string(), email: z.string() }),
  provider,
  label: z.nullable(z.string()),
  credits: z.int(),
  bonus: z.int(),
  currency: z.string(),
  net: z.int(),
  tax: z.int(),
  tax_rate: z.int(),
  amount: z.int(),
  refunded: z.int(),
});
export type Receipt = z.infer<typeof receipt>;

const one = { params: z.object({ id }) } as const;
const flag = 'credits_recharge_enabled';

/** Adding credits for money (behaviour 5.3). */
export const payments = group({
  offer: {
    method: 'GET',
    path: '/api/payments/offer',
    summary: 'Get what credits cost',
    description: 'What is on offer, and how it can be paid.',
    access: 'signed-in',
    flag,
    errors: [],
    response: z.object({
      packages: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          amount: z.int(),
          currency: z.string(),
          tax: z.int(),
          credits: z.int(),
          bonus: z.int(),
          providers: z.array(provider),
        }),
      ),
      /** A free amount; null where the host offers none. `rate`: credits for one whole unit of the currency. */
      free: z.nullable(
        z.object({ currency: z.string(), min: z.int(), max: z.int(), rate: z.int(), providers: z.array(provider) }),
      ),
      providers: z.array(provider),
      tax_rate: z.int(),
      balance: z.int(),
      debt: z.int(),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/payments/orders',
    summary: 'Create an order',
    body: orderInput,
    access: 'signed-in',
    verified: true,
    flag,
    limit: 'create',
    idempotent: true,
    errors: [
      'ITEM_UNAVAILABLE',
      'PRICE_CHANGED',
      'GATEWAY_UNAVAILABLE',
      'GATEWAY_REFUSED',
      'TOO_MANY_ORDERS',
      'ACCOUNT_UNVERIFIED',
      'VALIDATION_FAILED',
    ],
    response: z.object({ id: z.string(), pay_url: z.nullable(z.string()) }),
  },
  mine: {
    method: 'GET',
    path: '/api/payments/orders',
    summary: 'List your orders',
    query: z.object({ page: listQuery.page, per_page: listQuery.per_page }),
    access: 'signed-in',
    errors: [],
    response: z.object({
      rows: z.array(order),
      paging,
      /** What was paid at another dashboard, the newest 200. */
      elsewhere: z.array(elsewhere),
    }),
  },
  order: {
    ...one,
    method: 'GET',
    path: '/api/payments/orders/:id',
    summary: 'Get an order',
    access: 'signed-in',
    errors: ['NOT_FOUND'],
    response: z.object({ order, balance: z.int() }),
  },
  check: {
    ...one,
    method: 'POST',
    path: '/api/payments/orders/:id/check',
    summary: 'Check an order with its gateway',
    description: 'In the background, where an event may have been lost.',
    access: 'signed-in',
    limit: 'check',
    errors: ['NOT_FOUND'],
  },
  cancel: {
    ...one,
    method: 'POST',
    path: '/api/payments/orders/:id/cancel',
    summary: 'Cancel an order',
    access: 'signed-in',
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  receipt: {
    ...one,
    method: 'GET',
    path: '/api/payments/orders/:id/receipt',
    summary: 'Get a receipt',
    description: 'For the order’s owner, and for staff who may see payments.',
    access: 'signed-in',
    errors: ['NOT_FOUND'],
    response: z.object({ receipt }),
  },
  receiptPdf: {
    ...one,
    method: 'GET',
    path: '/api/payments/orders/:id/receipt.pdf',
    summary: 'Download a receipt',
    format: 'file',
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
});

/** Largest event of a gateway that is read, in bytes. */
const WEBHOOK_BODY_MAX = 128 * 1024;

/**
 * Where gateways send their events: no session, no origin, each with its own signature over the raw bytes. Events that
 * are recorded, known already, or unrelated to us are answered with 200.
 */
export const webhooks = group({
  stripe: {
    method: 'POST',
    path: '/api/webhooks/stripe',
    summary: 'Receive an event of Stripe',
    upload: { type: 'application/json', max: WEBHOOK_BODY_MAX },
    access: 'open',
    limit: 'webhook',
    hook: true,
    errors: ['SIGNATURE_INVALID', 'GATEWAY_UNAVAILABLE', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  },
  paypal: {
    method: 'POST',
    path: '/api/webhooks/paypal',
    summary: 'Receive an event of PayPal',
    upload: { type: 'application/json', max: WEBHOOK_BODY_MAX },
    access: 'open',
    limit: 'webhook',
    hook: true,
    errors: ['SIGNATURE_INVALID', 'GATEWAY_UNAVAILABLE', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  },
});

const user = z.nullable(z.object({ id: z.string(), username: z.string() }));

/** What the list of payments is narrowed by. */
const orderFilter = {
  q: listQuery.q,
  state: z.optional(state),
  /** `imported`: those that were brought from another dashboard, and no others. */
  provider: z.optional(z.enum([...PROVIDERS, 'imported'])),
  user: z.optional(id),
};

/** Orders of all users, for staff, under permissions of their own: real money moves here. */
export const adminPayments = group({
  list: {
    method: 'GET',
    path: '/api/admin/payments',
    summary: 'List payments',
    query: z.object({
      page: listQuery.page,
      per_page: listQuery.per_page,
      sort: z.optional(z.enum(['created_at', '-created_at', 'amount', '-amount'])),
      ...orderFilter,
    }),
    access: 'admin.payments.list',
    errors: [],
    response: z.object({
      rows: z.array(z.object({ ...order.shape, user })),
      paging,
      /**
       * What was paid at another dashboard: of the user that was asked for the newest 200; otherwise, where no state is
       * asked for, what stands among `rows` on this page by the same order, and is counted with them.
       */
      elsewhere: z.array(z.object({ ...elsewhere.shape, user: z.optional(user) })),
    }),
  },
  exportCsv: {
    method: 'GET',
    path: '/api/admin/payments/export.csv',
    summary: 'Export payments',
    description:
      'Every payment that matches, the newest first, as CSV; money in decimals of its currency. What was brought from another dashboard names it in `imported_from`, and has its words for state and provider.',
    query: z.object(orderFilter),
    format: 'csv',
    access: 'admin.payments.list',
    errors: [],
  },
  get: {
    ...one,
    method: 'GET',
    path: '/api/admin/payments/:id',
    summary: 'Get a payment',
    access: 'admin.payments.view',
    errors: ['NOT_FOUND'],
    response: z.object({
      payment: z.object({
        ...order.shape,
        user,
        ref: z.nullable(z.string()),
        payment_ref: z.nullable(z.string()),
        clawed_back: z.int(),
        failure: z.nullable(z.string()),
        /** Money that can still be refunded, and whether staff may confirm the order manually. */
        refundable: z.int(),
        confirmable: z.boolean(),
      }),
      events: z.array(
        z.object({
          id: z.string(),
          event_id: z.string(),
          type: z.string(),
          outcome: z.string(),
          reason: z.nullable(z.string()),
          at: isoTime,
          payload: z.string(),
        }),
      ),
      refunds: z.array(
        z.object({
          id: z.string(),
          amount: z.int(),
          state: z.enum(['requested', 'done', 'failed']),
          reason: z.string(),
          by: z.nullable(z.string()),
          failure: z.nullable(z.string()),
          at: isoTime,
        }),
      ),
      disputes: z.array(z.object({ id: z.string(), amount: z.int(), state: z.string(), at: isoTime })),
    }),
  },
  problems: {
    method: 'GET',
    path: '/api/admin/payments/problems',
    summary: 'List payment problems',
    description:
      'Events that could not be processed, and orders whose payment does not match or whose gateway does not answer.',
    access: 'admin.payments.list',
    errors: [],
    response: z.object({
      problems: z.array(
        z.object({
          kind: z.enum(['event', 'order']),
          id: z.string(),
          provider,
          order: z.nullable(z.string()),
          label: z.nullable(z.string()),
          type: z.nullable(z.string()),
          reason: z.string(),
          at: isoTime,
        }),
      ),
    }),
  },
  retryEvent: {
    ...one,
    method: 'POST',
    path: '/api/admin/payment-events/:id/retry',
    summary: 'Retry a gateway event',
    access: 'admin.payments.edit',
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  unknown: {
    ...one,
    method: 'GET',
    path: '/api/admin/payment-events/:id',
    summary: 'Get a payment that belongs to no order',
    description: 'The user it names, what was paid, and the credits for it today.',
    access: 'admin.payments.edit',
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: z.object({
      event: z.object({
        id: z.string(),
        event_id: z.string(),
        provider,
        type: z.string(),
        at: isoTime,
        payload: z.string(),
      }),
      order: z.nullable(z.string()),
      user,
      amount: z.nullable(z.int()),
      currency: z.nullable(z.string()),
      credits: z.int(),
    }),
  },
  credit: {
    ...one,
    method: 'POST',
    path: '/api/admin/payment-events/:id/credit',
    summary: 'Credit a payment that belongs to no order',
    description: 'Once, to the user it names or to another.',
    body: creditInput,
    access: 'admin.payments.edit',
    idempotent: true,
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'FORBIDDEN',
      'APPROVAL_REQUIRED',
      'GATEWAY_UNAVAILABLE',
      'WALLET_FULL',
      'VALIDATION_FAILED',
    ],
    response: z.object({ id: z.string() }),
  },
  dismiss: {
    ...one,
    method: 'POST',
    path: '/api/admin/payment-events/:id/dismiss',
    summary: 'Dismiss a gateway event',
    body: reasonInput,
    access: 'admin.payments.edit',
    errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED'],
  },
  check: {
    ...one,
    method: 'POST',
    path: '/api/admin/payments/:id/check',
    summary: 'Check a payment with its gateway',
    access: 'admin.payments.edit',
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  confirm: {
    ...one,
    method: 'POST',
    path: '/api/admin/payments/:id/confirm',
    summary: 'Confirm a payment by hand',
    body: reasonInput,
    access: 'admin.payments.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'APPROVAL_REQUIRED', 'CONFLICT', 'WALLET_FULL', 'VALIDATION_FAILED'],
  },
  refund: {
    ...one,
    method: 'POST',
    path: '/api/admin/payments/:id/refund',
    summary: 'Refund a payment',
    body: refundInput,
    access: 'admin.payments.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'APPROVAL_REQUIRED', 'CONFLICT', 'VALIDATION_FAILED'],
    response: z.object({ id: z.string() }),
  },
});
