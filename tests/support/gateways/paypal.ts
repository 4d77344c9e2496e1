import { createHmac } from 'node:crypto';
import type { Clock } from '#server/modules/kernel.ts';
import { must, serveGateway, type Answer } from './faults.ts';
import type { Notice } from './stripe.ts';

export const PAYPAL = {
  id: 'client-standin',
  secret: 'secret-standin',
  webhook: 'WH-STANDIN',
  merchant: 'MERCHANT1',
} as const;

interface Capture {
  id: string;
  status: string;
  amount: { currency_code: string; value: string };
  custom_id: string;
  invoice_id: string;
  final_capture: boolean;
}
interface Refund {
  id: string;
  status: string;
  amount: { currency_code: string; value: string };
}
interface Unit {
  custom_id: string;
  invoice_id: string;
  amount: { currency_code: string; value: string };
  payee: { merchant_id: string };
  payments: { captures: Capture[]; refunds: Refund[] };
}
interface Order {
  id: string;
  status: string;
  purchase_units: [Unit];
  payer?: { payer_id: string };
}
export type PaypalStandIn = ReturnType<typeof paypalStandIn>;

const failure = (status: number, issue: string): Answer => ({
  status,
  body: { name: 'UNPROCESSABLE_ENTITY', message: 'refused', debug_id: 'd1', details: [{ issue, description: issue }] },
});
/** Without decimals there. */
const WHOLE = new Set(['HUF', 'JPY', 'TWD']);
const isAmount = (amount: unknown): amount is { currency_code: string; value: string } => {
  if (typeof amount !== 'object' || amount === null) return false;
  const { currency_code: code, value } = amount as Record<string, unknown>;
  return (
    typeof code === 'string' && typeof value === 'string' && (WHOLE.has(code) ? /^\d+$/ : /^\d+\.\d\d$/).test(value)
  );
};

/**
 * A stand-in of PayPal (token, Orders, Captures, Refunds, the verification of webhooks), which signs over the raw bytes
 * of its events.
 */
