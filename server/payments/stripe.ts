import { Stripe } from 'stripe';
import * as z from 'zod/mini';
import type {
  Gateway,
  GatewayStatus,
  OpenResult,
  OpenRequest,
  Order,
  WebhookVerification,
  WebhookRequest,
  Refund,
  RefundResult,
} from '#server/modules/payments/index.ts';
import { minorDigits } from '#shared/money.ts';
import type { SettingValues } from '#shared/settings.ts';
import { SECOND } from '#shared/time.ts';
import { isHttpsPage } from './payload.ts';
import { paidOf, readEvent, sessionShape } from './stripe-events.ts';

interface Deps {
  readonly settings: { current(): SettingValues };
  readonly clock: { now(): number };
  /** The way to services elsewhere. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** How long Stripe may take to answer. */
const TIMEOUT_MS = 15 * SECOND;
/** How far the time of a signature may be off, in seconds: Stripe's own tolerance. */
const TOLERANCE_S = 300;
/** Currencies with rules of their own at Stripe (services, stripe): not offered rather than charged wrongly. */
const SPECIAL = new Set(['ISK', 'HUF', 'TWD', 'UGX', 'MGA']);

/** Stripe Checkout, by the official library. Keys and address are settings; the client is made anew when they change. */
export function createStripeGateway({ settings, clock, fetch }: Deps): Gateway {
  let made: { readonly key: string; readonly client: Stripe } | null = null;
  function client(): Stripe {
    const { stripe_secret_key: secret, stripe_api_url: base } = settings.current();
    const key = `${base} ${secret}`;
    if (made?.key !== key) {
      const { hostname, port, protocol } = new URL(base);
      const https = protocol === 'https:';
      const options = {
        host: hostname,
        port: port || (https ? '443' : '80'),
        protocol: https ? ('https' as const) : ('http' as const),
      };
      made = {
        key,
        client: new Stripe(secret, {
          ...options,
          httpClient: Stripe.createFetchHttpClient(asGlobal(fetch)),
          telemetry: false,
          maxNetworkRetries: 0,
          timeout: TIMEOUT_MS,
        }),
      };
    }
    return made.client;
  }
  const isLive = () => /^[rs]k_live_/.test(settings.current().stripe_secret_key);
  return {
    provider: 'stripe',
    ready: () =>
      settings.current().stripe_enabled &&
      settings.current().stripe_secret_key !== '' &&
      settings.current().stripe_webhook_secret !== '',
    // Amounts with three digits after the point must end in zero there.
    accepts: ({ minor, currency }) => !SPECIAL.has(currency) && (minorDigits(currency) < 3 || minor % 10 === 0),
    isOwnPayment: ({ account, live }) =>
      live === isLive() && (account === null || account === settings.current().stripe_account_id),
    open: (opening) => open(client(), opening),
    verify: (request) => verify(client, settings.current().stripe_webhook_secret, clock.now(), request),
    readStatus: (order) => readStatus(client(), order),
    async orderOf(paymentRef) {
      try {
        return (await client().paymentIntents.retrieve(paymentRef)).metadata.order_id ?? null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    capture: async () => true,
    async close(order) {
      if (order.ref === null) return;
      try {
        await client().checkout.sessions.expire(order.ref);
      } catch (error) {
        // Paid, expired or gone already: nothing to end.
        if (faultOf(error).kind === 'unknown') throw error;
      }
    },
    refund: (order, refund) => refundPayment(client(), order, refund),
    paymentMethod: (order) => paymentMethodOf(client(), order),
  };
}

/** A `fetch` in the shape of the machine's own, as the library's types want it. */
function asGlobal(fetch: Deps['fetch']): typeof globalThis.fetch {
  const call = (input: string | URL | Request, init?: RequestInit) =>
    fetch(input instanceof Request ? input.url : String(input), init ?? {});
  return Object.assign(call, { preconnect: () => undefined });
}

/** Languages of the checkout page. Moldova's is written as Romanian there. */
const LANGUAGES: Readonly<Record<string, 'en' | 'ro' | 'fr' | 'de' | 'es'>> = {
  en: 'en',
  ro: 'ro',
  fr: 'fr',
  de: 'de',
  es: 'es',
  md: 'ro',
};

async function open(stripe: Stripe, { order, attempt, title, returnUrl, cancelUrl }: OpenRequest): Promise<OpenResult> {
  const metadata = { order_id: order.id, user_id: order.userId };
  try {
    const session = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: order.currency.toLowerCase(),
              unit_amount: order.amount,
              product_data: { name: title },
            },
          },
        ],
        client_reference_id: order.id,
        metadata,
        // What a session carries does not reach its payment by itself.
        payment_intent_data: { metadata },
        success_url: returnUrl,
        cancel_url: cancelUrl,
        locale: LANGUAGES[order.locale] ?? 'auto',
      },
      { idempotencyKey: `order-${order.id}-${attempt}` },
    );
    if (!session.url) return { kind: 'unknown', reason: 'no address', fresh: true };
    if (!isHttpsPage(session.url)) return { kind: 'refused', reason: 'the address is none' };
    return { kind: 'opened', ref: session.id, url: session.url, expiresMs: session.expires_at * SECOND };
  } catch (error) {
    return faultOf(error);
  }
}

