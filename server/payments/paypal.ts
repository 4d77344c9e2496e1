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
import { formatDecimal, minorDigits } from '#shared/money.ts';
import { LOCALE_INFO, toLocale } from '#shared/i18n/locales.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { isHttpsPage } from './payload.ts';
import { createPaypalApi, fieldOf, issuesOf, type PaypalAnswer, type PaypalApi } from './paypal-api.ts';
import { customId, orderNamed, readEvent, readOrder } from './paypal-events.ts';
import { createConcurrencyLimit, type ConcurrencyLimit } from './concurrency-limit.ts';

/** Currencies PayPal takes, and those of them it wants without decimals (services, paypal). */
const TAKEN = new Set(
  'AUD BRL CAD CNY CZK DKK EUR HKD HUF ILS JPY MYR MXN TWD NZD NOK PHP PLN GBP SGD SEK CHF THB USD'.split(' '),
);
const WHOLE = new Set(['HUF', 'JPY', 'TWD']);
/** How long a payer has by default. */
const PAYER_MS = 3 * HOUR;

interface Deps {
  readonly settings: { current(): SettingValues };
  readonly clock: { now(): number };
  /** The way to services elsewhere. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** PayPal Orders. An event is proven by PayPal's own verification, and what it tells of is then read from the API. */
export function createPaypalGateway(deps: Deps): Gateway {
  const { settings, clock } = deps;
  const api = createPaypalApi(deps);
  const limit = createConcurrencyLimit(VERIFICATIONS_AT_ONCE, VERIFICATIONS_WAITING);
  const isConfigured = (): boolean =>
    settings.current().paypal_client_id !== '' &&
    settings.current().paypal_client_secret !== '' &&
    settings.current().paypal_webhook_id !== '';
  return {
    provider: 'paypal',
    ready: () => settings.current().paypal_enabled && isConfigured(),
    accepts: ({ minor, currency }) =>
      TAKEN.has(currency) && (!WHOLE.has(currency) || minor % 10 ** minorDigits(currency) === 0),
    isOwnPayment: ({ account }) =>
      account === null ||
      settings.current().paypal_merchant_id === '' ||
      account === settings.current().paypal_merchant_id,
    open: (opening) => open(api, settings.current().app_name, opening, clock.now()),
    verify: async (request) => (isConfigured() ? verify({ api, limit, settings, clock }, request) : { kind: 'off' }),
    readStatus: (order) => readStatus(api, order),
    async orderOf(paymentRef) {
      const { status, body } = await api.call('GET', `/v2/payments/captures/${encodeURIComponent(paymentRef)}`);
      if (status === 404) return null;
      if (status !== 200) throw new Error(`paypal does not say what a payment is for: ${status}`);
      const custom = fieldOf(body, 'custom_id');
      return orderNamed(typeof custom === 'string' ? custom : null);
    },
    async capture(order) {
      const answer = await api.call('POST', `/v2/checkout/orders/${encodeURIComponent(order.ref ?? '')}/capture`, {
        body: {},
        key: `capture-${order.id}`,
      });
      // A refusal is an answer: how the order stands then is read like everything else.
      return answer.status >= 200 && answer.status < 500 && answer.status !== 429 && answer.status !== 401;
    },
    close: async () => undefined,
    refund: (order, refund) => refundCapture(api, order, refund),
    paymentMethod: (order) => payerOf(api, order),
  };
}

/** An amount as PayPal writes it. */
function amountOf({ amount, currency }: { amount: number; currency: string }) {
  const digits = minorDigits(currency);
  const value = WHOLE.has(currency) ? String(amount / 10 ** digits) : formatDecimal({ minor: amount, currency });
  return { currency_code: currency, value };
}

async function open(
  api: PaypalApi,
  brand: string,
  { order, attempt, title, returnUrl, cancelUrl }: OpenRequest,
  now: number,
): Promise<OpenResult> {
  const unit = {
    reference_id: 'credits',
    custom_id: customId(order),
    invoice_id: order.id,
    description: title.slice(0, 127),
    amount: amountOf(order),
  };
  const context = {
    return_url: returnUrl,
    cancel_url: cancelUrl,
    user_action: 'PAY_NOW',
    shipping_preference: 'NO_SHIPPING',
    brand_name: brand.slice(0, 127),
    // PayPal knows no Romanian of Moldova.
    locale: order.locale === 'md' ? 'ro-RO' : LOCALE_INFO[toLocale(order.locale)].bcp47,
    payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
  };
  const answer = await api.call('POST', '/v2/checkout/orders', {
    body: { intent: 'CAPTURE', purchase_units: [unit], payment_source: { paypal: { experience_context: context } } },
    key: `order-${order.id}-${attempt}`,
  });
  if (answer.status !== 200 && answer.status !== 201) return faultOf(answer);
  const ref = fieldOf(answer.body, 'id');
  const links = fieldOf(answer.body, 'links');
  const ways = Array.isArray(links)
    ? links.map((link: unknown) => ({ rel: fieldOf(link, 'rel'), href: fieldOf(link, 'href') }))
    : [];
  const url = (ways.find(({ rel }) => rel === 'payer-action') ?? ways.find(({ rel }) => rel === 'approve'))?.href;
  if (typeof ref !== 'string' || typeof url !== 'string')
    return { kind: 'unknown', reason: 'no address', fresh: false };
  if (!isHttpsPage(url)) return { kind: 'refused', reason: 'the address is none' };
  return { kind: 'opened', ref, url, expiresMs: now + PAYER_MS };
}

const SIGNED = ['auth-algo', 'cert-url', 'transmission-id', 'transmission-sig', 'transmission-time'] as const;
/** PayPal repeats an event for three days; and how far its clock may be ahead of ours. */
const OLDEST_MS = 7 * DAY;
const AHEAD_MS = 5 * MINUTE;
/** Verifications asked for at once, and how many may wait for one: each forged event that looks right costs a call. */
const [VERIFICATIONS_AT_ONCE, VERIFICATIONS_WAITING] = [8, 200];

interface VerifyDeps {
  readonly api: PaypalApi;
  readonly limit: ConcurrencyLimit;
  readonly settings: Deps['settings'];
  readonly clock: Deps['clock'];
}

/** What can be seen without asking anybody is looked at first; PayPal is asked about the rest, so many at once. */
async function verify(
  { api, limit, settings, clock }: VerifyDeps,
  request: WebhookRequest,
): Promise<WebhookVerification> {
  const { paypal_webhook_id: webhookId, paypal_api_url: apiUrl } = settings.current();
  const signed: Record<string, string> = {};
  for (const name of SIGNED) {
    const value = request.header(`paypal-${name}`);
    if (value === null || value === '' || value.length > 2000) return { kind: 'forged', reason: `no ${name}` };
    signed[name.replace('-', '_')] = value;
  }
  const fault = faultOfHeaders(signed, apiUrl, clock.now());
  if (fault !== null) return { kind: 'forged', reason: fault };
  let text: string;
  let body: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(request.body);
    body = JSON.parse(text);
  } catch {
    return { kind: 'forged', reason: 'not JSON' };
  }
  const event = readEvent(body);
  if (!event) return { kind: 'forged', reason: 'not an event' };
  // The event goes along as it came: written anew it could differ from what was signed.
  const raw = `${JSON.stringify({ ...signed, webhook_id: webhookId }).slice(0, -1)},"webhook_event":${text}}`;
  const answer = await limit.run(() => api.call('POST', '/v1/notifications/verify-webhook-signature', { raw }));
  if (answer === null) return { kind: 'unavailable' };
  if (answer.status !== 200)
    return answer.status === 400 || answer.status === 422
      ? { kind: 'forged', reason: 'refused' }
      : { kind: 'unavailable' };
  return fieldOf(answer.body, 'verification_status') === 'SUCCESS'
    ? { kind: 'signed', event }
    : { kind: 'forged', reason: 'signature' };
}

