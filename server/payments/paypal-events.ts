import * as z from 'zod/mini';
import type { DisputeState, GatewayStatus, EventContent, Paid, SignedEvent } from '#server/modules/payments/index.ts';
import { parseDecimal } from '#shared/money.ts';
import { maskedPayload } from './payload.ts';

const text = z.string();
const maybe = z.optional(z.nullable(text));
const money = z.object({ currency_code: text, value: text });
const links = z.optional(z.array(z.object({ rel: text, href: text })));
const related = z.optional(z.object({ related_ids: z.optional(z.object({ order_id: maybe, capture_id: maybe })) }));

const captureShape = z.object({
  id: text,
  status: text,
  amount: money,
  custom_id: maybe,
  invoice_id: maybe,
  final_capture: z.optional(z.boolean()),
});
const refundShape = z.object({ id: text, status: text, amount: money });
const unitShape = z.object({
  custom_id: maybe,
  invoice_id: maybe,
  payee: z.optional(z.object({ merchant_id: maybe })),
  payments: z.optional(
    z.object({ captures: z.optional(z.array(captureShape)), refunds: z.optional(z.array(refundShape)) }),
  ),
});
const orderShape = z.object({ id: text, status: text, purchase_units: z.array(unitShape) });
const eventShape = z.object({ id: text, event_type: text, create_time: maybe, resource: z.unknown() });
const resourceShape = z.object({
  id: maybe,
  custom_id: maybe,
  supplementary_data: related,
  links,
  purchase_units: z.optional(z.array(z.object({ custom_id: maybe }))),
});
const disputeShape = z.object({
  dispute_id: text,
  status: maybe,
  dispute_life_cycle_stage: maybe,
  dispute_amount: money,
  disputed_transactions: z.array(z.object({ seller_transaction_id: maybe })),
  update_time: maybe,
  dispute_outcome: z.optional(z.object({ outcome_code: maybe, amount_refunded: z.optional(z.nullable(money)) })),
});

/** What our orders are named there: the order and its buyer, hidden from the payer. */
export const customId = (order: { readonly id: string; readonly userId: string }): string =>
  `${order.id}:${order.userId}`;
/** The order a name of ours stands for; null where it is none of ours. */
export const orderNamed = (custom: string | null | undefined): string | null =>
  /^([0-9a-f-]{36}):/.exec(custom ?? '')?.[1] ?? null;

