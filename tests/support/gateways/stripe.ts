import { Stripe } from 'stripe';
import type { Clock } from '#server/modules/kernel.ts';
import { must, serveGateway, type Answer } from './faults.ts';

export const STRIPE_KEY = 'sk_test_standin';
export const STRIPE_SECRET = 'whsec_standin_secret';

interface Session {
  id: string;
  object: 'checkout.session';
  url: string | null;
  status: string;
  payment_status: string;
  mode: string;
  amount_total: number;
  currency: string;
  client_reference_id: string | null;
  metadata: Record<string, string>;
  payment_intent: string | null;
  livemode: boolean;
  expires_at: number;
}
interface Charge {
  id: string;
  object: 'charge';
  payment_intent: string;
  amount: number;
  amount_refunded: number;
  refunded: boolean;
  currency: string;
  metadata: Record<string, string>;
  payment_method_details: { type: 'card'; card: { brand: string; fingerprint: string } };
}
interface Intent {
  id: string;
  object: 'payment_intent';
  status: string;
  latest_charge: string | null;
  metadata: Record<string, string>;
}

/** An event as it travels: the body and the headers with its signature. */
export interface Notice {
  readonly body: string;
  readonly headers: Record<string, string>;
}
export type StripeStandIn = ReturnType<typeof stripeStandIn>;

const failure = (status: number, message: string, code?: string): Answer => ({
  status,
  body: { error: { type: 'invalid_request_error', message, ...(code ? { code } : {}) } },
});

/**
 * A stand-in of Stripe (Checkout Sessions, PaymentIntents, Refunds), which signs its events with the library's own test
 * helper.
 */