/** What is wrong with the headers of an event, as far as it can be seen here. */
function faultOfHeaders(signed: Readonly<Record<string, string>>, apiUrl: string, now: number): string | null {
  const {
    auth_algo: algorithm = '',
    cert_url: certificate = '',
    transmission_id: id = '',
    transmission_sig: signature = '',
    transmission_time: time = '',
  } = signed;
  if (algorithm.toLowerCase() !== 'sha256withrsa') return 'algorithm';
  if (!/^[\w.-]{1,200}$/.test(id)) return 'id';
  if (!/^[A-Za-z0-9+/]{20,}={0,2}$/.test(signature)) return 'signature';
  const sent = Date.parse(time);
  if (Number.isNaN(sent) || sent > now + AHEAD_MS || sent < now - OLDEST_MS) return 'time';
  // Who signs is PayPal or nobody, in the mode we are in.
  return isCertificate(certificate, apiUrl) ? null : 'certificate';
}

function isCertificate(address: string, apiUrl: string): boolean {
  const url = URL.parse(address);
  if (
    url?.protocol !== 'https:' ||
    !/^api(?:-m)?(?:\.sandbox)?\.paypal\.com$/.test(url.host) ||
    !url.pathname.startsWith('/v1/notifications/certs/')
  )
    return false;
  const own = URL.parse(apiUrl)?.host ?? '';
  return !own.endsWith('.paypal.com') || own.includes('.sandbox.') === url.host.includes('.sandbox.');
}

