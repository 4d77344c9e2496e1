import type { Selectable } from 'kysely';
import type { PaymentOrders } from '#server/data/schema.ts';
import type { Order } from '#server/modules/payments/ports.ts';

/** A row of the table as the order it is. */
export const toOrder = (row: Selectable<PaymentOrders>): Order => ({
  id: row.id,
  code: row.code ?? row.id,
  userId: row.user_id,
  provider: row.provider,
  state: row.state,
  packageId: row.package_id,
  label: row.label,
  currency: row.currency,
  amount: row.amount,
  tax: row.tax,
  taxRate: row.tax_rate,
  credits: row.credits,
  bonus: row.bonus,
  rate: row.rate,
  locale: row.locale,
  ref: row.ref,
  paymentRef: row.payment_ref,
  payUrl: row.pay_url,
  failure: row.failure,
  creditedTx: row.credited_tx,
  clawedBack: row.clawed_back,
  moves: row.moves,
  refunded: row.refunded,
  revision: row.revision,
  checks: row.checks,
  nextCheckMs: row.next_check_ms,
  createdMs: row.created_ms,
  expiresMs: row.expires_ms,
  paidMs: row.paid_ms,
});