export function stripeStandIn(clock: Clock) {
  const sessions = new Map<string, Session>();
  const intents = new Map<string, Intent>();
  const charges = new Map<string, Charge>();
  let made = 0;
  const next = (prefix: string) => `${prefix}_${String((made += 1)).padStart(6, '0')}`;
  const seconds = () => Math.floor(clock.now() / 1000);

  function create(form: URLSearchParams): Answer {
    const currency = form.get('line_items[0][price_data][currency]') ?? '';
    const amount = form.get('line_items[0][price_data][unit_amount]') ?? '';
    if (
      form.get('mode') !== 'payment' ||
      !/^[a-z]{3}$/.test(currency) ||
      !/^[1-9]\d*$/.test(amount) ||
      !form.get('success_url')
    )
      return failure(400, 'missing or wrong parameters');
    if (!form.get('line_items[0][price_data][product_data][name]') || form.has('payment_method_types[0]'))
      return failure(400, 'wrong parameters');
    const id = next('cs_test');
    const session: Session = {
      id,
      object: 'checkout.session',
      url: `https://checkout.stripe.test/c/${id}`,
      status: 'open',
      payment_status: 'unpaid',
      mode: 'payment',
      amount_total: Number(amount),
      currency,
      client_reference_id: form.get('client_reference_id'),
      metadata: nested(form, 'metadata'),
      payment_intent: null,
      livemode: false,
      expires_at: seconds() + 86_400,
    };
    sessions.set(id, session);
    intents.set(`pi:${id}`, {
      id: next('pi'),
      object: 'payment_intent',
      status: 'requires_payment_method',
      latest_charge: null,
      metadata: nested(form, 'payment_intent_data[metadata]'),
    });
    return { status: 200, body: session };
  }
  function refund(form: URLSearchParams): Answer {
    const charge = [...charges.values()].find((each) => each.payment_intent === form.get('payment_intent'));
    const amount = Number(form.get('amount') ?? charge?.amount ?? 0);
    if (!charge) return failure(404, 'no such payment', 'resource_missing');
    if (!Number.isSafeInteger(amount) || amount < 1 || amount > charge.amount - charge.amount_refunded)
      return failure(400, 'greater than what is left', 'charge_already_refunded');
    charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded === charge.amount;
    return {
      status: 200,
      body: {
        id: next('re'),
        object: 'refund',
        amount,
        currency: charge.currency,
        charge: charge.id,
        payment_intent: charge.payment_intent,
        status: 'succeeded',
        metadata: nested(form, 'metadata'),
      },
    };
  }
  function work(at: string, path: string, body: string, request: Request): Answer {
    if (request.headers.get('authorization') !== `Bearer ${STRIPE_KEY}`)
      return { status: 401, body: { error: { type: 'invalid_request_error', message: 'wrong key' } } };
    if (
      request.method === 'POST' &&
      body !== '' &&
      !(request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded')
    )
      return failure(400, 'not a form');
    const form = new URLSearchParams(body);
    const id = path.split('/').find((part) => /^(cs|pi)_/.test(part)) ?? '';
    if (at === 'POST /v1/checkout/sessions') return create(form);
    if (at === 'POST /v1/refunds') return refund(form);
    if (at === 'GET /v1/checkout/sessions/:id') {
      const session = sessions.get(id);
      const intent = session?.payment_intent
        ? [...intents.values()].find((each) => each.id === session.payment_intent)
        : undefined;
      return session
        ? {
            status: 200,
            body: {
              ...session,
              payment_intent: intent
                ? { ...intent, latest_charge: intent.latest_charge === null ? null : charges.get(intent.latest_charge) }
                : null,
            },
          }
        : failure(404, 'no such session', 'resource_missing');
    }
    if (at === 'POST /v1/checkout/sessions/:id/expire') {
      const session = sessions.get(id);
      if (session?.status !== 'open') return failure(400, 'only open ones');
      Object.assign(session, { status: 'expired', url: null });
      return { status: 200, body: session };
    }
    if (at === 'GET /v1/payment_intents/:id') {
      const intent = [...intents.values()].find((each) => each.id === id);
      const charge =
        new URL(request.url).search.includes('latest_charge') && intent?.latest_charge
          ? charges.get(intent.latest_charge)
          : undefined;
      return intent
        ? { status: 200, body: { ...intent, ...(charge ? { latest_charge: charge } : {}) } }
        : failure(404, 'no such payment', 'resource_missing');
    }
    return failure(404, `no such address: ${at}`);
  }

  const gateway = serveGateway('idempotency-key', work);
  const library = new Stripe(STRIPE_KEY);
  /** An event of the account, signed unless told otherwise. */
  async function event(
    type: string,
    object: object,
    over: { id?: string; secret?: string; timestamp?: number; account?: string } = {},
  ): Promise<Notice> {
    const account = over.account === undefined ? {} : { account: over.account };
    const body = JSON.stringify({
      id: over.id ?? next('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: seconds(),
      livemode: false,
      type,
      ...account,
      data: { object },
    });
    return {
      body,
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': await sign(body, over) },
    };
  }
  const sign = (
    payload: string,
    { secret = STRIPE_SECRET, timestamp = seconds() }: { secret?: string; timestamp?: number } = {},
  ): Promise<string> => library.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp });
  const session = (orderId: string): Session =>
    must(
      [...sessions.values()].findLast((each) => each.client_reference_id === orderId),
      `session of ${orderId}`,
    );
  const chargeOf = (orderId: string): Charge =>
    must(
      [...charges.values()].find((each) => each.metadata.order_id === orderId),
      `charge of ${orderId}`,
    );
  return {
    ...gateway,
    sessions,
    event,
    sign,
    session,
    chargeOf,
    /** The payer pays: the session is complete, `later` for a bank that takes days. */
    pay(orderId: string, later = false, card = `card of ${orderId}`): Session {
      const found = session(orderId);
      const intent = must(intents.get(`pi:${found.id}`), 'payment');
      Object.assign(found, {
        status: 'complete',
        payment_status: later ? 'unpaid' : 'paid',
        url: null,
        payment_intent: intent.id,
      });
      intent.status = later ? 'processing' : 'succeeded';
      if (later) return found;
      const charge: Charge = {
        id: next('ch'),
        object: 'charge',
        payment_intent: intent.id,
        amount: found.amount_total,
        amount_refunded: 0,
        refunded: false,
        currency: found.currency,
        metadata: intent.metadata,
        payment_method_details: { type: 'card', card: { brand: 'visa', fingerprint: card } },
      };
      charges.set(charge.id, charge);
      intent.latest_charge = charge.id;
      return found;
    },
    /** Money goes back, from Stripe's own dashboard; a negative amount: a refund that failed. */
    refundThere(orderId: string, amount: number): Charge {
      const charge = chargeOf(orderId);
      charge.amount_refunded += amount;
      charge.refunded = charge.amount_refunded === charge.amount;
      return charge;
    },
    disputeOf: (orderId: string, status: string, amount = chargeOf(orderId).amount) => ({
      id: `dp_${orderId}`,
      object: 'dispute',
      amount,
      currency: chargeOf(orderId).currency,
      charge: chargeOf(orderId).id,
      payment_intent: chargeOf(orderId).payment_intent,
      reason: 'fraudulent',
      status,
    }),
  };
}

function nested(form: URLSearchParams, name: string): Record<string, string> {
  const found = [...form.entries()].flatMap(([key, value]) =>
    key.startsWith(`${name}[`) && key.endsWith(']') ? [[key.slice(name.length + 1, -1), value]] : [],
  );
  return Object.fromEntries(found) as Record<string, string>;
}