async function readStatus(api: PaypalApi, order: Order): Promise<GatewayStatus> {
  if (order.ref === null) return { kind: 'open' };
  const { status, body } = await api.call('GET', `/v2/checkout/orders/${encodeURIComponent(order.ref)}`);
  // An order nobody paid is forgotten after a while.
  if (status === 404) return { kind: order.creditedTx === null ? 'missing' : 'unknown' };
  return status === 200 ? readOrder(body) : { kind: 'unknown' };
}

/** The payer's account at PayPal. */
async function payerOf(api: PaypalApi, order: Order): Promise<string | null> {
  if (order.ref === null) return null;
  const { status, body } = await api.call('GET', `/v2/checkout/orders/${encodeURIComponent(order.ref)}`);
  if (status === 404) return null;
  if (status !== 200) throw new Error(`paypal does not say who paid: ${status}`);
  const account =
    fieldOf(fieldOf(body, 'payer'), 'payer_id') ??
    fieldOf(fieldOf(fieldOf(body, 'payment_source'), 'paypal'), 'account_id');
  return typeof account === 'string' && account !== '' && account.length <= 200 ? account : null;
}

async function refundCapture(api: PaypalApi, order: Order, refund: Refund): Promise<RefundResult> {
  if (order.paymentRef === null) return { kind: 'refused', reason: 'no payment' };
  const path = `/v2/payments/captures/${encodeURIComponent(order.paymentRef)}/refund`;
  const answer = await api.call('POST', path, {
    body: { amount: amountOf({ amount: refund.amount, currency: order.currency }), invoice_id: refund.id },
    key: `refund-${refund.id}`,
  });
  if (answer.status !== 200 && answer.status !== 201) return faultOf(answer);
  const [ref, status] = [fieldOf(answer.body, 'id'), fieldOf(answer.body, 'status')];
  if (status === 'FAILED' || status === 'CANCELLED') return { kind: 'refused', reason: String(status) };
  return typeof ref === 'string' ? { kind: 'done', ref } : { kind: 'unknown', reason: 'no id' };
}

/** A definite no, or not known: whatever may have been done although the answer is none. */
function faultOf({
  status,
  body,
}: PaypalAnswer):
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string; readonly fresh: boolean } {
  const reason = `${status} ${issuesOf(body).join(' ')}`.slice(0, 200);
  if (status === 0 || status === 401 || status === 429 || status >= 500)
    return { kind: 'unknown', reason, fresh: false };
  return { kind: 'refused', reason };
}
