import type { OrderState } from '#shared/schemas/payment.ts';
import type { Ms } from './values.ts';

/** Money for credits (behaviour 5.3). Money in minor units. */
export interface PaymentOrders {
  id: string;
  user_id: string;
  provider: 'stripe' | 'paypal' | 'manual';
  state: OrderState;
  package_id: string | null;
  label: string | null;
  currency: string;
  amount: number;
  tax: number;
  tax_rate: number;
  credits: number;
  bonus: number;
  rate: number | null;
  locale: string;
  ref: string | null;
  payment_ref: string | null;
  pay_url: string | null;
  failure: string | null;
  credited_tx: string | null;
  clawed_back: number;
  moves: number;
  refunded: number;
  revision: number;
  checks: number;
  next_check_ms: Ms | null;
  created_ms: Ms;
  updated_ms: Ms;
  expires_ms: Ms | null;
  paid_ms: Ms | null;
  code: string | null;
}

export interface PaymentEvents {
  id: string;
  provider: 'stripe' | 'paypal' | 'manual';
  event_id: string;
  type: string;
  order_id: string | null;
  outcome: 'received' | 'applied' | 'ignored' | 'waiting' | 'unknown' | 'mismatch';
  reason: string | null;
  content: string;
  payload: string;
  received_ms: Ms;
}

export interface PaymentDisputes {
  provider: 'stripe' | 'paypal' | 'manual';
  dispute_id: string;
  payment_ref: string;
  amount: number;
  currency: string;
  state: 'inquiry' | 'open' | 'taken' | 'lost' | 'won';
  updated_ms: Ms;
}

export interface PaymentRefunds {
  id: string;
  order_id: string;
  amount: number;
  state: 'requested' | 'done' | 'failed';
  reason: string;
  actor_id: string | null;
  failure: string | null;
  ref: string | null;
  created_ms: Ms;
  done_ms: Ms | null;
}

export interface PaymentSequences {
  name: string;
  last: number;
}

export interface PaymentReceipts {
  order_id: string;
  number: number;
  label: string;
  facts: string;
  issued_ms: Ms;
}

export interface PaymentsTables {
  payment_orders: PaymentOrders;
  payment_events: PaymentEvents;
  payment_disputes: PaymentDisputes;
  payment_refunds: PaymentRefunds;
  payment_sequences: PaymentSequences;
  payment_receipts: PaymentReceipts;
}
