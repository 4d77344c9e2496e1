import { DomainError } from '#shared/errors.ts';
import type { Provider } from '#shared/schemas/payment.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import type { PaymentElsewhere } from '../imports/index.ts';
import { writeAudit } from '../audit/index.ts';
import { exportSteps } from '../export-steps.ts';
import type { SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import { MANAGE_PAYMENTS, PAYMENT_JOBS, type PaymentDeps } from './deps.ts';
import { applyEvent, recordEventFailure, retryEvent, receiveWebhook } from './events.ts';
import { offerOf } from './offer.ts';
import { cancelOrder, checkOrder, createOrder, type OrderInput } from './orders.ts';
import type {
  Dispute,
  ListedOrder,
  OrderFilter,
  OrderQuery,
  PaymentsRepo,
  Problem,
  WebhookRequest,
  Refund,
  StoredEvent,
} from './ports.ts';
import { receiptOf } from './receipts.ts';
import {
  executeRefund,
  isConfirmable,
  confirmOrder,
  refundableAmount,
  recordRefundFailure,
  requestRefund,
} from './staff.ts';
import {
  creditUnmatchedPayment,
  dismissUnmatchedPayment,
  viewUnmatchedPayment,
  type CreditInput,
} from './unmatched.ts';
import {
  requestSync,
  captureOrder,
  closeOrder,
  recordPaymentMethod,
  reconcile,
  recordSyncFailure,
  syncOrder,
} from './sync.ts';

/** Payments at other dashboards that are listed. */
const ELSEWHERE = 200;

export type Payments = ReturnType<typeof createPayments>;

/** One payment with everything that is known of it, for staff. */
export interface PaymentDetails {
  readonly order: ListedOrder;
  readonly refundable: number;
  readonly confirmable: boolean;
  readonly events: readonly StoredEvent[];
  readonly refunds: readonly (Refund & { readonly by: string | null })[];
  readonly disputes: readonly Dispute[];
}

/** How long something that needs somebody is shown, and how many. */
const PROBLEMS_MS = 90 * DAY;
const PROBLEMS = 50;

/** Adding credits for money (behaviour 5.3; attacks T5 to T8, T11). */
export function createPayments(deps: PaymentDeps) {
  const { uow } = deps;

  /** An own order. Throws NOT_FOUND. */
  function order({ actor }: SignedIn, id: string): Promise<{ order: ListedOrder; balance: number }> {
    return uow.read(async (tx) => {
      const found = await tx.payments.listed(id);
      if (!found || found.userId !== actor.userId) throw new DomainError('NOT_FOUND');
      return { order: found, balance: await deps.ledger.balance(tx, `user:${actor.userId}`) };
    });
  }

  /** A payment as staff see it. Throws NOT_FOUND. */
  function details(id: string): Promise<PaymentDetails> {
    return uow.read(async (tx) => {
      const found = await tx.payments.listed(id);
      if (!found) throw new DomainError('NOT_FOUND');
      const disputes = found.paymentRef === null ? [] : await tx.payments.disputesOf(found.provider, found.paymentRef);
      return {
        order: found,
        disputes,
        refundable: await refundableAmount(tx, found),
        confirmable: isConfirmable(found),
        events: await tx.payments.eventsOf(id),
        refunds: await tx.payments.refundsOf(id),
      };
    });
  }

  return {
    offer: (ctx: SignedIn) => offerOf(deps, ctx),
    create: (ctx: SignedIn, input: OrderInput) => createOrder(deps, ctx, input),
    order,
    /** A page of payments (`listOrders`). */
    list: (query: OrderQuery): ReturnType<PaymentsRepo['listOrders']> =>
      query.userId === undefined
        ? deps.long.read((tx) => tx.payments.listOrders(query), { for: 'visitor' })
        : uow.read((tx) => tx.payments.listOrders(query)),
    /** All payments that fit, the newest first, some hundred at a time; that they were exported is in the audit log. */
    exportAll: permitted('admin.payments.list', async (ctx: SignedIn, query: OrderFilter, signal: AbortSignal) => {
      const parts = await exportSteps((after, limit) =>
        deps.long.read((tx) => tx.payments.exportPayments(query, after, limit), { for: 'visitor', signal }),
      );
      await uow.run((tx) => writeAudit(tx, deps, ctx, { action: 'payments.export' }));
      return parts;
    }),
    /** What a user paid at a dashboard that they were brought from, the newest first: for the books alone. */
    listElsewhere: (userId: string): Promise<PaymentElsewhere[]> =>
      uow.read((tx) => tx.imports.listPaymentsOf(userId, ELSEWHERE)),
    check: (ctx: SignedIn, id: string) => checkOrder(deps, ctx, id),
    cancel: (ctx: SignedIn, id: string) => cancelOrder(deps, ctx, id),
    receipt: (ctx: SignedIn, id: string) => receiptOf(deps, ctx, id),
    receiveWebhook: (provider: Provider, request: WebhookRequest) => receiveWebhook(deps, provider, request),
    details,
    /** What was not settled by itself and needs somebody, of the last months. */
    problems: (): Promise<Problem[]> =>
      uow.read((tx) => tx.payments.problems(deps.clock.now() - PROBLEMS_MS, PROBLEMS)),
    retryEvent: permitted(MANAGE_PAYMENTS, (ctx: SignedIn, id: string) => retryEvent(deps, ctx, id)),
    requestSync: permitted(MANAGE_PAYMENTS, (ctx: SignedIn, id: string) => requestSync(deps, ctx, id)),
    confirm: permitted(MANAGE_PAYMENTS, (ctx: SignedIn, id: string, reason: string) =>
      confirmOrder(deps, ctx, id, reason),
    ),
    unmatchedPayment: (id: string) => viewUnmatchedPayment(deps, id),
    creditUnmatched: permitted(MANAGE_PAYMENTS, (ctx: SignedIn, id: string, input: CreditInput) =>
      creditUnmatchedPayment(deps, ctx, id, input),
    ),
    dismissUnmatched: permitted(MANAGE_PAYMENTS, (ctx: SignedIn, id: string, reason: string) =>
      dismissUnmatchedPayment(deps, ctx, id, reason),
    ),
    refund: permitted(MANAGE_PAYMENTS, (ctx: SignedIn, id: string, input: { amount: number; reason: string }) =>
      requestRefund(deps, ctx, id, input),
    ),
    reconcile: () => reconcile(deps),
    /** What the jobs of payments do. */
    applyEvent: (id: string) => applyEvent(deps, id),
    sync: (orderId: string) => syncOrder(deps, orderId),
    capture: (orderId: string) => captureOrder(deps, orderId),
    close: (orderId: string) => closeOrder(deps, orderId),
    recordPaymentMethod: (orderId: string) => recordPaymentMethod(deps, orderId),
    executeRefund: (refundId: string) => executeRefund(deps, refundId),
    recordEventFailure: (id: string, error: unknown) => recordEventFailure(deps, id, error),
    recordSyncFailure: (orderId: string, error: unknown) => recordSyncFailure(deps, orderId, error),
    recordRefundFailure: (refundId: string) => recordRefundFailure(deps, refundId),
  };
}

interface Job {
  readonly leaseMs: number;
  handle(payload: unknown): Promise<void>;
  dead?(payload: unknown, job: unknown, error: unknown): Promise<void>;
}

/** Longer than the gateways' time limits together. */
const LEASE_MS = 2 * MINUTE;

/** The jobs of payments, by kind. */
export function paymentJobs(payments: Payments): Record<string, Job> {
  const job = (
    name: 'id' | 'orderId' | 'refundId',
    run: (id: string) => Promise<void>,
    dead?: (id: string, error: unknown) => Promise<void>,
  ): Job => ({
    leaseMs: LEASE_MS,
    handle: async (payload) => run(textOf(payload, name)),
    ...(dead
      ? { dead: async (payload: unknown, _: unknown, error: unknown) => dead(textOf(payload, name), error) }
      : {}),
  });
  return {
    [PAYMENT_JOBS.event]: job('id', payments.applyEvent, payments.recordEventFailure),
    [PAYMENT_JOBS.sync]: job('orderId', payments.sync, payments.recordSyncFailure),
    [PAYMENT_JOBS.capture]: job('orderId', payments.capture),
    [PAYMENT_JOBS.close]: job('orderId', payments.close),
    [PAYMENT_JOBS.means]: job('orderId', payments.recordPaymentMethod),
    [PAYMENT_JOBS.refund]: job('refundId', payments.executeRefund, payments.recordRefundFailure),
  };
}

function textOf(payload: unknown, name: string): string {
  const value: unknown =
    typeof payload === 'object' && payload !== null ? Object.getOwnPropertyDescriptor(payload, name)?.value : undefined;
  if (typeof value !== 'string') throw new Error(`payload does not fit: ${name}`);
  return value;
}
