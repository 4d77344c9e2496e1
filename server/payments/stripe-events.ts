import * as z from 'zod/mini';
import type { DisputeState, EventContent, Paid, SignedEvent } from '#server/modules/payments/index.ts';
import { SECOND } from '#shared/time.ts';
import { maskedPayload } from './payload.ts';

const text = z.string();
const maybe = z.optional(z.nullable(text));
const metadata = z.optional(z.nullable(z.object({ order_id: maybe, user_id: maybe })));
/** A reference that may be expanded to the object itself. */
const link = z.optional(z.nullable(z.union([text, z.object({ id: text })])));

export const sessionShape = z.object({
  id: text,
  status: maybe,
  payment_status: text,
  amount_total: z.optional(z.nullable(z.number())),
  currency: maybe,
  client_reference_id: maybe,
  metadata,
  payment_intent: link,
  livemode: z.boolean(),
});
const chargeShape = z.object({ payment_intent: link, metadata });
const disputeShape = z.object({ id: text, amount: z.number(), currency: text, payment_intent: link, status: text });
const eventShape = z.object({
  id: text,
  type: text,
  created: z.optional(z.number()),
  account: maybe,
  livemode: z.boolean(),
  data: z.object({ object: z.unknown() }),
});

const idOf = (value: z.infer<typeof link>): string | null => (typeof value === 'string' ? value : (value?.id ?? null));

/** What a checkout session says of its payment. `account`: whose event it was; null for our own. */
export function paidOf(session: z.infer<typeof sessionShape>, account: string | null): Paid {
  const named = session.metadata?.order_id ?? null;
  // Both places name the order. Where they disagree it is not ours, and the empty name fits no order.
  const orderId = session.client_reference_id === named ? named : '';
  return {
    orderId,
    userId: session.metadata?.user_id ?? '',
    ref: session.id,
    paymentRef: idOf(session.payment_intent) ?? session.id,
    amount: session.amount_total ?? -1,
    currency: (session.currency ?? '').toUpperCase(),
    account,
    live: session.livemode,
  };
}

function sessionNotice(type: string, session: z.infer<typeof sessionShape>, account: string | null): EventContent {
  const where = {
    orderId: session.metadata?.order_id ?? session.client_reference_id ?? null,
    ref: session.id,
    paymentRef: null,
  };
  if (type.endsWith('.expired')) return { kind: 'expired', ...where };
  if (type.endsWith('.async_payment_failed')) return { kind: 'failed', ...where };
  if (session.payment_status !== 'paid') return { kind: 'waiting', ...where };
  // Found by the id the session names; whether both places agree is compared before anything is paid.
  const paid = paidOf(session, account);
  return {
    kind: 'paid',
    ...paid,
    orderId: paid.orderId === '' ? where.orderId : paid.orderId,
    userId: paid.orderId === '' ? '' : paid.userId,
  };
}

/** How far a dispute is. `warning_…` are inquiries: no money has moved. */
function disputeState(type: string, status: string): DisputeState {
  if (type.endsWith('.funds_withdrawn')) return 'taken';
  if (type.endsWith('.funds_reinstated') || status === 'won') return 'won';
  if (status === 'lost') return 'lost';
  return status.startsWith('warning_') ? 'inquiry' : 'open';
}

const SESSIONS = new Set(
  ['completed', 'async_payment_succeeded', 'async_payment_failed', 'expired'].map((name) => `checkout.session.${name}`),
);
/** What is asked about at the API rather than read from the event: sums that rise and fall, in any order of arrival. */
const CHARGES = new Set([
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
]);

/** Reads a proven event. Null where it is none of Stripe's events. */
export function readEvent(body: unknown): SignedEvent | null {
  const event = eventShape.safeParse(body);
  if (!event.success) return null;
  const { id, type } = event.data;
  return { eventId: id, type: type.slice(0, 100), content: contentOf(event.data), payload: maskedPayload(body) };
}

function contentOf({ type, account: whose, created, data: { object } }: z.infer<typeof eventShape>): EventContent {
  const account = whose ?? null;
  if (SESSIONS.has(type)) {
    const session = sessionShape.safeParse(object);
    return session.success ? sessionNotice(type, session.data, account) : { kind: 'ignored' };
  }
  if (CHARGES.has(type)) {
    const charge = chargeShape.safeParse(object);
    const paymentRef = charge.success ? idOf(charge.data.payment_intent) : null;
    return paymentRef === null || !charge.success
      ? { kind: 'ignored' }
      : { kind: 'check', orderId: charge.data.metadata?.order_id ?? null, ref: null, paymentRef };
  }
  if (type.startsWith('charge.dispute.')) {
    const dispute = disputeShape.safeParse(object);
    const paymentRef = dispute.success ? idOf(dispute.data.payment_intent) : null;
    if (
      !dispute.success ||
      paymentRef === null ||
      !Number.isSafeInteger(dispute.data.amount) ||
      dispute.data.amount < 0
    )
      return { kind: 'ignored' };
    const { id, amount, currency, status } = dispute.data;
    return {
      kind: 'dispute',
      disputeId: id,
      paymentRef,
      amount,
      currency: currency.toUpperCase(),
      state: disputeState(type, status),
      atMs: created === undefined ? undefined : created * SECOND,
    };
  }
  return { kind: 'ignored' };
}