export function paypalStandIn(clock: Clock) {
  const orders = new Map<string, Order>();
  const tokens = new Set<string>();
  let made = 0;
  const next = (prefix: string) => `${prefix}-${String((made += 1)).padStart(6, '0')}`;
  const signature = (id: string, time: string, raw: string) =>
    createHmac('sha256', 'paypal')
      .update(`${id}|${time}|${PAYPAL.webhook}|${Bun.hash.crc32(raw)}`)
      .digest('base64');
  const captureNamed = (id: string) =>
    [...orders.values()].find((order) => order.purchase_units[0].payments.captures[0]?.id === id);

  function create(body: string, key: string | null): Answer {
    const {
      intent,
      purchase_units: units,
      payment_source: source,
    } = JSON.parse(body) as {
      intent?: string;
      purchase_units?: Partial<Unit>[];
      payment_source?: { paypal?: { experience_context?: { return_url?: string } } };
    };
    const unit = units?.[0];
    if (key === null) return failure(400, 'PAYPAL_REQUEST_ID_REQUIRED');
    if (
      intent !== 'CAPTURE' ||
      units?.length !== 1 ||
      !isAmount(unit?.amount) ||
      !source?.paypal?.experience_context?.return_url
    )
      return failure(422, 'INVALID_PARAMETER_VALUE');
    if ([...orders.values()].some((order) => order.purchase_units[0].invoice_id === unit.invoice_id))
      return failure(422, 'DUPLICATE_INVOICE_ID');
    const id = next('PP');
    const order: Order = {
      id,
      status: 'PAYER_ACTION_REQUIRED',
      purchase_units: [
        {
          custom_id: unit.custom_id ?? '',
          invoice_id: unit.invoice_id ?? '',
          amount: unit.amount,
          payee: { merchant_id: PAYPAL.merchant },
          payments: { captures: [], refunds: [] },
        },
      ],
    };
    orders.set(id, order);
    return {
      status: 201,
      body: {
        id,
        status: order.status,
        links: [
          { rel: 'self', href: `https://api.paypal.test/${id}`, method: 'GET' },
          { rel: 'payer-action', href: `https://www.paypal.test/checkoutnow?token=${id}`, method: 'GET' },
        ],
      },
    };
  }
  function capture(order: Order | undefined): Answer {
    if (!order) return failure(404, 'INVALID_RESOURCE_ID');
    if (order.status === 'COMPLETED') return failure(422, 'ORDER_ALREADY_CAPTURED');
    if (order.status !== 'APPROVED') return failure(422, 'ORDER_NOT_APPROVED');
    const [unit] = order.purchase_units;
    order.status = 'COMPLETED';
    unit.payments.captures.push({
      id: next('CAP'),
      status: 'COMPLETED',
      amount: unit.amount,
      custom_id: unit.custom_id,
      invoice_id: unit.invoice_id,
      final_capture: true,
    });
    return { status: 201, body: order };
  }
  function refund(order: Order | undefined, body: string): Answer {
    const { amount } = JSON.parse(body) as { amount?: unknown };
    if (!order || !isAmount(amount)) return failure(422, 'INVALID_PARAMETER_VALUE');
    if (leftOf(order) < Number(amount.value)) return failure(422, 'REFUND_AMOUNT_EXCEEDED');
    return { status: 201, body: give(order, amount.value) };
  }
  const leftOf = ({ purchase_units: [unit] }: Order) =>
    Number(unit.amount.value) -
    unit.payments.refunds.reduce((sum, { amount }) => sum + Math.round(Number(amount.value) * 100), 0) / 100;
  function give(order: Order, value: string): Refund {
    const [unit] = order.purchase_units;
    const refunded: Refund = {
      id: next('RE'),
      status: 'COMPLETED',
      amount: { currency_code: unit.amount.currency_code, value },
    };
    unit.payments.refunds.push(refunded);
    const taken = must(unit.payments.captures[0], 'capture');
    taken.status = leftOf(order) <= 0 ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
    return refunded;
  }
  function verify(body: string): Answer {
    const said = JSON.parse(body) as Record<string, string>;
    // The event as it was sent, not as it would be written anew.
    const mark = '"webhook_event":';
    const raw = body.slice(body.indexOf(mark) + mark.length, -1);
    const good =
      said.webhook_id === PAYPAL.webhook &&
      said.transmission_sig === signature(said.transmission_id ?? '', said.transmission_time ?? '', raw);
    return { status: 200, body: { verification_status: good ? 'SUCCESS' : 'FAILURE' } };
  }
  function work(at: string, path: string, body: string, request: Request): Answer {
    const auth = request.headers.get('authorization') ?? '';
    if (at === 'POST /v1/oauth2/token') {
      if (auth !== `Basic ${btoa(`${PAYPAL.id}:${PAYPAL.secret}`)}` || body !== 'grant_type=client_credentials')
        return { status: 401, body: { error: 'invalid_client' } };
      const token = next('A');
      tokens.add(token);
      return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: 32_400 } };
    }
    if (!tokens.has(auth.replace('Bearer ', ''))) return { status: 401, body: { name: 'AUTHENTICATION_FAILURE' } };
    if (request.method === 'POST' && request.headers.get('content-type') !== 'application/json')
      return failure(415, 'UNSUPPORTED_MEDIA_TYPE');
    const id = path.split('/').find((part) => /^(PP|CAP)-/.test(part)) ?? '';
    switch (at) {
      case 'POST /v2/checkout/orders':
        return create(body, request.headers.get('paypal-request-id'));
      case 'GET /v2/checkout/orders/:id':
        return orders.has(id) ? { status: 200, body: orders.get(id) } : failure(404, 'RESOURCE_NOT_FOUND');
      case 'POST /v2/checkout/orders/:id/capture':
        return capture(orders.get(id));
      case 'GET /v2/payments/captures/:id':
        return captureNamed(id)
          ? { status: 200, body: captureNamed(id)?.purchase_units[0].payments.captures[0] }
          : failure(404, 'RESOURCE_NOT_FOUND');
      case 'POST /v2/payments/captures/:id/refund':
        return refund(captureNamed(id), body);
      case 'POST /v1/notifications/verify-webhook-signature':
        return verify(body);
      default:
        return failure(404, `NO_SUCH_ADDRESS ${at}`);
    }
  }

  const gateway = serveGateway('paypal-request-id', work);
  const orderOf = (orderId: string): Order =>
    must(
      [...orders.values()].find((each) => each.purchase_units[0].invoice_id === orderId),
      `order ${orderId}`,
    );
  const captureOf = (orderId: string): Capture =>
    must(orderOf(orderId).purchase_units[0].payments.captures[0], `capture of ${orderId}`);
  /** An event, signed unless told otherwise. */
  function event(
    type: string,
    resource: object,
    over: {
      id?: string;
      signature?: string;
      cert?: string;
      pretty?: boolean;
      algorithm?: string;
      at?: string;
      transmission?: string;
    } = {},
  ): Notice {
    const body = JSON.stringify(
      {
        id: over.id ?? next('WH'),
        event_version: '1.0',
        create_time: new Date(clock.now()).toISOString(),
        event_type: type,
        resource,
        links: [],
      },
      null,
      over.pretty ? 2 : undefined,
    );
    const [id, time] = [over.transmission ?? next('T'), over.at ?? new Date(clock.now()).toISOString()];
    return {
      body,
      headers: {
        'Content-Type': 'application/json',
        'PayPal-Auth-Algo': over.algorithm ?? 'SHA256withRSA',
        'PayPal-Cert-Url': over.cert ?? 'https://api.paypal.com/v1/notifications/certs/CERT-1',
        'PayPal-Transmission-Id': id,
        'PayPal-Transmission-Time': time,
        'PayPal-Transmission-Sig': over.signature ?? signature(id, time, body),
      },
    };
  }
  return {
    ...gateway,
    orders,
    tokens,
    event,
    orderOf,
    captureOf,
    approve: (orderId: string, payer = `PAYER-${orderId}`): Order =>
      Object.assign(orderOf(orderId), { status: 'APPROVED', payer: { payer_id: payer } }),
    /** Money goes back, from PayPal's own pages. */
    refundThere: (orderId: string, value: string): Refund => give(orderOf(orderId), value),
    captured: (orderId: string, over: Parameters<typeof event>[2] = {}): Notice =>
      event(
        'PAYMENT.CAPTURE.COMPLETED',
        { ...captureOf(orderId), supplementary_data: { related_ids: { order_id: orderOf(orderId).id } } },
        over,
      ),
    refunded: (orderId: string, refund: Refund): Notice =>
      event('PAYMENT.CAPTURE.REFUNDED', {
        ...refund,
        custom_id: captureOf(orderId).custom_id,
        links: [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${captureOf(orderId).id}` }],
      }),
    disputed: (orderId: string, name: string, more: object): Notice =>
      event(`CUSTOMER.DISPUTE.${name}`, {
        dispute_id: `PP-D-${orderId}`,
        dispute_amount: captureOf(orderId).amount,
        disputed_transactions: [{ seller_transaction_id: captureOf(orderId).id }],
        ...more,
      }),
  };
}