/** How an order stands, from PayPal's own answer. Only a completed, final capture is a payment. */
export function readOrder(body: unknown): GatewayStatus {
  const parsed = orderShape.safeParse(body);
  if (!parsed.success) return { kind: 'unknown' };
  const { id, status, purchase_units: units } = parsed.data;
  const [unit] = units;
  if (status === 'APPROVED') return { kind: 'approved' };
  if (status === 'VOIDED') return { kind: 'expired' };
  if (status !== 'COMPLETED') return { kind: 'open' };
  const capture = unit?.payments?.captures?.[0];
  if (!unit || !capture || units.length !== 1) return { kind: 'unknown' };
  if (capture.status === 'PENDING') return { kind: 'waiting' };
  if (capture.status === 'DECLINED' || capture.status === 'FAILED') return { kind: 'failed' };
  if (!['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(capture.status) || capture.final_capture === false)
    return { kind: 'unknown' };
  return { kind: 'paid', paid: paidOf(id, capture, unit), refunded: refundedOf(unit, capture) };
}

function paidOf(ref: string, capture: z.infer<typeof captureShape>, unit: z.infer<typeof unitShape>): Paid {
  const custom = capture.custom_id ?? unit.custom_id;
  const orderId = orderNamed(custom);
  const invoice = capture.invoice_id ?? unit.invoice_id;
  const { currency_code: currency, value } = capture.amount;
  return {
    // Both names must say the same order; the empty one fits none.
    orderId: orderId !== null && invoice === orderId ? orderId : '',
    userId: custom?.split(':')[1] ?? '',
    ref,
    paymentRef: capture.id,
    amount: parseDecimal(value, currency) ?? -1,
    currency,
    account: unit.payee?.merchant_id ?? null,
    live: true,
  };
}

/** Money given back so far, in minor units. */
function refundedOf(unit: z.infer<typeof unitShape>, capture: z.infer<typeof captureShape>): number {
  const { currency_code: currency, value } = capture.amount;
  const whole = parseDecimal(value, currency) ?? 0;
  if (capture.status === 'REFUNDED') return whole;
  const counted = (unit.payments?.refunds ?? []).filter(
    ({ status, amount }) => ['COMPLETED', 'PENDING'].includes(status) && amount.currency_code === currency,
  );
  return Math.min(
    whole,
    counted.reduce((sum, { amount }) => sum + (parseDecimal(amount.value, currency) ?? 0), 0),
  );
}

/** Reads a proven event. Null where it is none of PayPal's. */
export function readEvent(body: unknown): SignedEvent | null {
  const event = eventShape.safeParse(body);
  if (!event.success) return null;
  const { id, event_type: type, resource, create_time: madeAt } = event.data;
  return {
    eventId: id,
    type: type.slice(0, 100),
    content: contentOf(type, resource, madeAt ?? null),
    payload: maskedPayload(body),
  };
}

/** Everything that says how an order stands is only a reason to ask PayPal: the event is proven, the state is read. */
function contentOf(type: string, object: unknown, madeAt: string | null): EventContent {
  if (type.startsWith('CUSTOMER.DISPUTE.')) return disputeOf(type, object, madeAt);
  if (!/^(?:CHECKOUT\.(?:ORDER|PAYMENT-APPROVAL)|PAYMENT\.CAPTURE)\./.test(type)) return { kind: 'ignored' };
  const parsed = resourceShape.safeParse(object);
  if (!parsed.success) return { kind: 'ignored' };
  const { id = null, custom_id: custom, supplementary_data: more, links: ways, purchase_units: units } = parsed.data;
  const ids = more?.related_ids;
  const orderId = orderNamed(custom ?? units?.[0]?.custom_id);
  if (type.startsWith('CHECKOUT.'))
    return {
      kind: type === 'CHECKOUT.ORDER.APPROVED' ? 'approved' : 'check',
      orderId,
      ref: id ?? null,
      paymentRef: null,
    };
  // What is given back names its capture by a link upwards.
  const up =
    ways
      ?.find(({ rel }) => rel === 'up')
      ?.href.split('/')
      .at(-1) ??
    ids?.capture_id ??
    null;
  const paymentRef = /\.(?:REFUNDED|REVERSED)$/.test(type) ? up : (id ?? null);
  return {
    kind: 'check',
    orderId,
    ref: ids?.order_id ?? null,
    paymentRef,
    ...(type === 'PAYMENT.CAPTURE.COMPLETED' ? { money: true } : {}),
  };
}

function disputeOf(type: string, object: unknown, madeAt: string | null): EventContent {
  const parsed = disputeShape.safeParse(object);
  const paymentRef = parsed.success ? parsed.data.disputed_transactions[0]?.seller_transaction_id : null;
  if (!parsed.success || !paymentRef) return { kind: 'ignored' };
  const { dispute_id: disputeId, dispute_amount: said, dispute_outcome: outcome, update_time: changedAt } = parsed.data;
  const state = stateOf(type, parsed.data);
  // What the buyer got back in the end may be less than what they asked for.
  const { value, currency_code: currency } = (state === 'lost' ? outcome?.amount_refunded : null) ?? said;
  const amount = parseDecimal(value, currency);
  const at = Date.parse(changedAt ?? madeAt ?? '');
  return amount === null
    ? { kind: 'ignored' }
    : { kind: 'dispute', disputeId, paymentRef, amount, currency, state, atMs: Number.isNaN(at) ? undefined : at };
}

/**
 * Outcomes for the buyer, and for us. Of any other nothing is known of the money: it is flagged, and changes nothing
 * that was said before.
 */
const OUTCOMES: Readonly<Record<string, DisputeState>> = {
  RESOLVED_BUYER_FAVOUR: 'lost',
  ACCEPTED: 'lost',
  RESOLVED_SELLER_FAVOUR: 'won',
  CANCELED_BY_BUYER: 'won',
  DENIED: 'won',
};

/** An inquiry is only flagged; from a charge-back on the credits are held; in the end the outcome decides. */
function stateOf(type: string, dispute: z.infer<typeof disputeShape>): DisputeState {
  const over = type.endsWith('.RESOLVED') || dispute.status === 'RESOLVED';
  const outcome = over ? OUTCOMES[dispute.dispute_outcome?.outcome_code ?? ''] : undefined;
  if (outcome) return outcome;
  if ((dispute.dispute_life_cycle_stage ?? 'INQUIRY') === 'INQUIRY') return 'inquiry';
  return over ? 'open' : 'taken';
}