async function verify(
  client: () => Stripe,
  secret: string,
  now: number,
  request: WebhookRequest,
): Promise<WebhookVerification> {
  if (secret === '') return { kind: 'off' };
  const header = request.header('stripe-signature');
  if (header === null) return { kind: 'forged', reason: 'no signature' };
  // The library does not mind a time that is to come; a replay could be kept for later with one.
  const times = [...header.matchAll(/(?:^|,)\s*t=(\d+)/g)].map(([, time]) => Number(time));
  if (times.length === 0 || times.some((time) => time * SECOND - now > TOLERANCE_S * SECOND))
    return { kind: 'forged', reason: 'the time is to come' };
  try {
    const event = readEvent(
      await client().webhooks.constructEventAsync(request.body, header, secret, TOLERANCE_S, undefined, now),
    );
    return event ? { kind: 'signed', event } : { kind: 'forged', reason: 'not an event' };
  } catch (error) {
    return {
      kind: 'forged',
      reason: error instanceof Stripe.errors.StripeSignatureVerificationError ? 'signature' : 'not an event',
    };
  }
}

const chargeShape = z.object({ amount_refunded: z.number() });
const intentShape = z.object({
  status: z.string(),
  latest_charge: z.optional(z.nullable(z.union([z.string(), chargeShape]))),
});

async function readStatus(stripe: Stripe, order: Order): Promise<GatewayStatus> {
  if (order.ref === null) return { kind: 'open' };
  try {
    const found = await stripe.checkout.sessions.retrieve(order.ref, { expand: ['payment_intent.latest_charge'] });
    const session = sessionShape.safeParse(found);
    if (!session.success) return { kind: 'unknown' };
    const intent = intentShape.safeParse(found.payment_intent);
    if (session.data.payment_status === 'paid') {
      const charge = intent.success && typeof intent.data.latest_charge === 'object' ? intent.data.latest_charge : null;
      return charge
        ? { kind: 'paid', paid: paidOf(session.data, null), refunded: charge.amount_refunded }
        : { kind: 'unknown' };
    }
    if (session.data.status === 'expired') return { kind: 'expired' };
    if (session.data.status !== 'complete') return { kind: 'open' };
    return {
      kind:
        intent.success && ['canceled', 'requires_payment_method'].includes(intent.data.status) ? 'failed' : 'waiting',
    };
  } catch (error) {
    return isMissing(error) && order.creditedTx === null ? { kind: 'missing' } : { kind: 'unknown' };
  }
}

async function refundPayment(stripe: Stripe, order: Order, refund: Refund): Promise<RefundResult> {
  if (order.paymentRef === null) return { kind: 'refused', reason: 'no payment' };
  try {
    const done = await stripe.refunds.create(
      {
        payment_intent: order.paymentRef,
        amount: refund.amount,
        metadata: { order_id: order.id, refund_id: refund.id },
      },
      { idempotencyKey: `refund-${refund.id}` },
    );
    return done.status === 'failed' || done.status === 'canceled'
      ? { kind: 'refused', reason: done.failure_reason ?? done.status }
      : { kind: 'done', ref: done.id };
  } catch (error) {
    return faultOf(error);
  }
}

/** A charge with what it was paid with: the fingerprint stands below the name of its kind (`card`, `sepa_debit` …). */
const paymentMethodShape = z.object({
  payment_method_details: z.optional(z.nullable(z.looseObject({ type: z.string() }))),
});
const fingerprintShape = z.object({ fingerprint: z.string().check(z.minLength(1), z.maxLength(200)) });

async function paymentMethodOf(stripe: Stripe, order: Order): Promise<string | null> {
  if (order.paymentRef === null) return null;
  try {
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(order.paymentRef, {
      expand: ['latest_charge'],
    });
    const details = paymentMethodShape.safeParse(charge).data?.payment_method_details;
    return details ? (fingerprintShape.safeParse(details[details.type]).data?.fingerprint ?? null) : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Stripe.errors.StripeError && error.statusCode === 404;

type Fault =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string; readonly fresh: boolean };

/** A definite no, or not known: whatever may have been done although the answer is none. */
function faultOf(error: unknown): Fault {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const { statusCode: status = 0 } = error;
  const reason = `${status} ${error.code ?? error.type}`;
  if (status >= 500) return { kind: 'unknown', reason, fresh: true };
  // Still being worked on, or turned away before it was looked at: the same key again.
  if (status === 0 || status === 409 || status === 429) return { kind: 'unknown', reason, fresh: false };
  return { kind: 'refused', reason };
}
