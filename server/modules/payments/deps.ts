import type { Provider } from '#shared/schemas/payment.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Events } from '../events/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Clock, Ids, Log } from '../kernel.ts';
import type { Account, Ledger } from '../ledger/index.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import type { Gateway, Order } from './ports.ts';

export interface PaymentDeps {
  readonly uow: UnitOfWork;
  /** Staff's list of orders: it is counted, searched and sorted. */
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly ledger: Pick<Ledger, 'transfer' | 'balance' | 'chargeBack' | 'returnCredits' | 'payDebt'>;
  readonly settings: { current(): SettingValues };
  readonly events: Pick<Events, 'emit'>;
  /** Gateways that are asked over the network. */
  readonly gateways: readonly Gateway[];
  /** Notes what somebody paid with among the signals of abuse (behaviour 4.6), as a keyed hash. Nobody asks when absent. */
  readonly notePayment?: (tx: Tx, userId: string, fingerprint: string) => Promise<void>;
  /** Our own address, without a slash at its end: where payers come back to. */
  readonly appUrl: () => string;
}

/** Kinds of jobs. */
export const PAYMENT_JOBS = {
  event: 'payments.event',
  sync: 'payments.sync',
  capture: 'payments.capture',
  close: 'payments.close',
  refund: 'payments.refund',
  means: 'payments.means',
} as const;

/** Tries of what gateways have to be asked for, over two days: they may be away. */
export const EVENT_TRIES = 48;

/**
 * Enqueues the check of an order at its gateway. All callers share one job, always with all its tries: an event of a
 * refund must not be lost because somebody asked just before.
 */
export function enqueueSync(
  { ids, clock }: Pick<PaymentDeps, 'ids' | 'clock'>,
  tx: Tx,
  orderId: string,
): Promise<void> {
  return enqueue(tx, ids, clock, {
    kind: PAYMENT_JOBS.sync,
    payload: { orderId },
    uniqueKey: `${PAYMENT_JOBS.sync}:${orderId}`,
    maxAttempts: EVENT_TRIES,
  });
}

/** Enqueues a check that runs at once, for somebody who waits for it: beside the shared one, which may be in backoff. */
export function enqueueImmediateSync(
  { ids, clock }: Pick<PaymentDeps, 'ids' | 'clock'>,
  tx: Tx,
  orderId: string,
): Promise<void> {
  return enqueue(tx, ids, clock, {
    kind: PAYMENT_JOBS.sync,
    payload: { orderId },
    uniqueKey: `${PAYMENT_JOBS.sync}:${orderId}:asked`,
    maxAttempts: 2,
  });
}

/** The system account of a way to pay. */
export const accountOf = (provider: Provider): Account => `system:payment.${provider}`;

/** The gateway of an order; null for one that no gateway is asked about. */
export function gatewayOf({ gateways }: Pick<PaymentDeps, 'gateways'>, provider: Provider): Gateway | null {
  return gateways.find((gateway) => gateway.provider === provider) ?? null;
}

/** The right to move money. */
export const MANAGE_PAYMENTS = 'admin.payments.edit';

/** What names an order in a statement: its package, or the money. */
export const subjectOf = (order: Pick<Order, 'label'>): string | null => order.label;
